<?php
// PDO: keys that are id64, and what lastInsertId() says. Prints as JSON what it made and read.
$pdo = new PDO('pgsql:');
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
