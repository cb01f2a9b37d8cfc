# docs/migration.md, the move from uuid keys, beside an application that never stops: its old release knows the uuid,
# its new one the ID, both by the same names and statements. Every block of the page runs as printed. No client meets an
# error, no row is lost, no ID is made twice.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use IdgenNode;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# A client that waits for a step, and a step for the client: the step gives up first, however slow the machine is.
my $node = start_node('migrate_live', extension => 0, conf => [ "idgen.shards = '5'", q{deadlock_timeout = '1min'} ]);
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE app OWNER app');
$node->safe_psql('app', 'CREATE EXTENSION idgen; CREATE EXTENSION idgen_migrate');

my ($section) = slurp_file("$FindBin::Bin/../../docs/migration.md") =~ /^## From uuid or integer keys\n(.*?)^## /ms;
my ($tables, $columns, $views, $switch, $finish, $drop_views, @more) = $section =~ /^```sql\n(.*?)^```/msg;
ok($drop_views && !@more, 'the page has six blocks');
my ($go_back) = $section =~ /^\*\*Until step 6, you can go back\.\*\*.*?\n\n((?:    .*\n)+)/m or die 'the page does not say how to go back';
my ($new_path) = $views =~ /^-- 5\. .*: (SET search_path = .*)$/m or die 'the page does not say how the new release connects';

# Runs a block as somebody pastes it; no line of a check may say no.
sub run_block
{
	my ($block, $what) = @_;
	my ($status, $out, $error) = $node->psql('app', "SET client_min_messages = warning;\n$block", on_error_stop => 1, extra_params => [ '-U', 'app' ]);
	is("$status $error", '0 ', "$what: no error");
	unlike($out, qr/^f\|/m, "$what: no check says no");
	return;
}

my $root = connect_to($node, db => 'app');
my $dir = $node->basedir;
run_block($tables, 'tables');
$root->do('CREATE TABLE public.turn (client text PRIMARY KEY, n int NOT NULL)');
$root->do('GRANT ALL ON public.turn TO app');

# A client writes down what it has committed: each title with the group of those in one album; each album with its ID;
# what it has deleted. It says it at its end, and every error when it comes.
my $count = 0;
sub begin_client
{
	my ($release, $path) = @_;
	my $name = $release . ++$count;
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	return { name => $name, pid => $pid } if $pid;
	my $done = eval { work($name, $path, $parent); 1 };
	append_to_file("$dir/errors", "$name: $@") unless $done;
	POSIX::_exit($done ? 0 : 1);
}

sub work
{
	my ($name, $path, $parent) = @_;
	my (%group_of, %id_of, @deleted);
	my $own = connect_to($node, db => 'app', user => 'app');
	$own->do("$path; SET idgen.max_wait = '1min'");
	my $all = $own->prepare('SELECT * FROM track WHERE album_id = ?', { pg_server_prepare => 1, pg_switch_prepared => 1 }) if $name =~ /^new/;
	my $last;
	$own->do('INSERT INTO public.turn VALUES (?, 0)', undef, $name);
	for (my $turn = 1; getppid == $parent && !-e "$dir/$name.stop"; $turn++)
	{
		my $group = "$name-$turn";
		# An album and its tracks, together.
		$own->begin_work;
		my $id = value_of($own, 'INSERT INTO album (created_at) VALUES (clock_timestamp()) RETURNING id');
		$own->do('INSERT INTO track (album_id, title) VALUES (?, ?), (?, ?)', undef, $id, "$group-0", $id, "$group-1");
		$own->commit;
		@group_of{ "$group-0", "$group-1" } = ($group, $group);
		$id_of{$group} = $id;
		# They are there, by the key that this client knows.
		my $found = value_of($own, q{SELECT count(*) FROM album a JOIN track t ON t.album_id = a.id WHERE a.id = ? AND t.title ~ ?}, $id, "^$group-[01]\$");
		die "$group has $found tracks\n" unless $found == 2;
		die "$group: SELECT * has too few\n" if $all && $all->execute($id) < 2;
		# A track of the newest album, whoever made it, and of one that was there before.
		$own->do(q{INSERT INTO track (album_id, title) SELECT id, ? FROM album ORDER BY created_at DESC LIMIT 1}, undef, "$group-newest");
		$own->do(q{INSERT INTO track (album_id, title) SELECT id, ? FROM album WHERE created_at = '2024-01-01'::timestamptz + ? * interval '1 hour'}, undef, "$group-old", 1 + $turn % 500);
		@group_of{ "$group-newest", "$group-old" } = ('', '');
		# A track that moves to the album before.
		if ($last && $turn % 2)
		{
			$own->do('SELECT id FROM album WHERE id = ? FOR UPDATE', undef, $id_of{$last});
			my $rows = $own->do('UPDATE track SET album_id = ? WHERE title = ?', undef, $id_of{$last}, "$group-0");
			die "$group: $rows rows moved\n" unless $rows == 1;
			$group_of{"$group-0"} = $last;
		}
		# An album that goes, and its track with it; and one that is there already.
		if ($turn % 3 == 0)
		{
			my $gone = value_of($own, q{INSERT INTO album (created_at) VALUES ('2025-01-01') RETURNING id});
			$own->do('INSERT INTO track (album_id, title) VALUES (?, ?)', undef, $gone, "$group-gone");
			$own->do('DELETE FROM album WHERE id = ?', undef, $gone);
			push @deleted, "$group-gone";
			my $rows = $own->do('INSERT INTO album (id) VALUES (?) ON CONFLICT (id) DO NOTHING', undef, $id);
			die "$group: the same key is inserted again\n" if $rows != 0;
		}
		$last = $group;
		$own->do('UPDATE public.turn SET n = ? WHERE client = ?', undef, $turn, $name);
		sleep 0.002;
	}
	append_to_file("$dir/$name.titles", join '', map { "$_\t$group_of{$_}\n" } sort keys %group_of);
	append_to_file("$dir/$name.albums", join '', map { "$_\t$id_of{$_}\n" } sort keys %id_of);
	append_to_file("$dir/$name.deleted", join '', map { "$_\n" } @deleted);
	return;
}

# Waits until each of these has taken some turns more; a client that has met an error takes none.
sub let_work
{
	my ($what, @clients) = @_;
	my $names = join ',', map { "'$_->{name}'" } @clients;
	my $turns = sub { return $root->selectall_hashref("SELECT client, n FROM turn WHERE client IN ($names)", 'client') };
	my $before = $turns->();
	for (1 .. 30_000)
	{
		last if -e "$dir/errors";
		my $now = $turns->();
		last unless grep { ($now->{ $_->{name} }{n} // 0) < ($before->{ $_->{name} }{n} // 0) + 10 } @clients;
		sleep 0.01;
	}
	my $met = -e "$dir/errors" ? slurp_file("$dir/errors") : '';
	is($met, '', "$what: no client has met an error");
	die $met if $met;
	return;
}

my %is_ended;
sub end_clients
{
	my (@clients) = @_;
	for (@clients)
	{
		append_to_file("$dir/$_->{name}.stop", '');
		waitpid $_->{pid}, 0;
		is($?, 0, "$_->{name} ends well");
		$is_ended{ $_->{name} } = 1;
	}
	return;
}

# What the clients that have ended wrote is there: each title once, those of a group in one album and no other's in it;
# what they deleted is not.
sub all_is_there
{
	my ($what) = @_;
	$root->do('CREATE TEMP TABLE written (title text, of text)');
	$root->do('CREATE TEMP TABLE deleted (title text)');
	for my $name (sort keys %is_ended)
	{
		$root->do('INSERT INTO written VALUES (?, ?)', undef, split /\t/, $_, -1) for split /\n/, slurp_file("$dir/$name.titles");
		$root->do('INSERT INTO deleted VALUES (?)', undef, $_) for split /\n/, slurp_file("$dir/$name.deleted");
	}
	is(value_of($root, 'SELECT count(*) FROM written w WHERE (SELECT count(*) FROM track t WHERE t.title = w.title) <> 1'),
		0, "$what: every track is there once");
	is(value_of($root, 'SELECT count(*) FROM deleted w JOIN track t USING (title)'), 0,
		"$what: what was deleted is not");
	is(value_of($root, q{SELECT count(*) FROM (SELECT of FROM written JOIN track USING (title) WHERE of <> '' GROUP BY of HAVING count(DISTINCT album_id) <> 1) x}),
		0, "$what: tracks of one album are in one album");
	is(value_of($root, q{SELECT count(*) FROM (SELECT album_id FROM written JOIN track USING (title) WHERE of <> '' GROUP BY album_id HAVING count(DISTINCT of) <> 1) x}),
		0, "$what: and no other's");
	is(value_of($root, q{SELECT count(*) FROM track WHERE title ~ '^track [1-5]$'}), 2500,
		"$what: the rows of before are there");
	is(value_of($root, 'SELECT count(*) FROM track t WHERE NOT EXISTS (SELECT FROM album a WHERE a.id = t.album_id)'),
		0, "$what: no reference leads nowhere");
	is(value_of($root, 'SELECT count(*) - count(DISTINCT id) FROM album'), 0, "$what: no key is there twice");
	$root->do('DROP TABLE written, deleted');
	return;
}

my $shape = q{SELECT string_agg(attname || ' ' || format_type(atttypid, NULL), ', ' ORDER BY attrelid::regclass::text, attname COLLATE "C") FROM pg_attribute WHERE attrelid IN ('album'::regclass, 'track'::regclass) AND attnum > 0 AND NOT attisdropped};
my $left_over = q{SELECT (SELECT count(*) FROM pg_trigger WHERE tgname ~ 'idgen') + (SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%') + (SELECT count(*) FROM pg_constraint WHERE conname LIKE 'idgen_filled%')};
my $foreign_keys = q{SELECT string_agg(pg_get_constraintdef(oid) || convalidated, ', ') FROM pg_constraint WHERE contype = 'f' AND conrelid = 'track'::regclass};
my $before = value_of($root, $shape);

# There, and back again.
my @old = map { begin_client('old', 'SET search_path = public') } 1 .. 2;
let_work('before', @old);
run_block($columns, 'steps 1 to 4');
let_work('linked', @old);
run_block($views, 'step 5');
my @new = map { begin_client('new', $new_path) } 1 .. 2;
let_work('both releases', @old, @new);
end_clients(@new);
run_block($go_back, 'back');
let_work('back', @old);
is(value_of($root, $shape), $before, 'back: the tables are as they were');
is(value_of($root, $left_over), 0, 'back: nothing is left over');
is(value_of($root, $foreign_keys), 'FOREIGN KEY (album_id) REFERENCES album(id) ON DELETE CASCADEtrue',
	'back: the foreign key too');
all_is_there('back');

# There for good.
run_block($columns, 'steps 1 to 4 again');
run_block($views, 'step 5 again');
@new = map { begin_client('new', $new_path) } 1 .. 2;
let_work('both releases again', @old, @new);
run_block($switch, 'step 6');
let_work('switched', @old, @new);
end_clients(@old);
all_is_there('the old release has ended');
run_block($finish, 'step 7');
let_work('renamed', @new);
my @last = map { begin_client('last', 'SET search_path = public') } 1 .. 2;
let_work('with and without views', @new, @last);
end_clients(@new);
run_block($drop_views, 'step 8');
$root->do($_) for 'DROP EXTENSION idgen_migrate', 'DROP SCHEMA idgen_migrate';
let_work('dropped', @last);
end_clients(@last);

all_is_there('at the end');
is(value_of($root, $shape), 'created_at timestamp with time zone, id bigint, album_id bigint, title text',
	'at the end: the columns');
is(value_of($root, $left_over), 0, 'at the end: nothing is left over');
is(value_of($root, $foreign_keys), 'FOREIGN KEY (album_id) REFERENCES album(id) ON DELETE CASCADEtrue',
	'at the end: the foreign key');
is(value_of($root, q{SELECT string_agg(pg_get_constraintdef(oid), ', ') FROM pg_constraint WHERE contype IN ('p', 'u') AND conrelid = 'album'::regclass}),
	'PRIMARY KEY (id)', 'at the end: the primary key');
is(value_of($root, 'SELECT count(*) FROM track WHERE album_id IS NULL'), 0, 'at the end: every track has its album');

# Each ID that a client was given is that of its album, and none was given twice, not even before the way back.
my %given;
for my $name (grep { !/^old/ } sort keys %is_ended)
{
	my %id_of = map { split /\t/ } split /\n/, slurp_file("$dir/$name.albums");
	is(repeated(\%given, values %id_of), 0, "$name: its IDs are nobody else's");
}
for my $client (@new, @last)
{
	my %id_of = map { split /\t/ } split /\n/, slurp_file("$dir/$client->{name}.albums");
	my $groups = [ sort keys %id_of ];
	is(value_of($root, 'SELECT count(*) FROM unnest(?::text[], ?::bigint[]) AS g(name, id) JOIN track t ON t.title = g.name || $$-1$$ WHERE t.album_id = g.id', $groups, [ @id_of{@$groups} ]),
		scalar @$groups, "$client->{name}: its albums have the IDs that it was given");
}

$root->disconnect;
done_testing();
