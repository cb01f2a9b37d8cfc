<?php
// Eloquent, without Laravel: the migration gives the DEFAULT, the model reads it back. Prints as psycopg/app.py does.
use Illuminate\Database\Capsule\Manager as DB;
use Illuminate\Database\Eloquent\Model;

$schema = require 'eloquent_connection.php';

// In docs/clients/php.md:
$schema->create('photo', function ($table) {
    $table->bigInteger('id')->primary()->default(DB::raw('next_id()'));
    $table->text('title');
});
$schema->create('comment', function ($table) {
    $table->bigInteger('id')->primary()->default(DB::raw('next_id()'));
    $table->foreignId('photo_id')->nullable()->constrained('photo');
});

class Photo extends Model
{
    protected $table = 'photo';
    protected $fillable = ['title'];
    public $timestamps = false;
}
// End.

class Comment extends Model
{
    protected $table = 'comment';
    protected $fillable = ['photo_id'];
    public $timestamps = false;
}

// In docs/clients/php.md:
$photo = Photo::create(['title' => 'one']);  // $photo->id is set, an int
$comment = Comment::create(['photo_id' => $photo->id]);

// insert() returns no IDs: take a block.
$block = array_column(DB::select('SELECT next_ids(?) AS id', [4]), 'id');
Photo::insert(array_map(fn ($id, $n) => ['id' => $id, 'title' => "block $n"], $block, [1, 2, 3, 4]));
// End.
Comment::create();

echo "one\t{$photo->id}\n";
foreach ($block as $n => $id) {
    is_int($id) or exit('not an int');
    echo 'block ', $n + 1, "\t$id\n";
}
foreach (Comment::orderBy('id')->get() as $each) {
    echo "comment\t{$each->photo_id}\n";
}
echo "found\t{$photo->find($photo->id)->title}\n";
for ($begin = 0, $seen = 0; $seen < 5;) {
    foreach (Photo::where('id', '>=', $begin)->where('id', '<', DB::raw('id_settled()'))->orderBy('id')->get() as $read) {
        echo "read\t{$read->id}\n";
        [$begin, $seen] = [$read->id + 1, $seen + 1];
    }
}
