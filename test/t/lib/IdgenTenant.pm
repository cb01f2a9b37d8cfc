# The owner of a database who is hostile: what it puts in the way of a superuser who sets up idgen there.
package IdgenTenant;

use strict;
use warnings;

use Exporter qw(import);
use IdgenNode;
use POSIX ();
use Time::HiRes qw(sleep);

our @EXPORT = qw(make_tenant make_hostile trap_operators hostile_settings begin_tenant is_super);

my $evil = q{LANGUAGE plpgsql AS 'BEGIN ALTER ROLE tenant SUPERUSER; RETURN %s; EXCEPTION WHEN insufficient_privilege THEN RETURN %1$s; END'};

# Functions and operators of the server's names, and settings.
my @before = (
	'CREATE FUNCTION public.is_it(name, name) RETURNS boolean ' . sprintf($evil, 'true'), 'CREATE OPERATOR public.= (FUNCTION = public.is_it, LEFTARG = name, RIGHTARG = name)',
	'CREATE OPERATOR public.~ (FUNCTION = public.is_it, LEFTARG = name, RIGHTARG = name)', 'CREATE FUNCTION public.format(text, name) RETURNS text ' . sprintf($evil, q{''}),
	'CREATE FUNCTION public.quote_ident(text) RETURNS text ' . sprintf($evil, q{''}));
my @settings = ('search_path = public, pg_catalog', 'role = tenant', 'statement_timeout = 1', 'quote_all_identifiers = on', 'transform_null_equals = on');

# Functions of the names of idgen's.
my @after = map { "CREATE OR REPLACE FUNCTION public.$_->[0] " . sprintf $evil, $_->[1] } [ 'id_shard(t text) RETURNS integer', 5 ],
  [ 'next_id(integer) RETURNS bigint', 5 ], [ 'status() RETURNS bigint', 5 ];

# The role, and a database that it owns.
sub make_tenant
{
	my ($node, $db) = @_;
	$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN');
	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER tenant");
	make_hostile($node, $db);
	return;
}

sub make_hostile
{
	my ($node, $db) = @_;
	my $tenant = connect_to($node, db => $db, user => 'tenant');
	$tenant->do($_) for @before;
	$tenant->disconnect;
	return;
}

# Makes an operator in public for each pair of types for which pg_catalog has none with exactly these: what an expression of pg_catalog's types
# would take if its path is not pinned. It raises an error, whoever calls it.
sub trap_operators
{
	my ($session) = @_;
	$session->do(<<'SQL');
DO $make$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT DISTINCT l::regtype AS l, r::regtype AS r, o FROM unnest('{int2,int4,int8,numeric,float4,float8,text,name,oid,regclass,regnamespace,regproc,"char",interval,timestamptz}'::text[]) AS l,
                       unnest('{int2,int4,int8,numeric,float4,float8,text,name,oid,regclass,regnamespace,regproc,"char",interval,timestamptz}'::text[]) AS r, unnest('{=,<>,<,>,~,!~,/,*,-,+,||,>>,&}'::text[]) AS o
                 WHERE NOT EXISTS (SELECT FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = o AND oprleft = l::regtype AND oprright = r::regtype) LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION public.trap(%1$s, %2$s) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION ''captured''; END$$', made.l, made.r);
        EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.trap)', made.o, made.l, made.r);
    END LOOP;
END
$make$
SQL
	return;
}

# The same, and settings of the database; to be called when no more is to be done there by the test itself.
sub hostile_settings { my ($db) = @_; return map { "ALTER DATABASE $db SET $_" } @settings }

# Waits for the row of an extension, and acts before the superuser's next statement.
sub begin_tenant
{
	my ($node, $db, $extension) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	eval {
		my $session = connect_to($node, db => $db, user => 'tenant');
		until ($session->selectrow_array('SELECT count(*) FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) ?', undef, $extension // 'idgen')) { sleep 0.005 }
		for my $statement (@after) { eval { $session->do($statement) } or warn $@ }
		1;
	} or warn $@;
	POSIX::_exit(0);
}

# Whether the tenant has become a superuser. It is none afterwards.
sub is_super
{
	my ($node) = @_;
	my $is_super = $node->safe_psql('postgres', q{SELECT rolsuper::int FROM pg_roles WHERE rolname = 'tenant'});
	$node->safe_psql('postgres', 'ALTER ROLE tenant NOSUPERUSER') if $is_super;
	return $is_super;
}

1;
