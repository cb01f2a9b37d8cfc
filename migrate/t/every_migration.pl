# A transaction of a migration that was handed IDs before its machine was copied with its memory is not committed after
# it: by the one maker of idgen_migrate in every way, and by the procedures that call it. What they had begun goes on.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../test/t/lib";
use DBD::Pg qw(:async);
use IdgenHost;
use IdgenMakers;
use IdgenNode;
use Test::More;

# Each volatile function is a maker, with a call, or none, by the reason.
my %makers = ('idgen_migrate.new_ids' => 'idgen_migrate.new_ids(3, idgen.own_shards(), idgen.instagram())');
my %others = (
	'calls new_ids, below'                    => [ map { "idgen_migrate.$_" } qw(fill backfill switch_serial replace_serial uuid_start) ],
	'makes IDs of times, the same for a row'  => ['idgen_migrate.free_ids'],
	'reads'                                   => [ map { "idgen_migrate.$_" } qw(rows_per_page rank findings row_findings largest_findings citus_row_findings left_because "check" plan require require_for is_allowed idle_passes) ],
	'locks'                                   => [ map { "idgen_migrate.$_" } qw(hold lock_tables lock_views set_lock_timeout) ],
	'enters what was done'                    => [ map { "idgen_migrate.$_" } qw(begin_backfill enter record leave) ],
	'alters tables'                           => [ map { "idgen_migrate.$_" } qw(set_default add_column make_trigger add_guard add_reference switch_key drop_helpers finish_move abandon_move prove
		rename_columns start_move widen_columns) ],
	'copies IDs to references'                => ['idgen_migrate.fill_links'],
	'calls these, in transactions of its own' => [ map { "idgen_migrate.$_" } qw(link uuid_link uuid_switch uuid_finish uuid_abandon uuid_rename adopt refuse_block try step) ]);

my $node = start_told('migrate', conf => [ q{idgen.shards = '5'}, 'idgen.on_copy = warn', 'idgen.max_wait = 30s', 'autovacuum = off', conf_of_ways() ]);
my $session = connect_to($node);
$session->do('CREATE EXTENSION idgen_migrate');
my @makers = makers_of($session, ['idgen_migrate'], \%makers, \%others);
begin_ways($session, @makers);
my $generation = 0;
my $copy = sub { resume($node, ++$generation) };
walk_ways($node, $copy, @makers);
walk_controls($node, $copy, @makers);

# A procedure that waits for another session when the machine is copied; then it is called again.
sub goes_on
{
	my ($what, $lock, $call, $after) = @_;
	my $locker = connect_to($node);
	$locker->do('BEGIN');
	$locker->do($lock);
	my $mover = connect_to($node);
	$mover->do($call, { pg_async => PG_ASYNC });
	wait_until($session, "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $mover->{pg_pid} AND NOT granted)");
	$copy->();
	$locker->do('COMMIT');
	is_refused($mover, sub { $mover->pg_result }, $what);
	ok(eval { $mover->do($call) }, "$what: called again, it goes on") or diag($@);
	is(value_of($session, $after), 1, "$what: to its end");
	$_->disconnect for $locker, $mover;
	return;
}

# The second batch of a backfill without times, which waits for a row.
$session->do($_) for 'CREATE TABLE filled AS SELECT n, NULL::bigint AS id FROM generate_series(1, 100) AS n', 'CREATE UNIQUE INDEX ON filled (id)';
goes_on('backfill', 'SELECT FROM filled WHERE n = 60 FOR UPDATE', q{CALL idgen_migrate.backfill('filled', 'id', NULL, idgen.own_shards(), batch => 50)},
	'SELECT (count(id) = 100)::int FROM filled');

# Steps that alter a table, which wait in an event trigger.
$session->do($_) for 'CREATE FUNCTION wait_at_gate() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM public.gate; END $$',
  q{CREATE EVENT TRIGGER waits ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION wait_at_gate()},
  'CREATE TABLE counted (id bigserial PRIMARY KEY)', 'CREATE TABLE moved (id uuid PRIMARY KEY DEFAULT gen_random_uuid())';
goes_on('replace_serial', 'LOCK TABLE gate', q{CALL idgen_migrate.replace_serial('counted', 'id', lock_wait => '1 h')},
	q{SELECT (pg_get_expr(adbin, adrelid) ~ 'next_id')::int FROM pg_attrdef WHERE adrelid = 'counted'::regclass});
goes_on('uuid_start', 'LOCK TABLE gate', q{CALL idgen_migrate.uuid_start('moved', 'new_id', lock_wait => '1 h')},
	q{SELECT count(*) FROM pg_attribute WHERE attrelid = 'moved'::regclass AND attname = 'new_id'});

done_testing;
