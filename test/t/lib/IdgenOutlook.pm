# Whether idgen.status() says of making IDs what a draw then comes to.
package IdgenOutlook;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use Test::More;

our @EXPORT = qw(agrees);

# Durations, instants and counts differ between two readings.
sub _plain { return $_[0] =~ s/\d[\d:.+ -]*\d|\d/N/gr =~ s/N (?:s|min|h|days?)(?: N (?:s|min|h))?/N/gr }

# Asks the row server, then has the session draw. They agree on whether there is an ID; if there is none, on `row` as the
# one that says why, in the words of the error.
sub agrees
{
	my ($session, $row, $what) = @_;
	$session->do('SET idgen.max_wait = 100') if $row ne '';
	my %row = map { $_->[0] => $_ } @{ $session->selectall_arrayref('SELECT key, value, ok::int, coalesce(advice, $$$$) FROM idgen.status()') };
	my $id = eval { local $session->{PrintWarn} = 0; value_of($session, 'SELECT next_id()') };
	my $error = $id ? '' : $session->errstr;
	$session->do('RESET idgen.max_wait') if $row ne '';
	my $says = $row{server}[1];
	note "$what | $says | " . ($error =~ /ERROR: +(.*)/ ? $1 : 'an ID');
	if ($row eq '')
	{
		is($error, '', "$what: a draw gives an ID");
		return like($says, qr/^makes IDs/, "$what: the row server says so") && is($row{server}[2], 1, "$what: it is ok");
	}
	isnt($error, '', "$what: a draw gives none");
	like($says, qr/^makes no IDs: see \Q$row\E\b/, "$what: the row server says so, and names $row");
	is($row{server}[2], 0, "$what: it is not ok");
	my ($message, $hint) = map { ($error =~ /^$_: +(.*)$/m)[0] // '' } qw(ERROR HINT);
	return if $row eq 'library' || !ok($row{$row}, "$what: there is a row $row");
	my $says_why = $row{$row}[1];
	# Of shards from a registry the row says more than the error, which sends to it.
	if ($hint !~ /^SELECT \* FROM idgen\.status\(\)/)
	{
		is(substr(_plain($says_why), 0, length _plain($message)), _plain($message), "$what: that row begins with the words of the error");
		is(_plain($row{$row}[3]), _plain($hint), "$what: and has its HINT");
	}
	return is($row{$row}[2], 0, "$what: that row is not ok");
}

1;
