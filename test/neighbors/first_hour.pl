# The first hour, typed as it is printed, on one server that has another library loaded: README's way into a server of
# one's own, into a schema of idgen's own; then a registry, monitoring, upgrading and taking it all out. Nothing fails
# or warns on the way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../registry/t/lib";
use HTTP::Tiny;
use IdgenEtcd;
use IdgenMachine;
use IdgenNode;
use IdgenPages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Writes a file anew.
sub write_file { my ($file, $text) = @_; unlink $file; return append_to_file($file, $text) }

my $node = start_node('first_hour', preload => 0, extension => 0, conf => ["shared_preload_libraries = 'pg_stat_statements'"]);
my $registry = start_node('registry', preload => 0, extension => 0);
my $listens = '127.0.0.2';
my $port = PostgreSQL::Test::Cluster::get_free_port();
my %here = (
	'localhost:9187' => "127.0.0.1:$port", '10.0.0.9' => $listens, '10.0.0.0/24' => '127.0.0.0/8', 'registry.example.com/' => "$listens:" . $registry->port . '/',
	'--database app --registry' => '--database app --replace-shards --registry');
my ($machine, $registrys) = map { IdgenMachine->new($_, installed => 1, replace => \%here) } $node, $registry;
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements; CREATE ROLE web LOGIN');

# README, with what it says for a server that has a library loaded, and for a schema of idgen's own.
$machine->types_readme(schema => 1);
is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'), 'pg_stat_statements' . ($node->pg_version < 17 ? ', idgen' : ''),
  'README adds idgen, where it must be there, to the libraries that were loaded before');
is($node->safe_psql('postgres', 'SELECT count(*) > 0 FROM pg_stat_statements'), 't',
	'a library that was loaded before README\'s steps works');
is($node->safe_psql('app', q{SELECT string_agg(DISTINCT pronamespace::regnamespace::text, ' ' ORDER BY pronamespace::regnamespace::text)
	FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid WHERE extname = 'idgen'}),
	'idgen ids', 'nothing of it lies in public');

# The tour, by a superuser as printed; and by a role that is none, without the two lines that README names.
my ($tour) = grep { $_->{section} eq 'Five minutes' } blocks('README');
$machine->types($tour, db => 'app');
$node->safe_psql('app', 'GRANT CREATE ON SCHEMA public TO web');
my $without_set = $tour->{text} =~ s/^SET .*\n//mgr;
is(scalar(() = $tour->{text} =~ /^SET /mg), 2, 'two lines of the tour begin with SET');
$machine->types($tour, db => 'app', role => 'web', text => $without_set);
my (undef, undef, $error) = $node->psql('app', 'SELECT ids.id_time(1); SET idgen.shards = 5', extra_params => [ '-U', 'web' ]);
like($error, qr/permission denied to set parameter "idgen.shards"/,
	'an ordinary role may not set the shards that the tour sets');

# A column of type id64, with the schema in the path and without.
$node->safe_psql('app', 'CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id())', extra_params => [ '-U', 'web' ]);
my ($where) = page('README') =~ /`(WHERE id = '\w{11}')` is an error/ or die 'no word of id64 in README';
my $album = "SELECT count(*) FROM album $where";
is($node->safe_psql('app', $album, extra_params => [ '-U', 'web' ]), 0, "$where finds its operator");
(undef, undef, $error) = $node->psql('app', "SET search_path = public; $album");
like($error, qr/operator does not exist: ids.id64 = unknown/, 'without the schema in the path id64 has no operator');
is($node->safe_psql('app', 'SET search_path = public; INSERT INTO album DEFAULT VALUES; SELECT ids.id_shard(ids.next_id())'), 5,
  'without the schema in the path DEFAULTs and full names work');

# A registry on another server. Whoever comes to it over the network needs a line of its own in pg_hba.conf.
unlink $registry->data_dir . '/pg_hba.conf';
append_to_file($registry->data_dir . '/pg_hba.conf', "local all all trust\n");
# The database has a shard by hand, from README.
$_->types_section('registry', 'Set-up: from nothing to three nodes') for $registrys, $machine;
$registrys->types_section('registry', "On the registry's server", input => "secret\n");
$machine->types_section('registry', 'On each node', input => "secret\n");
my $seen = $machine->types_section('registry', 'See that it works');
like($seen,
	qr/^ *\d{19}\n.*^ *shards *\| lease: 0; set by the server's configuration *\| *\n.*^ *lease *\| 0 chosen by the registry; [^|]*\| *\n.*^ *registry *\| answered last at [^;|]*\| *\n.*^ *0 \| \S+ *\| f$/ms,
	'the node has the first number') or die "no number, so nothing more to see\n";

# Every reason of the page, each brought about by what the page blames, is said by the row and by the log.
my $hba = slurp_file($registry->data_dir . '/pg_hba.conf');
my $pass = $node->data_dir . '/idgen-registry.pass';
my $password = slurp_file($pass);
my $admit = sub { write_file($registry->data_dir . '/pg_hba.conf', $_[0]); $registry->reload };
my $keep = sub { write_file($pass, $_[0]); chmod $_[1] // 0600, $pass or die "$pass: $!" };
my $said = sub { $registry->safe_psql(@_) };
# No database gets another name while a node is connected to it.
my $rename = sub {
	my ($from, $to) = @_;
	$said->('postgres', $_) for "ALTER DATABASE $from ALLOW_CONNECTIONS false", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$from'",
	  "ALTER DATABASE $from RENAME TO $to", "ALTER DATABASE $to ALLOW_CONNECTIONS true";
};
my %wrong = (
	'Connection refused'             => [ sub { $registry->stop }, sub { $registry->start } ],
	'no pg_hba.conf entry for host'  => [ sub { $admit->("local all all trust\n") }, sub { $admit->($hba) } ],
	'no password supplied'           => [ sub { $keep->($password, 0640) }, sub { $keep->($password) } ],
	'password authentication failed' => [ sub { $keep->($password =~ s/secret/guess/r) }, sub { $keep->($password) } ],
	'database "registry" does not exist' => [ sub { $rename->('registry', 'other') }, sub { $rename->('other', 'registry') } ],
	'schema "idgen_registry" does not exist' => [ map { my $sql = "ALTER SCHEMA $_"; sub { $said->('registry', $sql) } } 'idgen_registry RENAME TO other', 'other RENAME TO idgen_registry' ],
	'permission denied' => [ map { my $sql = $_; sub { $said->('postgres', $sql) } } 'REVOKE idgen_node FROM photos', 'GRANT idgen_node TO photos' ],
	'the extension idgen_lease is not in database' => [ map { my $sql = "$_ EXTENSION idgen_lease"; sub { $node->safe_psql('postgres', $sql) } } 'DROP', 'CREATE' ]);
my %look_at = page('registry') =~ /^\| `([^`]*)` \| (.+) \|$/mg;
is_deeply([ sort grep { $look_at{$_} } keys %wrong ], [ sort keys %wrong ], 'the reasons of the page');
for my $reason (sort keys %wrong)
{
	my ($break, $mend) = @{ $wrong{$reason} };
	my $logged = -s $node->logfile;
	$break->();
	$machine->run([ 'systemctl', 'restart', 'postgresql' ]) or die $machine->{error};
	my $row = q{SELECT value FROM idgen.status() WHERE key = 'registry'};
	ok($node->poll_query_until('app', "SELECT ($row) ~ '" . quotemeta($reason) . "'"), "$reason: the row says so")
	  or diag($node->safe_psql('app', $row));
	my $lines = slurp_file($node->logfile, $logged);
	like($lines, qr/LOG:  shards of this server cannot be kept now: .*\Q$reason\E/, "$reason: the log says so");
	like($lines, qr/password file .* has group or world access/,
	  "$reason: the log warns of the mode of the password file") if $reason =~ /no password/;
	$mend->();
}
$machine->run([ 'systemctl', 'restart', 'postgresql' ]) or die $machine->{error};
# A number that could not be given up, since the registry was away, is held as long as its lease lasts.
my $number = $node->safe_psql('app', 'SELECT id_shard(next_id())');
is($number, $registry->safe_psql('registry', 'SELECT number FROM idgen_registry.list() WHERE NOT is_free ORDER BY since DESC LIMIT 1'),
  'IDs go on when every fault is mended');

# Monitoring: the exporter runs as the page sets it up, and Prometheus would start.
$machine->unit('prometheus-postgres-exporter', sprintf '. %s; export DATA_SOURCE_NAME; exec prometheus-postgres-exporter --web.listen-address=127.0.0.1:%d $ARGS',
	$machine->file('/etc/default/prometheus-postgres-exporter'), $port);
$machine->unit('prometheus', sprintf 'promtool check config %s', $machine->file('/etc/prometheus/prometheus.yml'));
append_to_file($machine->file('/etc/prometheus/prometheus.yml'), $machine->as_here(block('monitoring', 'Prometheus', 'yaml')));
$machine->types_section('monitoring', 'Prometheus');
my $metrics = '';
for (1 .. 1500)
{
	$metrics = HTTP::Tiny->new(timeout => 20, no_proxy => ['127.0.0.1'])->get("http://127.0.0.1:$port/metrics")->{content} // '';
	last if $metrics =~ /^idgen_status_ok/m;
	select undef, undef, undef, 0.2;
}
like($metrics, qr/^idgen_status_ok\{datname="app",key="library",server="[^"]+"\} 1$/m,
	'the exporter reads the database');
like($metrics, qr/^pg_exporter_user_queries_load_error\{[^}]*\} 0$/m,
	'the exporter loads the queries that were put there');
$node->safe_psql('app', 'CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id()); INSERT INTO photo SELECT FROM generate_series(1, 1000)');
like($machine->types_section('monitoring', 'Checking the IDs of a column', db => 'app'),
	qr/^ *duplicates *\| 0 *\| t *\|/m, 'the IDs of a column are checked');
$node->safe_psql('app', 'DROP TABLE photo');
is_deeply([ IdgenMachine::untyped('monitoring', $machine) ], [], 'nothing of monitoring.md is left out');

# Upgrading, to the version that is there.
like($machine->types_section('installing', 'To a later version of idgen'),
	qr/^ *[\d.]+, loaded when the server started *\| t *\| *$/m, 'the library and the extension are of one version');

# Taking it out: what has its types first, of which docs_pages.pl runs the page's own text.
$node->safe_psql('app', 'DROP TABLE album');
$machine->types_section('installing', 'Shards from a registry');
ok(!-e $pass, 'the file of the password is gone');
is($registry->safe_psql('registry', "SELECT incarnation_hash IS NULL FROM idgen_registry.lease WHERE number = $number"),
	't', 'the number is given up');
my ($drop) = grep { $_->{section} eq 'The extensions' } blocks('installing');
$machine->types($drop, db => $_) for 'app', 'postgres';
my ($library, $database) = grep { $_->{section} eq 'The settings and the library' } blocks('installing');
$machine->types($library);
$registrys->types($database);
is($node->safe_psql('postgres', 'SHOW shared_preload_libraries'), 'pg_stat_statements',
	'uninstalling leaves the other library loaded');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_extension WHERE extname ~ 'idgen'}), 0, 'the extension is gone');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_settings WHERE name ~ '^idgen'}), 0,
	'uninstalling leaves no setting of the extension');
is($node->safe_psql('postgres', 'SELECT setdatabase, setrole::regrole, setconfig FROM pg_db_role_setting'), '0|prometheus|{"search_path=pg_catalog, pg_temp"}',
	'uninstalling leaves no setting of a database or role, but the path of the one that monitored');
is($node->safe_psql('app', q{SELECT count(*) FROM pg_namespace WHERE nspname ~ 'idgen'}), 0,
	'uninstalling leaves no schema of the administration');
is($node->safe_psql('app', 'DROP SCHEMA ids; SELECT 1'), 1, 'the schema that held the extension can go');
is($registry->safe_psql('postgres', q{SELECT string_agg(rolname || ' ' || rolcanlogin, ' ') FROM pg_roles WHERE rolname IN ('photos', 'idgen_node')}), 'idgen_node false',
  'the role that is left at the registry cannot log in');
is($registry->safe_psql('postgres', 'CREATE EXTENSION idgen_registry; SELECT count(*) FROM idgen_registry.creation'), 1,
  'a new registry can be made after uninstalling');
$_->stop for $node, $registry;

# A server that loads nothing else, set up as installing.md ends; and a registry in an etcd.
my ($plain, $by_hand) = map { start_node($_, preload => 0, extension => 0) } 'plain', 'by_hand';
my $etcd = IdgenEtcd->start;
my %of_etcd = ('etcd1:2379,etcd2:2379,etcd3:2379' => $etcd->address, '--database app --registry' => '--database app --replace-shards --registry');
my $other = IdgenMachine->new($plain, installed => 1, replace => \%of_etcd);
$other->types_section('installing', 'Then');
$by_hand->safe_psql('postgres', 'CREATE DATABASE app');
my $hand = IdgenMachine->new($by_hand, installed => 1);
$hand->types_section('installing', 'By hand', db => 'app');
is($_->safe_psql('app', 'SELECT id_shard(next_id())'), 5, $_->name . ': the server makes IDs of its shard') for $plain, $by_hand;
$by_hand->stop;
$other->types_section('registry', 'Set-up with etcd');
like($other->types_section('registry', 'See that it works'),
	qr/^ *registry *\| answered last at [^;|]*\| *\n.*^ *0 \| \S+ *\| f$/ms, 'etcd gives it a number');
is_deeply([ IdgenMachine::untyped('registry', $machine, $registrys, $other) ], [],
	'nothing of registry.md is left out');
# Other systems' ways to install it, and what docs_pages.pl types.
my $elsewhere = qr/^(?:Installing,|From source|Debian|Fedora|A folder|Docker|CloudNativePG|Into a database|What calls|Columns)/;
is_deeply([ grep { !/$elsewhere/ } IdgenMachine::untyped('installing', $machine, $registrys, $other, $hand) ], [],
	'nothing of installing.md is left out');

done_testing();
