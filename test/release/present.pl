# A run counts for a release as long as nothing but comments changed in what it drives; what lacks then is said in lines.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use Test::More;

my $tree = checkout();
my $first = commit_of();

sub commit_of { chomp(my $commit = `git -C '$tree' rev-parse --short=12 HEAD`); return $commit }

sub commit_change
{
	my ($name, $text) = @_;
	put("$tree/$name", $text);
	git($tree, 'add', '-A');
	git($tree, 'commit', '-q', '-m', 'changed');
	return;
}

# Replaces the rows of a file of runs, and commits that.
sub with_rows
{
	my ($name, @rows) = @_;
	return commit_change($name, join '', text_of("$tree/$name") =~ /^#.*\n/gm, map { "$_\n" } @rows);
}

sub lacking
{
	my ($tool) = @_;
	my $said = `'$tree/trials/@{[ $tool eq 'evidence' ? 'evidence/evidence' : $tool ]}' --lacking`;
	return ($? >> 8, $said);
}

sub says
{
	my ($tool, $pattern, $what) = @_;
	my ($status, $said) = lacking($tool);
	is($status, 1, "$tool, $what: something is lacking");
	return like($said, $pattern, "$tool, $what: what");
}

my $digest = 'a' x 64;
my @modes = qw(asynchronous clones patroni-etcd patroni-postgresql power-loss registry-etcd registry-postgresql single synchronous);
sub runs
{
	my ($commit, $events, $found) = @_;
	return (
		map({ "2026-11-27 $commit $_ 1000001 1000009 $events 1 600 $found $digest" } qw(simulator simulator-registry walk-registry walk-tickets)),
		map { "2026-11-27 $commit nemesis-$_ 5 5 9 9 600 nothing $digest" } @modes);
}
my $runs = 'trials/evidence/runs.txt';
with_rows($runs, runs($first, 5e10, 'nothing'));
is_deeply([ lacking('evidence') ], [ 0, '' ], 'enough was run on the present code');
with_rows($runs, runs($first, 49_999_999_999, 'nothing'));
says('evidence', qr/\Aevidence: simulator has 99,999,999,998 events since the houses stand, a release needs 100,000,000,000\n\z/, 'too few events');
with_rows($runs, runs($first, 9_999_999_999, 'nothing'));
says('evidence', qr/^evidence: simulator has 19,999,999,998 events on the present code, a release needs 20,000,000,000$/m, 'too few events on the present code');
with_rows($runs, map { s/ 600 / 599 /r } runs($first, 5e10, 'nothing'));
says('evidence', qr/^evidence: nemesis-clones ran for 599 s on the present code, a release needs 600$/m, 'too short');
with_rows($runs, runs($first, 5e10, 'seed-1000009'));
says('evidence', qr/^evidence: on the present code simulator found seed-1000009 \(commit $first\)$/m, 'a fault that nobody mended');
commit_change('trials/evidence/faults-found.md', "## In the trials\n\nAt seed 1000009 the oracle was wrong.\n");
is_deeply([ lacking('evidence') ], [ 0, '' ], 'a fault of the trial itself');
with_rows($runs, runs('0' x 12, 5e10, 'nothing'));
says('evidence', qr/^evidence: simulator has 0 events /m, 'of a commit that nobody knows');
with_rows($runs, runs($first, 5e10, 'nothing'));

my @names = map { (split)[0] } grep { /\S/ } split /\n/, `'$tree/trials/all-majors' none 2>&1` =~ s/.*there are //sr =~ s/ at .*//sr =~ tr/ /\n/r;
cmp_ok(scalar @names, '>', 10, 'the runs on majors have names');
my $majors = 'trials/evidence/majors.txt';
with_rows($majors, map { "2026-11-27 $first $_ 17.1 100 0 60" } @names);
is_deeply([ lacking('all-majors') ], [ 0, '' ], 'every run on majors is of the present code');
with_rows($majors, map { "2026-11-27 $first $_ 17.1 100 0 60" } @names[ 1 .. $#names ]);
says('all-majors', qr/\Amajors: $names[0] was never run\n\z/, 'a run that is not there');
with_rows($majors, map { "2026-11-27 $first $_ 17.1 100 @{[ $_ eq $names[0] ? 1 : 0 ]} 60" } @names);
says('all-majors', qr/\Amajors: $names[0] 1 tests failed \(commit $first\)\n\z/, 'a run that failed');
with_rows($majors, map { "2026-11-27 $first $_ 17.1 100 0 60" } @names);

# Comments, tests and pages change nothing; code does, for what drives it.
my $source = 'registry/node/rules/lease.cpp';
commit_change($source, text_of("$tree/$source") =~ s/^namespace /\/\/ Another comment.\n\nnamespace /mr);
commit_change('README.md', 'changed');
commit_change('test/unit/horizon_test.cpp', '');
is_deeply([ map { lacking($_) } qw(evidence all-majors) ], [ 0, '', 0, '' ], 'comments, pages and tests may change');
my $migration = 'migrate/install/61-backfill.sql';
commit_change($migration, text_of("$tree/$migration") . "SELECT 1;\n");
is_deeply([ lacking('evidence') ], [ 0, '' ], 'code that moves tables: the nemesis has not driven it');
is(join(' ', (lacking('all-majors'))[1] =~ /^majors: (\S+) ran on older code/gm), '15 17 18 19', 'code that moves tables: what ran whole has');
commit_change('src/pg/module.cpp', text_of("$tree/src/pg/module.cpp") . "int another;\n");
my (undef, $said) = lacking('evidence');
like($said, qr/\Aevidence: nemesis-asynchronous ran for 0 s(?:.*\nevidence: nemesis-.*)+\n\z/, 'code of the module: the simulator has not driven it, the nemesis has');
says('all-majors', qr/^majors: $names[0] ran on older code \(commit $first\)$/m, 'code of the module');
commit_change($source, text_of("$tree/$source") . "int another;\n");
says('evidence', qr/\Aevidence: simulator has 0 events on the present code, a release needs 20,000,000,000\nevidence: walk-registry has 0 events on the present code, a release needs 200,000,000\n/, 'code of the core, whose earlier rows still count');
commit_change('registry/node/rules/new.cpp', '');
says('evidence', qr/^evidence: simulator has 0 events /m, 'a new file');

# A search of seconds finds a rule that is left out, and says at which seed.
my $rules = 'registry/node/rules/counter_row.cpp';
commit_change($rules, text_of("$tree/$rules") =~ s/answer.first = row.last \+ 1;/answer.first = row.last;/r);
my $found = `cd '$tree' && HOURS=0.002 METHODS=walk-tickets trials/evidence/evidence 2>&1`;
isnt($? >> 8, 0, 'evidence: a search that finds a fault fails');
like($found, qr/ walk-tickets \d+ \d+ \d+ \d+ \d+ seed-\d+ [0-9a-f]{64}$/m, 'evidence: and its row names the seed') or diag($found);

done_testing();
