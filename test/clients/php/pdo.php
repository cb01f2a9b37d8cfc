<?php
// PDO: an ID is an int. Prints as psycopg/app.py does. With an argument, keys that are id64, and what lastInsertId() says:
// prints as JSON what it made and read.
$pdo = new PDO('pgsql:');
$argc > 1 ? kinds($pdo) : ids($pdo);

function ids(PDO $pdo): void
{
    $pdo->exec('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text)');
    $pdo->exec('CREATE TABLE comment (id bigint PRIMARY KEY DEFAULT next_id(), photo_id bigint REFERENCES photo)');

    // In docs/clients/php.md:
    // One row, and its ID: an int of 64 bits.
    $insert = $pdo->prepare('INSERT INTO photo (title) VALUES (?) RETURNING id');
    $insert->execute(['one']);
    $id = $insert->fetchColumn();

    $pdo->prepare('INSERT INTO comment (photo_id) VALUES (?), (?)')->execute([$id, null]);

    // Several rows in one statement, and their IDs by their titles.
    $insert = $pdo->prepare('INSERT INTO photo (title) SELECT json_array_elements_text(?) RETURNING title, id');
    $insert->execute([json_encode(['batch 1', 'batch 2'])]);
    $batch = $insert->fetchAll(PDO::FETCH_KEY_PAIR);

    // A block of IDs beforehand.
    $select = $pdo->prepare('SELECT next_ids(?)');
    $select->execute([2]);
    $block = $select->fetchAll(PDO::FETCH_COLUMN);
    $insert = $pdo->prepare('INSERT INTO photo (id, title) VALUES (?, ?)');
    foreach ($block as $n => $each) {
        $insert->execute([$each, 'block ' . ($n + 1)]);
    }
    // End.

    foreach (['one' => $id] + $batch + ['block 1' => $block[0], 'block 2' => $block[1]] as $title => $each) {
        is_int($each) or exit("$title: not an int");
        echo "$title\t$each\n";
    }
    foreach ($pdo->query('SELECT photo_id FROM comment ORDER BY photo_id') as [$photo]) {
        echo "comment\t$photo\n";
    }
    $select = $pdo->prepare('SELECT title FROM photo WHERE id = ?');
    $select->execute([$id]);
    echo "found\t{$select->fetchColumn()}\n";

    $select = $pdo->prepare('SELECT id FROM photo WHERE id >= ? AND id < id_settled() ORDER BY id');
    for ($begin = 0, $seen = 0; $seen < 5;) {
        $select->execute([$begin]);
        foreach ($select as [$read]) {
            echo "read\t$read\n";
            [$begin, $seen] = [$read + 1, $seen + 1];
        }
    }
}

function kinds(PDO $pdo): void
{
    $pdo->exec('CREATE TABLE other (id serial PRIMARY KEY); INSERT INTO other DEFAULT VALUES');
    $pdo->exec('CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[])');

    $insert = $pdo->prepare('INSERT INTO album (title) VALUES (?) RETURNING id');
    $insert->execute(['one']);
    $id = $insert->fetchColumn();  // a string of 11 characters

    // In docs/clients/php.md:
    // An array goes in as text, and comes back as JSON.
    $pictures = $pdo->query('SELECT next_ids(2)::id64')->fetchAll(PDO::FETCH_COLUMN);
    $update = $pdo->prepare('UPDATE album SET pictures = ? WHERE id = ? RETURNING to_json(pictures)');
    $update->execute(['{' . implode(',', $pictures) . '}', $id]);
    $stored = json_decode($update->fetchColumn());
    // End.

    $insert->execute(['two']);
    echo json_encode(['album' => $id, 'pictures' => $pictures, 'stored' => $stored, 'last' => $pdo->lastInsertId(),
        'version' => PHP_VERSION]);
}
