<?php
// Eloquent without Laravel, connected by the environment. Gives its schema builder.
require 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager;

$manager = new Manager();
$manager->addConnection(['driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'username' => getenv('PGUSER'), 'database' => getenv('PGDATABASE')]);
$manager->setAsGlobal();
$manager->bootEloquent();
return Manager::schema();
