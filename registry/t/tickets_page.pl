# docs/tickets.md does what it says, as it is typed there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../../test/t/lib";
use IdgenLease;
use IdgenNode;
use IdgenPages;
use Test::More;

my $registry = start_registry('registry');
my $node = start_leased('node', address_of($registry), setting => { 'idgen.shards' => 1 });
my $owner = connect_to($registry);
my $session = connect_to($node);
my %blocks;
push @{ $blocks{ $_->{section} } }, $_->{text} for grep { $_->{language} eq 'sql' } blocks('tickets');
my $type = sub {
	my ($section, $on) = @_;
	my $text = shift @{ $blocks{$section} } // die "no block in $section\n";
	return $on->do($text);
};

$type->('Set-up', $owner);
$type->('Set-up', $session);
$session->do('ALTER ROLE shop LOGIN');
my $shop = connect_to($node, user => 'shop');
$shop->do(q{INSERT INTO orders (what) VALUES ('a'), ('b')}) for 1, 2;
is(value_of($session, q{SELECT string_agg(number::text, ' ' ORDER BY number) FROM orders}), '1 2 3 4',
	'orders: numbers in their order, for a role that may');

$type->('Block size', $owner);
is(join(' ', $owner->selectrow_array('SELECT block, max_block FROM idgen_registry.counters()')), '10 1000',
	'the block is bounded');

$type->('If numbers must have no gaps', $session);
$session->do(q{DELETE FROM invoice; UPDATE invoice_series SET last = 0});
my ($write) = page('tickets') =~ /^(WITH next AS \(.*?;)$/ms;
my @got;
for my $round (1 .. 3)
{
	$session->begin_work;
	push @got, value_of($session, $write);
	$round == 2 ? $session->rollback : $session->commit;
}
is("@got", '1 2 2', 'invoices: what is rolled back is no gap');

my ($advance, $go_on) = split /(?<=;)\n/, shift @{ $blocks{'If the registry is unreachable'} };
$owner->do($advance);
fails_with($session, q{SELECT next_tickets('orders', 1000)}, '55000',
	qr/gives no numbers until advance_counter\(\) is called/, 'after advance(): nothing');
$owner->do($go_on);
is(value_of($session, q{SELECT next_tickets('orders', 1000)}), '[51234,52234)',
	'tickets go on when the owner has said from where');
is_deeply([ grep { @{ $blocks{$_} } } keys %blocks ], [], 'nothing of the page is left out');
done_testing();
