<?php
// Doctrine: a generator that asks the database. Prints as psycopg/app.py does, and what is wrong with IDENTITY into STDERR.
require 'Doctrine/ORM/autoload.php';
require 'Symfony/Component/Cache/autoload.php';

// In docs/clients/php.md:
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;

class NextId extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $em, ?object $entity): mixed
    {
        return $em->getConnection()->fetchOne('SELECT next_id()');
    }
}

#[ORM\Entity, ORM\Table(name: 'photo')]
class Photo
{
    #[ORM\Id, ORM\Column(type: 'bigint', options: ['default' => 'next_id()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: NextId::class)]
    public ?int $id = null;

    #[ORM\Column(type: 'text')]
    public string $title;
}

#[ORM\Entity, ORM\Table(name: 'comment')]
class Comment
{
    #[ORM\Id, ORM\Column(type: 'bigint', options: ['default' => 'next_id()'])]
    #[ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: NextId::class)]
    public ?int $id = null;

    // Doctrine would give this column the default, too.
    #[ORM\ManyToOne, ORM\JoinColumn(options: ['default' => null])]
    public ?Photo $photo = null;
}
// End.

use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

$config = ORMSetup::createAttributeMetadataConfiguration([__DIR__], true);
// In docs/clients/php.md:
// Doctrine's schema tools take idgen's sequences for yours, and want to drop them.
$config->setSchemaAssetsFilter(
    fn ($asset) => !preg_match('/^idgen(_\w+)?\./', is_string($asset) ? $asset : $asset->getName()));
// End.
$connection = DriverManager::getConnection(
    ['driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE')],
    $config);
$em = new EntityManager($connection, $config);
$tool = new SchemaTool($em);
$classes = [$em->getClassMetadata(Photo::class), $em->getClassMetadata(Comment::class)];
$tool->updateSchema($classes);
$second = $tool->getUpdateSchemaSql($classes);
$second === [] or exit(print_r($second, true));

// In docs/clients/php.md:
$photo = new Photo();
$photo->title = 'one';
$comment = new Comment();
$comment->photo = $photo;
$em->wrapInTransaction(function ($em) use ($photo, $comment) {
    $em->persist($photo);  // $photo->id is set
    $em->persist($comment);
});
// End.

// Many rows without entities: one statement, and their IDs.
$batch = $connection->fetchAllKeyValue(
    'INSERT INTO photo (title) SELECT json_array_elements_text(?) RETURNING title, id',
    [json_encode(['batch 1', 'batch 2', 'batch 3', 'batch 4'])]);
$em->persist(new Comment());
$em->flush();
$em->clear();

foreach (['one' => $photo->id] + $batch as $title => $id) {
    is_int($id) or exit("$title: not an int");
    echo "$title\t$id\n";
}
foreach ($em->getRepository(Comment::class)->findBy([], ['id' => 'ASC']) as $each) {
    echo "comment\t{$each->photo?->id}\n";
}
echo "found\t{$em->find(Photo::class, $photo->id)->title}\n";
for ($begin = 0, $seen = 0; $seen < 5;) {
    foreach ($connection->iterateColumn('SELECT id FROM photo WHERE id >= ? AND id < id_settled() ORDER BY id', [$begin]) as $read) {
        echo "read\t$read\n";
        [$begin, $seen] = [$read + 1, $seen + 1];
    }
}
