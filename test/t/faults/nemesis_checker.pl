# The nemesis is tested itself: its checker finds what is wrong in histories that are wrong on purpose, and short runs
# on servers find nothing with idgen, and IDs twice when a standby is promoted beside its primary, or a machine is copied
# and not told so.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

my $nemesis = "$FindBin::Bin/../../../trials/nemesis";
my @totals = qw(ids tickets twice lost disordered reread skipped read standby);

# Has histories checked, each a list of lines: the totals that are not 0, and the exit status.
sub check
{
	my (@histories) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	for my $number (0 .. $#histories)
	{
		append_to_file("$folder/$number.history", join "\n", @{ $histories[$number] });
	}
	my $said = qx($nemesis/check '$folder');
	my $status = $? >> 8;
	my %total = $said =~ /\b(\w+)=(\d+)/g;
	return join ' ', "exit=$status", map { $total{$_} ? "$_=$total{$_}" : () } @totals;
}

my @right = ([ 'session', 'ids 10+4 20 30+9', 'session', 'ids 16', 'tickets 7 3 5+1', 'read 1 0 18 10 16', 'read 1 18 40 20', '' ], [ 'rows 1 10 16 20', 'rows 2 30', '' ]);
my @cases = (
	[ 'nothing wrong',                        'exit=0 ids=17 tickets=4 read=3', @right ],
	[ 'an ID twice, by two clients',          'exit=1 ids=2 twice=1', map { [ 'session', 'ids 5', '' ] } 1 .. 2 ],
	[ 'an ID twice, by one client',           'exit=1 ids=4 twice=1', [ 'session', 'ids 5+2', 'session', 'ids 6', '' ] ],
	[ 'an ID three times',                    'exit=1 ids=3 twice=2', map { [ 'session', 'ids 5', '' ] } 1 .. 3 ],
	[ 'ranges that overlap',                  'exit=1 ids=20 twice=5', [ 'session', 'ids 0+9', '' ], [ 'session', 'ids 5+9', '' ] ],
	[ 'a range within another',               'exit=1 ids=103 twice=3', [ 'session', 'ids 0+99', '' ], [ 'session', 'ids 5 7 9', '' ] ],
	[ 'the last of one and the first of another', 'exit=1 ids=20 twice=1', [ 'session', 'ids 0+9', '' ], [ 'session', 'ids 9+9', '' ] ],
	[ 'IDs of 19 digits',                     'exit=1 ids=4 twice=1', [ 'session', 'ids 999999999999999999 4038307900408468480+1', '' ], [ 'session', 'ids 4038307900408468481', '' ] ],
	[ 'an ID below the one before',           'exit=1 ids=2 disordered=1', [ 'session', 'ids 6 5', '' ] ],
	[ 'one below, on the next line',          'exit=1 ids=4 disordered=1', [ 'session', 'ids 6+2', 'ids 5', '' ] ],
	[ 'one below, in the next session',       'exit=0 ids=2', [ 'session', 'ids 6', 'session', 'ids 5', '' ] ],
	[ 'a ticket twice',                       'exit=1 tickets=12 twice=1', [ 'tickets 1+9', '' ], [ 'tickets 20 4', '' ] ],
	[ 'a ticket that is an ID, too',          'exit=0 ids=1 tickets=1', [ 'session', 'ids 5', 'tickets 5', '' ] ],
	[ 'a row that was not found',             'exit=1 lost=1 read=2', [ 'read 1 0 10 3 5', '' ], [ 'rows 1 3+2', '' ] ],
	[ 'the first and the last of a read',     'exit=1 lost=1', [ 'read 1 3 5', '' ], [ 'rows 1 3 5', '' ] ],
	[ 'a row of an older line, not found',    'exit=1 lost=1', [ 'read 2 0 10', '' ], [ 'rows 1 4', '' ] ],
	[ 'a row of a later line, not found',     'exit=0', [ 'read 1 0 10', '' ], [ 'rows 2 4', '' ] ],
	[ 'a row that is gone in the end',        'exit=0 read=2', [ 'read 1 0 10 3 4', '' ], [ 'rows 1 3', '' ] ],
	[ 'a row found twice',                    'exit=1 reread=1 read=2', [ 'read 1 0 10 4', 'read 1 4 20 4', '' ], [ 'rows 1 4', '' ] ],
	[ 'a row found on two lines',             'exit=0 read=2', [ 'read 1 0 10 4', 'read 2 0 10 4', '' ], [ 'rows 1 4', '' ] ],
	[ 'a row that a standby did not show',    'exit=1 lost=1 read=1 standby=1', [ 'standby 1 0 10 3', '' ], [ 'rows 1 3 5', '' ] ],
	[ 'a row found twice, by a standby, too', 'exit=1 reread=1 read=2 standby=1', [ 'read 1 0 10 4', 'standby 1 4 20 4', '' ], [ 'rows 1 4', '' ] ],
	[ 'IDs between two reads, not asked for', 'exit=1 skipped=1', [ 'read 1 0 10', 'standby 1 12 20', '' ] ],
	[ 'a read that begins below',             'exit=0', [ 'read 1 0 10', 'read 1 8 20', '' ] ],
	[ 'a read that begins higher on another line', 'exit=0', [ 'read 1 0 10', 'read 2 12 20', '' ] ],
	[ 'reads of two clients',                 'exit=0', [ 'read 1 0 10', '' ], [ 'read 1 12 20', '' ] ],
	[ 'a ticket twice, by a copy',            'exit=1 tickets=30 twice=10', [ 'tickets 1+19', '' ], [ 'tickets 11+9', '' ] ],
	[ 'a line without its end',               'exit=0 ids=1', [ 'session', 'ids 5', 'ids 5' ] ]);
for my $case (@cases)
{
	my ($what, $expected, @histories) = @$case;
	is(check(@histories), $expected, "checker: $what");
}

# Each mutant of the nemesis is one of the simulator, or its patch still matches.
my %is_simulated = map { $_ => 1 } slurp_file("$nemesis/../../test/sim/mutants") =~ /^(\w+) \S/gm;
for (slurp_file("$nemesis/mutants") =~ /^(\w.*)$/gm)
{
	my ($name, $file, $script) = split / /, $_, 3;
	if (!$file) { ok($is_simulated{$name}, "mutant $name is one of the simulator"); next }
	open my $sed, '-|', 'sed', $script, "$nemesis/../../$file" or die "sed: $!";
	isnt(join('', readline $sed), slurp_file("$nemesis/../../$file"), "mutant $name: its patch matches");
	close $sed;
}

# A short run; gives the exit status, when it has ended, and what it printed.
sub begin_run
{
	my (%environment) = @_;
	my %asked = %environment;
	local %ENV = (%ENV, SEED => 1, HISTORIES => '', NEMESIS_TOTALS => PostgreSQL::Test::Utils::tempdir() . '/totals', %environment);
	open my $output, '-|', "perl $nemesis/nemesis.pl 2>&1" or die "perl: $!";
	return { output => $output, totals => $ENV{NEMESIS_TOTALS}, asked => \%asked };
}

sub end_run
{
	my ($run) = @_;
	my @said = readline $run->{output};
	close $run->{output};
	my $status = $?;
	diag(@said) unless -e $run->{totals};
	return ($status, split /\n/, slurp_file($run->{totals}));
}

# Ends a run that must find something; on a slow machine too little may have happened in it: then runs one that takes longer.
sub end_until
{
	my ($found, $run) = @_;
	my ($status, @lines) = end_run($run);
	for my $times (5, 20)
	{
		last if $lines[-1] =~ $found;
		($status, @lines) = end_run(begin_run(%{ $run->{asked} }, MINUTES => $times * $run->{asked}{MINUTES}));
	}
	return ($status, @lines);
}

my $single = begin_run(MODE => 'single', MINUTES => 0.05, ONLY => 'kill_backend kill_all clock_back_1 cancel_statements');
my $without_power = begin_run(MODE => 'power-loss', MINUTES => 0.05, ONLY => 'power_loss power_loss_torn power_loss_behind');
my %controls = map { $_->[0] => begin_run(MODE => $_->[0], MINUTES => 0.1, ONLY => $_->[1]) } [ 'control', 'failover_unfenced' ], [ 'control-machine', 'machine_untold' ];
# The one against other makers: that of trials/against which a step of the clock makes repeat itself.
my ($maker) = slurp_file("$nemesis/../against") =~ /^instagram="(.*?)"$/ms;
my $against = begin_run(MODE => 'single', MINUTES => 0.05, ONLY => 'clock_back_1', WRITES => 1, MAKER => 'instagram_id()', MAKER_SQL => $maker =~ s/\\\$/\$/gr);
my ($status, @lines) = end_run($single);
is($status, 0, 'a run on one server succeeds');
like($lines[-1], qr/^totals mode=single seed=1 faults=\d+ kinds=[0-4] ids=[1-9]\d* tickets=0 twice=0 lost=0 disordered=0 reread=0 skipped=0 read=\d+ standby=0 seconds=\d+$/,
  'the last line of a run has the totals');
is(scalar(grep { /^fault (?:kill_backend|kill_all|clock_back_1|cancel_statements) \d+$/ } @lines), ($lines[-1] =~ /kinds=(\d+)/)[0],
  'a run counts each kind of fault');
is(scalar(grep { /^history a\.(?:bulk\.[12]|single\.3|events\.4|end)\.history [0-9a-f]{64}$/ } @lines), 5, 'a run gives the digest of each history');
like($lines[-2], qr/^histories [0-9a-f]{64}$/, 'a run gives one digest of all histories');
($status, @lines) = end_run($without_power);
is($status, 0, 'a run whose server loses its power succeeds');
like($lines[-1], qr/^totals mode=power-loss .* ids=[1-9]\d* tickets=0 twice=0 lost=0 disordered=0 /, 'and finds nothing');
for my $mode (sort keys %controls)
{
	my $twice = qr/^totals mode=$mode .* twice=[1-9]/;
	($status, @lines) = end_until($twice, $controls{$mode});
	is($status, 0, "$mode succeeds");
	like($lines[-1], $twice, 'because IDs come twice');
	ok(scalar(grep { /^twice: ids from \d+ by / } @lines), "$mode says which IDs come twice");
}
my $wrong = qr/^totals mode=single .* (?:twice|disordered)=[1-9]/;
(undef, @lines) = end_until($wrong, $against);
like($lines[-1], $wrong, 'another maker gives numbers twice, or lower ones, once the clock steps back');
like(qx(MODE=single ONLY=earthquake perl $nemesis/nemesis.pl 2>&1), qr/no such fault in single: earthquake/, 'an unknown fault is refused');
like(qx(MODE=many perl $nemesis/nemesis.pl 2>&1), qr/no such mode: many/, 'an unknown mode is refused');
done_testing();
