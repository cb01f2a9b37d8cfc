# How fast the types write and read their texts inside a server, beside the server's own uuid.
package IdgenBench::TypeText;

use strict;
use warnings;
use utf8;

use IdgenBench::Samples;
use IdgenBench::Session;

my $calls = 500_000;
my @types = (
	{ name => 'uuid', label => '`uuid`, PostgreSQL\'s own', maker => 'next_uuidv7()' },
	map { { name => $_, label => "`$_`", maker => "next_$_()" } } qw(ulid ksuid objectid) );
my @steps = qw(written read);

sub new
{
	my ($class) = @_;
	return bless { session => IdgenBench::Session->new, samples => IdgenBench::Samples->new }, $class;
}

sub warm_up { return }

sub round
{
	my ($self) = @_;
	my %ns;
	for my $type (@types)
	{
		my ($figures) = $self->{session}->row("SELECT bench_text('$type->{name}', $type->{maker}::text, $calls)");
		@{ $ns{ $type->{name} } }{@steps} = @$figures;
	}
	for my $step (@steps)
	{
		$self->{samples}->add("$step $_", $ns{$_}{$step}) for keys %ns;
		$self->{samples}->add("$step ratio $_", $ns{$_}{$step} / $ns{uuid}{$step}) for keys %ns;
	}
	return;
}

sub section
{
	my ($self) = @_;
	my $samples = $self->{samples};
	return {
		title => 'Texts of the types in a server',
		text => <<'END',
The output and input function of each type, called in the server.
END
		header => [ 'type', map { ("$_, ns", 'share of `uuid`') } @steps ],
		rows => [ map { my $type = $_; [ $type->{label}, map { ($samples->text("$_ $type->{name}"), $samples->text("$_ ratio $type->{name}")) } @steps ] } @types ],
		is_long => 1,
		claims => [],
	};
}

1;
