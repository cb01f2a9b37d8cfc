# Clients and ORMs whose code the pages show: each makes its tables as its page says, leaves the ID to the DEFAULT and
# reads it back without losing a digit; and the page shows the very code that ran.
package IdgenShown;

use strict;
use warnings;

use Exporter qw(import);
use FindBin;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(enter_node run_in check_client check_shown check_bounds check_rest);

my ($root) = $FindBin::Bin =~ m{^(.*?)/test/};
my ($node, %pages, %shown);

# The server that clients connect to, by their environment.
sub enter_node
{
	($node) = @_;
	@ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid $<);
	return;
}

sub page
{
	my ($name) = @_;
	return $pages{$name} //= slurp_file("$root/$name");
}

# Runs a command in a client's folder; what it wrote, if it succeeded.
sub run_in
{
	my ($folder, $command) = @_;
	my ($out, $errors);
	# A client that waits for ever is ended.
	return $out if IPC::Run::run([ 'timeout', 600, 'sh', '-c', "cd '$root/test/clients/$folder' && $command" ], '<', \undef, '>', \$out, '2>', \$errors);
	diag($errors);
	return;
}

# The parts of a file that a page shows, without their common indentation, and the page of each.
sub shown_parts
{
	my ($file) = @_;
	my $text = slurp_file($file);
	my @parts;
	while ($text =~ m{^([ \t]*)(?:#|//|--) In (docs/clients/\w+\.md):\n(.*?)^[ \t]*(?:#|//|--) End\.$}gms)
	{
		my ($indent, $page, $part) = ($1, $2, $3);
		$part =~ s/^$indent//gm;
		$part =~ s/\n+\z/\n/;
		push @parts, [ $page, $part ];
	}
	return @parts;
}

# A client: its folder if that is not its name, the command there, the files that its page shows, and the tables if they
# are not the usual ones.
sub check_client
{
	my ($client) = @_;
	my $name = $client->{name};
	my $folder = $client->{folder} // $name;
	my ($photo, $comment) = @{ $client->{tables} // [ 'photo', 'comment' ] };
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION idgen');
	local $ENV{PGDATABASE} = $name;
	local $ENV{JDBC_URL} = sprintf 'jdbc:postgresql://127.0.0.1:%d/%s?user=%s', $node->port, $name, $ENV{PGUSER};
	my $out = run_in($folder, $client->{run});
	ok(defined $out, "$name runs") or return;

	is( $node->safe_psql($name, <<"SQL"),
SELECT attrelid::regclass, attname, format_type(atttypid, NULL), attnotnull, attidentity = '', pg_get_expr(adbin, adrelid)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid IN ('$photo'::regclass, '$comment'::regclass) AND attname IN ('id', 'photo_id') ORDER BY attrelid, attname
SQL
		join("\n", "$photo|id|bigint|t|t|next_id()", "$comment|id|bigint|t|t|next_id()",
			"$comment|photo_id|bigint|" . ($name =~ /django/ ? 't' : 'f') . '|t|'),
		"$name: the columns are bigint, and their default is next_id()");
	is($node->safe_psql($name, "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = '$comment'::regclass AND confrelid = '$photo'::regclass"),
		1, "$name: the comment refers to the photo");

	# An undefined photo_id is an empty text.
	my @printed = split /\n/, $out;
	my @real = split /\n/, $node->safe_psql($name, <<"SQL");
SELECT title || E'\t' || id FROM $photo UNION ALL SELECT E'comment\t' || coalesce(photo_id::text, '') FROM $comment UNION ALL SELECT E'found\tone'
 UNION ALL SELECT E'read\t' || id FROM $photo
SQL
	is_deeply([ sort @printed ], [ sort @real ],
		"$name: the IDs that it printed are those of the rows, to the last digit; and it read each once by ID");
	cmp_ok(scalar(@real), '>=', 12, "$name: one row, a batch, a block, a comment");
	is($node->safe_psql($name, "SELECT DISTINCT id_shard(id), clock_timestamp() - id_time(id) BETWEEN '-2 s' AND '10 min' FROM $photo"),
		'5|t', "$name: the IDs are of this node and of now");
	is($node->safe_psql($name, "SELECT string_agg(finding, ' ') FROM idgen.audit('$photo', 'id') WHERE NOT ok"), '',
		"$name: the audit finds nothing");
	check_shown("$folder/$_") for @{ $client->{shows} };
	return;
}

# What a file says that a page shows, the page shows.
sub check_shown
{
	my ($file) = @_;
	my @parts = shown_parts("$root/test/clients/$file");
	isnt(scalar(@parts), 0, "$file: a page shows some of it");
	for (@parts)
	{
		my ($page, $part) = @$_;
		ok(index(page($page), $part) >= 0, "$file: $page shows what ran") or diag($part);
		$shown{$page}{$part} = 1;
	}
	return;
}

# Reading by ID: how each of some clients writes the bound is what ran, in the file of each.
sub check_bounds
{
	my (%files) = @_;
	my ($section) = page('docs/clients/README.md') =~ /^### Reading by ID\n(.*)/ms;
	my %bounds = map { lc($_->[0]) => $_->[1] } map { [/^\| (\w+) \| (.*) \|$/] } grep { /^\| [A-Z]\w+ \|/ } split /\n/, $section;
	for my $name (sort keys %files)
	{
		my $text = slurp_file("$root/test/clients/$files{$name}");
		my @code = grep { !/^\$/ } map { $_ // () } ($bounds{$name} // '') =~ /``(.*?)``|`(.*?)`/g;
		isnt(scalar @code, 0, "Reading by ID: the page has the bound of $name");
		my @unknown = grep { index($text, $_) < 0 } @code;
		is("@unknown", '', "Reading by ID: $name ran with its bound");
	}
	return;
}

# Nothing else on a page claims to have run: the other sections say that they did not.
sub check_rest
{
	my ($page) = @_;
	for my $section (split /^(?=## )/m, page($page))
	{
		my ($title) = $section =~ /^## (.*)/ or next;
		next if $section =~ /^Not run here/m;
		while ($section =~ /^```(\w+)\n(.*?)^```/gms)
		{
			my ($language, $rest) = ($1, $2);
			$rest =~ s/\Q$_\E// for sort { length $b <=> length $a } keys %{ $shown{$page} };
			like($rest, qr/\A\s*\z/, "$page, $title: every $language block ran");
		}
	}
	return;
}

1;
