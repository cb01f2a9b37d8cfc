# What the folder monitoring holds, with the real exporter and the real Prometheus: scraped, alerting, charted.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../registry/t/lib";
use Cwd qw(abs_path);
use DBD::Pg qw(:async);
use HTTP::Tiny;
use IdgenKeeper;
use IdgenNode;
use JSON::PP;
use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

my $folder = abs_path("$FindBin::Bin/../../monitoring");
my $tests = abs_path("$FindBin::Bin/../monitoring");
my $http = HTTP::Tiny->new(timeout => 20, no_proxy => ['127.0.0.1']);
my @started;
END { local $?; kill 'TERM', @started if @started; waitpid $_, 0 for @started }

# Starts a program that writes to a log; ended with this test.
sub begin
{
	my ($log, $environment, @command) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		@ENV{ keys %$environment } = values %$environment;
		open STDOUT, '>', $log or POSIX::_exit(1);
		open STDERR, '>&', \*STDOUT or POSIX::_exit(1);
		exec @command or POSIX::_exit(1);
	}
	push @started, $pid;
	return;
}

# Tries for a minute.
sub eventually
{
	my ($check, $what, $log) = @_;
	for (1 .. 1500)
	{
		return pass($what) if $check->();
		select undef, undef, undef, 0.2;
	}
	diag(slurp_file($log)) if $log;
	return fail($what);
}

# promtool finds nothing wrong with the rules.
for my $check ([ 'check', 'rules', "$folder/rules.yml" ], [ 'test', 'rules', "$tests/rules_test.yml" ])
{
	my $output = `promtool @$check 2>&1`;
	is($?, 0, "promtool $check->[0] $check->[1]") or diag($output);
}
my @alerts = slurp_file("$folder/rules.yml") =~ /- alert: (\w+)/g;
my $unit_tests = slurp_file("$tests/rules_test.yml");
like($unit_tests, qr/alertname: $_\n\s*exp_alerts:\n/, "$_ is tested to fire") for @alerts;
my $manual = slurp_file("$folder/../docs/monitoring.md");
like($manual, qr/`$_`/, "docs/monitoring.md has $_") for @alerts;

# A server that the exporter reads as the role of the manual, from a schema of the extension's own.
my $node = start_node('monitored', fake_clock => 1, extension => 0, conf => ["idgen.shards = '0-7'"]);
$node->safe_psql('postgres', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');
# Not before the extension is created: IDs begin that far ahead of the clock.
$node->safe_psql('postgres', q{ALTER SYSTEM SET idgen.max_lead = '60s'});
$node->reload;
my ($roles) = $manual =~ /^```sql\n(CREATE ROLE prometheus .*?)^```/ms or die 'no CREATE ROLE in the manual';
$node->safe_psql('postgres', $roles);
my $session = connect_to($node);
wait_until($session, q{SELECT current_setting('idgen.max_lead') = '1min'});
$session->do('SET search_path = ids');
$session->do('SELECT next_id_array(5000, 3)');

# Another one has a number from a registry, as a keeper says that is none.
my $leased = start_node('leased', init => { allows_streaming => 1 }, conf => [ "idgen.shards = 'lease'", "idgen.registry = 'postgresql://registry.example/registry'", "idgen.lease_window = '100s'" ]);
$leased->safe_psql('postgres', 'CREATE ROLE prometheus LOGIN IN ROLE pg_monitor');
my $keeper = connect_to($leased);
create_keeper($keeper);
registry_says($keeper, answered => 12_000);
hold($keeper, 17, 3_600_000);
counters_are($keeper, count => 3, in_trouble => 0, used => 79);

# And its standby, where nothing keeps numbers, as it should be.
$leased->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('leased_standby');
$standby->init_from_backup($leased, 'base', has_streaming => 1);
start_again($standby);
$leased->wait_for_catchup($standby);

my %port = map { $_ => PostgreSQL::Test::Cluster::get_free_port() } qw(exporter prometheus leased standby);
my $base = abs_path($node->basedir);

# Starts an exporter that reads a node.
sub export
{
	my ($from, $name) = @_;
	begin(
		"$base/$name.log",
		{ DATA_SOURCE_NAME => sprintf('user=prometheus host=%s port=%s dbname=postgres sslmode=disable', $from->host, $from->port) },
		'prometheus-postgres-exporter', "--web.listen-address=127.0.0.1:$port{$name}",
		"--extend.query-path=$folder/queries.yaml");
	return;
}
export($node, 'exporter');
export($leased, 'leased');
export($standby, 'standby');

sub metrics { my ($name) = @_; return $http->get("http://127.0.0.1:$port{ $name // 'exporter' }/metrics")->{content} // '' }
eventually(sub { metrics() =~ /^idgen_shard_ids_total/m }, 'the exporter has metrics of idgen', "$base/exporter.log")
  or die "no metrics\n";
my $metrics = metrics();
ok($metrics =~ /^pg_exporter_last_scrape_error 0$/m, 'the exporter scrapes without an error');
ok($metrics =~ /^idgen_shard_ids_total\{datname="postgres",layout="instagram",server="[^"]+",shard="3"\} 5000$/m, 'the IDs of a shard');
eventually(sub { metrics('leased') =~ /^idgen_registry_shards/m }, 'a server with a registry has metrics of it',
	"$base/leased.log");
my $of_leased = metrics('leased');
like($of_leased, qr/^idgen_registry_$_$/m, "of the registry: $_")
  for qr/shards\{[^}]*\} 1/, qr/keeper\{[^}]*\} 1/, qr/silent_seconds\{[^}]*\} 0/, qr/window_seconds\{[^}]*\} 100/,
  qr/left_seconds\{[^}]*\} 3[56]\d\d(?:\.\d+)?/, qr/answer_age_seconds\{[^}]*\} \d{2,3}(?:\.\d+)?/, qr/counters\{[^}]*\} 3/,
  qr/counters_in_trouble\{[^}]*\} 0/, qr/counter_used_ratio\{[^}]*\} 0\.79/;
like($of_leased, qr/^idgen_lease_$_$/m, "of a shard from the registry: $_")
  for qr/held\{[^}]*shard="17"\} 1/, qr/left_seconds\{[^}]*shard="17"\} 3[56]\d\d(?:\.\d+)?/;
unlike($metrics, qr/^idgen_(?:registry|lease)_/m, 'one without a registry has none');
unlike(slurp_file("$base/$_.log"), qr/Error running query/, "$_ could run every query") for qw(exporter leased standby);
my $queries = slurp_file("$folder/queries.yaml");
while ($queries =~ /^(idgen_\w+):\n(.*?)(?=^idgen|\z)/msg)
{
	my ($group, $text) = ($1, $2);
	my @columns = $text =~ /- (\w+):\n\s+usage: "(?:COUNTER|GAUGE)"/g;
	ok("$metrics$of_leased" =~ /^${group}_$_(\{|\s)/m, "metric ${group}_$_") for @columns;
	like($text, qr/- $_:\n\s+usage: "\w+"\n\s+description: "\w/, "queries.yaml says what ${group}_$_ is") for @columns;
}

# Prometheus with those rules. Shorter intervals only.
open my $config, '>', "$base/prometheus.yml" or die $!;
print $config <<"END";
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files: ['$folder/rules.yml']
scrape_configs:
  - job_name: postgres
    static_configs:
      - targets: ['127.0.0.1:$port{exporter}', '127.0.0.1:$port{leased}', '127.0.0.1:$port{standby}']
END
close $config;
begin(
	"$base/prometheus.log", {}, 'prometheus', "--config.file=$base/prometheus.yml",
	"--storage.tsdb.path=$base/prometheus.data", "--web.listen-address=127.0.0.1:$port{prometheus}");

sub asked
{
	my ($path, %parameters) = @_;
	my $response = $http->get("http://127.0.0.1:$port{prometheus}/api/v1/$path?" . $http->www_form_urlencode(\%parameters));
	return eval { decode_json($response->{content}) } // { status => $response->{content} };
}
sub results_of { my $answer = asked('query', query => $_[0]); return @{ $answer->{data}{result} // [] } }
eventually(sub { results_of('count_over_time(idgen_shard_ids_total{shard="3"}[1m]) >= 4') }, 'Prometheus has scraped four times', "$base/prometheus.log");
eventually(sub { 3 == results_of('idgen_database_clock_steps_back_total == 0') }, 'the clock was not set yet');

sub firing { my ($name) = @_; return scalar results_of(qq{ALERTS{alertname="$name",alertstate="firing"}}) }
is(firing($_), 0, "$_ does not fire") for qw(IdgenClockStepped IdgenHorizonNotRenewed IdgenClockRefused);

# The clock set back: seen at the next ID.
set_clock($node, '-2');
$session->do('SELECT next_id(3)');
eventually(sub { firing('IdgenClockStepped') }, 'the clock set back: IdgenClockStepped fires', "$base/prometheus.log");

# A day forward: refused.
set_clock($node, '+86400');
eval { $session->do('SELECT next_id(3)') };
eventually(sub { firing('IdgenClockRefused') }, 'a day forward: IdgenClockRefused fires');
set_clock($node, '+0');
eventually(sub { !firing('IdgenClockRefused') }, 'set right: it ends');

# Somebody locks the horizon for more than ten seconds.
my $other = connect_to($node);
$other->begin_work;
$other->do('ALTER SEQUENCE idgen.horizon OWNED BY NONE');
set_clock($node, '+5');
$session->do("SET idgen.max_wait = '1h'");
$session->do('SELECT next_id(3)', { pg_async => PG_ASYNC });
eventually(sub { firing('IdgenHorizonNotRenewed') }, 'a lock on the horizon: IdgenHorizonNotRenewed fires');
$other->rollback;
$session->pg_result;
eventually(sub { !firing('IdgenHorizonNotRenewed') }, 'the lock gone: it ends');

# The registry: silent for more than half of the window, then the horizon near, then nobody who asks it.
is(firing($_), 0, "$_ does not fire") for qw(IdgenRegistrySilent IdgenLeaseEnds IdgenNoKeeper);
registry_says($keeper, answered => 61_000, silent => 60_000, trouble => 'no route to it');
eventually(sub { firing('IdgenRegistrySilent') }, 'calls fail for a minute of a window of 100 s: IdgenRegistrySilent fires');
hold($keeper, 17, 20_000);
eventually(sub { firing('IdgenLeaseEnds') }, 'less than a quarter of the window is left: IdgenLeaseEnds fires');
registry_says($keeper, answered => 0);
hold($keeper, 17, 3_600_000);
eventually(sub { !firing('IdgenRegistrySilent') && !firing('IdgenLeaseEnds') }, 'the registry is back: both end');

# Nothing keeps numbers on the standby, and then on the server, too.
my ($no_keeper, $in_trouble) = map { slurp_file("$folder/rules.yml") =~ /- alert: $_\n\s*expr: (.*)/ } qw(IdgenNoKeeper IdgenCounterTrouble);
my $servers = sub { return join ' ', sort map { $_->{metric}{instance} } results_of($_[0]) };
eventually(sub { $servers->('idgen_registry_keeper == 0') eq "127.0.0.1:$port{standby}" }, 'a standby has no keeper');
is($servers->($no_keeper), '', 'a standby has no keeper: IdgenNoKeeper does not count it');
registry_says($keeper, keeper => 0);
eventually(sub { $servers->($no_keeper) eq "127.0.0.1:$port{leased}" }, 'a server without a keeper: IdgenNoKeeper counts it');
registry_says($keeper, answered => 0);

# Counters: one comes near its end, then to it, and the end is moved.
is(firing('IdgenCounterEnds') . $servers->($in_trouble), '0',
	'IdgenCounterEnds does not fire, nor is a counter in trouble');
counters_are($keeper, count => 3, used => 80, trouble => 'counter "orders" has used 80 % of its numbers');
eventually(sub { firing('IdgenCounterEnds') }, 'a counter near its end: IdgenCounterEnds fires');
is($servers->($in_trouble), '', 'a counter near its end: IdgenCounterTrouble does not count it');
counters_are($keeper, count => 3, in_trouble => 1, used => 100, trouble => 'counter "orders" has come to its end');
eventually(sub { $servers->($in_trouble) eq "127.0.0.1:$port{leased}" }, 'a counter at its end: IdgenCounterTrouble counts it');
counters_are($keeper, count => 3, used => 40);
eventually(sub { !firing('IdgenCounterEnds') && $servers->($in_trouble) eq '' }, 'a later end: both end');

# The dashboard, beside what test/release/dashboard.pl reads in it: every expression is sound, and those that any server
# has data for have a result.
my $dashboard = decode_json(slurp_file("$folder/dashboard.json"));

# An import asks for a data source, and puts its name where the dashboard has that of the question; all panels and
# variables have that one.
my @asks = @{ $dashboard->{__inputs} };
is(join(' ', map { "$_->{name} $_->{type} $_->{pluginId}" } @asks), 'DS_PROMETHEUS datasource prometheus',
	'the dashboard asks for its data source');
my $imported = decode_json(slurp_file("$folder/dashboard.json") =~ s/\$\{DS_PROMETHEUS\}/chosen/gr);
my ($source) = grep { $_->{type} eq 'datasource' } @{ $imported->{templating}{list} };
is("$source->{query} $source->{current}{value}", 'prometheus chosen',
	'the dashboard begins with the data source that was chosen');
my @with_data = grep { $_->{type} ne 'row' } @{ $imported->{panels} };
my @of = map { $_->{datasource} } @with_data, grep { $_->{type} eq 'query' } @{ $imported->{templating}{list} };
is_deeply([ grep { "$_->{type} $_->{uid}" ne "prometheus \${$source->{name}}" } @of ], [],
  'every panel and variable has the data source that was chosen');
my %without_data = ('Synchronous standbys' => 1);
my %ids;
for my $panel (@{ $dashboard->{panels} })
{
	ok(!$ids{ $panel->{id} }++, "panel $panel->{title} has a number of its own");
	for my $target (@{ $panel->{targets} // [] })
	{
		my $expression = $target->{expr} =~ s/\$(instance|datname)/.*/gr;
		unlike($expression, qr/\$/, "$panel->{title}: no other variable");
		my $answer = asked('query', query => $expression);
		is($answer->{status}, 'success', "$panel->{title}: $expression") or diag(explain($answer));
		# A scrape that is late leaves a gap, in which nothing has a result.
		$without_data{ $panel->{title} }
		  ? is(scalar(results_of($expression)), 0, "$panel->{title}: no standby here")
		  : eventually(sub { results_of($expression) }, "$panel->{title}: has a result");
	}
}
# The table of who holds which shard knows both kinds: from the registry, and by hand.
my ($holders) = grep { $_->{title} eq 'Who holds which shard' } @{ $dashboard->{panels} };
my @held = map { results_of($_->{expr} =~ s/\$(instance|datname)/.*/gr) } @{ $holders->{targets} };
my %holds = map { ("$_->{metric}{instance} $_->{metric}{shard}" => 1) } @held;
ok($holds{"127.0.0.1:$port{leased} 17"}, 'who holds which shard: one from the registry');
ok($holds{"127.0.0.1:$port{exporter} 3"}, 'who holds which shard: one by hand');
for my $variable (grep { $_->{type} eq 'query' } @{ $dashboard->{templating}{list} })
{
	my ($metric, $label) = $variable->{definition} =~ /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/;
	eventually(sub { 2 <= grep { $_->{metric}{$label} } results_of($metric) }, "variable $variable->{name}");
}

$_->disconnect for $session, $other, $keeper;
done_testing();
