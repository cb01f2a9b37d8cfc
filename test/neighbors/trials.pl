# A fault that is planted is found by each trial that no other test starts: by the soak of makers and the bench on a server, and by what
# wraps the nemesis against other makers and the tests of variants, whose runs are played here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t/lib", "$FindBin::Bin/../../trials/bench/lib";
use File::Path qw(make_path);
use IdgenBench::Session;
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::Bin/../..";

# The soak with one more way, which gives in each round what it gave before.
my $soak = do
{
	local %ENV = (%ENV, SOAK_SESSIONS => 2, SOAK_SECONDS => 3, SOAK_WAY => 'generate_series(1, 5000) id');
	qx($^X $tree/trials/soak/makers.pl 2>&1);
};
isnt($?, 0, 'the soak of makers fails');
like($soak, qr/^not ok \d+ - no ID made twice/m, 'because IDs come twice');
is(scalar(() = $soak =~ /^ok /mg), 3, 'and for nothing else');

# The bench with a call that gives no value for each third row.
my $node = start_node('bench', conf => ["idgen.shards = '5'"]);
my $session = do
{
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres');
	IdgenBench::Session->new;
};
my $query = 'SELECT count(%s) FROM generate_series(1, 999) g';
my %used = $session->used_by(sprintf($query, 'next_id()'), 999);
cmp_ok($used{wall}, '>', 0, 'the bench takes the time of a call');
ok(!eval { $session->used_by(sprintf($query, 'CASE WHEN g % 3 > 0 THEN next_id() END'), 999); 1 }, 'not of one that gives less');
like($@, qr/^SELECT count.*: 666$/, 'and says what it gave');

# A tree with some files of this one, and scripts in the place of others; what a command prints there, and its exit status.
sub played
{
	my ($command, $copied, %script) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	for my $file (@$copied, sort keys %script)
	{
		make_path("$folder/$file" =~ s{/[^/]*$}{}r);
		append_to_file("$folder/$file", $script{$file} // slurp_file("$tree/$file"));
		chmod 0755, "$folder/$file";
	}
	my $said = qx(cd '$folder' && $command 2>&1);
	return ($? >> 8, $said);
}

# Runs of the nemesis in which a maker gives 7 numbers twice once the clock steps.
sub against
{
	my ($faulty) = @_;
	return played('trials/against', ['trials/against'], 'tools/sandbox.sh' => <<"SH");
sandbox=\$PWD; mkdir -p log; install_packages() { :; }; open_sandbox() { :; }; close_sandbox() { :; }; build_extension() { :; }
prove_inside() { case "\$MAKER,\$ONLY" in $faulty,clock*) twice=7 ;; *) twice=0 ;; esac; echo "totals mode=\$MODE ids=1234 twice=\$twice" >\$NEMESIS_TOTALS; }
SH
}
my ($status, $said) = against("'instagram_id()'");
is($status, 0, 'against: what another maker gives twice fails nothing');
like($said, qr/^\| Instagram's PL\/pgSQL function \| 0 of 1,234 \| 7 of 1,234 \| 0 of 1,234 \| 0 of 1,234 \|$/m, 'and stands in its column');
($status, $said) = against('');
is($status, 1, 'what idgen gives twice does');
like($said, qr/^\| `next_id\(\)` \| 0 of 1,234 \| 7 of 1,234 \|/m, 'and stands there, too');

# Tests of a variant of which one fails, and none.
for my $variant (qw(clang sanitized posix))
{
	for my $failed (1, 0)
	{
		($status, $said) = played("trials/variants $variant", [qw(trials/variants tools/roots.sh)],
			'tools/packages' => "#!/bin/sh\n", 'tools/test' => "#!/bin/sh\necho 'ok 1'; echo '5 passed, $failed failed'\n");
		is("$status " . ($said =~ /^(\d+ passed, \d+ failed)$/m ? $1 : ''), "$failed 5 passed, $failed failed", "variant $variant: of the tests $failed failed");
	}
}

done_testing();
