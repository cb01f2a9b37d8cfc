<?php
// Eloquent: keys that are id64. Prints as JSON what it made and read.
use Illuminate\Database\Capsule\Manager as DB;
use Illuminate\Database\Eloquent\Model;

$schema = require 'eloquent_connection.php';

// In docs/clients/php.md:
use Illuminate\Database\Schema\Grammars\PostgresGrammar;

PostgresGrammar::macro('typeId64', fn () => 'id64');

$schema->create('album', function ($table) {
    $table->addColumn('id64', 'id')->primary()->default(DB::raw('next_id()'));
    $table->addColumn('id64', 'within')->nullable();
});

class Album extends Model
{
    protected $table = 'album';
    protected $keyType = 'string';
    public $incrementing = false;
    public $usesUniqueIds = true;
    public $timestamps = false;

    public function uniqueIds()
    {
        return ['id'];
    }

    public function newUniqueId()
    {
        return DB::scalar('SELECT next_id()::id64');
    }
}
// End.

// What Eloquent makes of a key that the DEFAULT made.
class Asked extends Model
{
    protected $table = 'asked';
    protected $keyType = 'string';
    public $timestamps = false;
}
DB::statement("CREATE TABLE asked (id id64 PRIMARY KEY DEFAULT '4e000000001')");

class Photo extends Model
{
    protected $table = 'photo';
    protected $casts = ['id' => 'string'];
    public $timestamps = false;
}
DB::statement('CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id())');
$photo = new Photo();
$photo->save();

[$outer, $inner] = [new Album(), new Album()];
$outer->save();
$inner->within = $outer->id;
$inner->save();
$asked = new Asked();
$asked->save();
echo json_encode(['outer' => $outer->id, 'inner' => $inner->id, 'within' => Album::find($inner->id)->within,
    'top' => Album::find($outer->id)->within, 'found' => Album::whereIn('id', [$outer->id, $inner->id])->count(),
    'any' => DB::scalar('SELECT count(*) FROM album WHERE id = ANY(?)', ['{' . "$outer->id,$inner->id" . '}']),
    'rounded' => $asked->id, 'json' => json_encode($photo), 'photo' => DB::scalar('SELECT id::text FROM photo')]);
