<?php
// Doctrine: keys that are id64, and what IDENTITY and no filter lead to. Prints as JSON what it made and read.
require 'Doctrine/ORM/autoload.php';
require 'Symfony/Component/Cache/autoload.php';

// In docs/clients/php.md:
use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Types\Type;

class Id64 extends Type
{
    public function getSQLDeclaration(array $column, AbstractPlatform $platform): string
    {
        return 'id64';
    }
}

Type::addType('id64', Id64::class);
// End.

use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\ORMSetup;
use Doctrine\ORM\Tools\SchemaTool;

class NextId64 extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $em, ?object $entity): mixed
    {
        return $em->getConnection()->fetchOne('SELECT next_id()::id64');
    }
}

#[ORM\Entity, ORM\Table(name: 'album')]
class Album
{
    #[ORM\Id, ORM\Column(type: 'id64'), ORM\GeneratedValue(strategy: 'CUSTOM'), ORM\CustomIdGenerator(class: NextId64::class)]
    public ?string $id = null;

    #[ORM\ManyToOne]
    public ?Album $within = null;
}

#[ORM\Entity, ORM\Table(name: 'wrong')]
class Wrong
{
    #[ORM\Id, ORM\Column(type: 'bigint'), ORM\GeneratedValue(strategy: 'IDENTITY')]
    public ?int $id = null;
}

function manager(bool $filters): EntityManager
{
    $config = ORMSetup::createAttributeMetadataConfiguration([__DIR__], true);
    if ($filters) {
        $config->setSchemaAssetsFilter(fn ($asset) => !preg_match('/^idgen/', is_string($asset) ? $asset : $asset->getName()));
    }
    $connection = DriverManager::getConnection(
        ['driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'user' => getenv('PGUSER'), 'dbname' => getenv('PGDATABASE')],
        $config);
    // In docs/clients/php.md:
    $connection->getDatabasePlatform()->registerDoctrineTypeMapping('id64', 'id64');
    // End.
    return new EntityManager($connection, $config);
}

$em = manager(true);
$tool = new SchemaTool($em);
$classes = [$em->getClassMetadata(Album::class)];
$tool->updateSchema($classes);
$second = $tool->getUpdateSchemaSql($classes);
[$outer, $inner] = [new Album(), new Album()];
$em->persist($outer);
$inner->within = $outer;
$em->persist($inner);
$em->flush();
$em->clear();
$found = $em->find(Album::class, $inner->id);

$connection = $em->getConnection();
$connection->executeStatement('CREATE TABLE wrong (id bigint PRIMARY KEY DEFAULT next_id())');
$wrong = new Wrong();
$errors = [];
try {
    $em->persist($wrong);
    $em->flush();
} catch (Throwable $error) {
    $errors[] = $error->getMessage();
}
$em = manager(true);
$em->getConnection()->executeStatement('CREATE TABLE other (id serial PRIMARY KEY); INSERT INTO other DEFAULT VALUES');
$wrong = new Wrong();
$em->persist($wrong);
$em->flush();

$em = manager(false);
echo json_encode(['second' => $second, 'id' => $inner->id, 'within' => $found->within->id, 'outer' => $outer->id,
    'top' => $em->find(Album::class, $outer->id)->within, 'errors' => $errors, 'wrong' => $wrong->id,
    'unfiltered' => (new SchemaTool($em))->getUpdateSchemaSql([$em->getClassMetadata(Album::class)]),
    'identity' => (new SchemaTool($em))->getCreateSchemaSql([$em->getClassMetadata(Wrong::class)])]);
