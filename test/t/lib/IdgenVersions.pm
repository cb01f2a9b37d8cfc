# Copies of the server with another version of idgen than the tree's: an earlier one, built from the archive that
# tools/earlier makes, and a later one, made from a copy of this tree. A build is shared by all files of a run; it
# compiles only what differs from the tree.
package IdgenVersions;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use Fcntl qw(LOCK_EX);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use IdgenNode;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(copy_server this_version later_version earlier_version install_this install_later install_earlier exchange_library
  library_of catalog_of same_catalog different_lines updates_of extension_folder);

my $tree = abs_path(dirname(__FILE__) . '/../../..');
my $archive = "$tree/../earlier.tar";

# Where the servers are; gone with the test.
my $folder;
sub folder { return $folder //= abs_path(PostgreSQL::Test::Utils::tempdir('versions')) }

# Where the builds of a run are.
sub build_folder { return "$ENV{IDGEN_PRELOADS}/versions" }

sub version_in { my ($source) = @_; return (slurp_file("$source/idgen.control") =~ /^default_version = '(.*)'$/m)[0] }

sub this_version { return version_in($tree) }

# The next after this one.
sub later_version
{
	my @numbers = split /\./, this_version();
	return "$numbers[0].$numbers[1]." . ($numbers[2] + 1);
}

# The one before this. Ends the test, failed, if its sources are not there.
sub earlier_version
{
	return version_in(_build('earlier', \&_make_earlier)) if -s $archive;
	fail('the sources of the version before this one are there');
	diag('tools/earlier makes their archive from git, which needs the whole history, and tools/test takes it along: ' . (-e "$archive.error" ? slurp_file("$archive.error") : ''));
	done_testing();
	exit 1;
}

sub run_or_die
{
	my ($command) = @_;
	my $output = `$command 2>&1`;
	die "$command:\n$output" if $?;
	return;
}

# Copies the server that PATH has, by links; gives the folder of its bin and lib. What is installed there has files of
# its own.
sub copy_server
{
	my ($name) = @_;
	my ($bin, $share, $include) = map { chomp(my $path = `pg_config --$_`); $path } qw(bindir sharedir includedir);
	my $server = dirname($bin);
	my $copy = folder() . "/$name";
	for my $part ($server, $share)
	{
		make_path("$copy" . dirname($part));
		run_or_die("cp -al '$part' '$copy$part'");
	}
	make_path("$copy" . dirname($include));
	symlink abs_path($include), "$copy$include";
	return "$copy$server";
}

# Edits a file of a copy: each pattern must be there.
sub edit
{
	my ($file, @edits) = @_;
	my $text = slurp_file($file);
	while (my ($pattern, $new) = splice @edits, 0, 2)
	{
		$text =~ s/$pattern/$new/ or die "$file has no $pattern";
	}
	return put($file, $text);
}

sub put
{
	my ($file, $text) = @_;
	open my $out, '>', $file or die "$file: $!";
	print $out $text;
	close $out;
	return;
}

# The folder of a build, which the first that asks for it makes from a copy of the tree and what was built there; the
# others wait.
sub _build
{
	my ($name, $change) = @_;
	my $source = build_folder() . "/$name";
	make_path(build_folder());
	open my $lock, '>', "$source.lock" or die "$source.lock: $!";
	flock $lock, LOCK_EX or die "$source.lock: $!";
	return $source if -e "$source.made";
	make_path($source);
	run_or_die("cd '$tree' && tar -cf - --exclude=./.git --exclude=./test --exclude=node_modules --exclude=./data . | tar -xf - -C '$source'");
	$change->($source);
	run_or_die("make -s -C '$source' -j2 with_llvm=no COPT=-O0");
	put("$source.made", '');
	return $source;
}

# Files that are alike keep their times, and so what was built from them; but the Makefile of 0.9.0 does not know all
# that has the version in it.
sub _make_earlier
{
	my ($source) = @_;
	run_or_die("cd '$source' && grep -rlE --include='*.cpp' 'IDGEN_VERSION|find_lease_gate|lease_gate_name' src | sed 's/cpp\$/o/' | xargs rm -f");
	run_or_die("mkdir '$source.tree' && tar -xf '$archive' -C '$source.tree' && '$source.tree/tools/copy-tree' '$source'");
	return;
}

# What the later version has more: a function; a field of the stored record, at its end; fields of structs in shared
# memory. And what it has elsewhere: a function in another schema, one with another symbol, one with another argument.
# The older symbols stay, for the SQL of this version.
sub _make_later
{
	my ($source) = @_;
	my ($this, $later) = (this_version(), later_version());
	my $find = sub {
		my ($name) = @_;
		chomp(my @found = `find '$source/src' -name $name`);
		die "not one $name: @found" if @found != 1;
		return $found[0];
	};
	edit($_, qr/^default_version = '.*'$/m => "default_version = '$later'") for glob "'$source'/*.control";

	my $function = "CREATE FUNCTION idgen_later() RETURNS text AS 'MODULE_PATHNAME', 'idgen_later' LANGUAGE C IMMUTABLE PARALLEL SAFE;\n"
	  . "COMMENT ON FUNCTION idgen_later() IS 'what came later';\n";
	my ($of_region) = slurp_file("$source/sql/install/30-readers.sql") =~ /(CREATE FUNCTION id_region\(.*?;\n)/s or die 'no id_region';
	s/CREATE FUNCTION/CREATE OR REPLACE FUNCTION/, s/'idgen_region'/'idgen_later_region'/ or die 'no symbol' for my $region = $of_region;
	my $argument = "CREATE FUNCTION idgen.reset_stats(only_shards boolean DEFAULT false) RETURNS void AS 'MODULE_PATHNAME', 'idgen_later_reset' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;\n"
	  . "REVOKE ALL ON FUNCTION idgen.reset_stats(boolean) FROM PUBLIC;\n" . "COMMENT ON FUNCTION idgen.reset_stats(boolean) IS 'of later';\n";
	my $move = "ALTER FUNCTION \@extschema\@.id_to_uuidv8(bigint, \@extschema\@.id_layout) SET SCHEMA idgen;\n";
	my $changes = "$function$region${move}DROP FUNCTION idgen.reset_stats();\n$argument";
	put("$source/sql/install/98-later.sql", $changes);
	put("$source/sql/idgen--$this--$later.sql", "SELECT idgen.require_library('$later'::pg_catalog.text);\n$changes");
	put("$source/sql/idgen_${_}--$this--$later.sql", "-- Nothing changes.\n") for qw(kinds lease migrate registry);
	put("$source/src/pg/sql/later_sql.cpp", <<'CPP');
#include "pg/postgres.hpp"
extern "C" {
PG_FUNCTION_INFO_V1(idgen_later);
PG_FUNCTION_INFO_V1(idgen_later_region);
PG_FUNCTION_INFO_V1(idgen_later_reset);
Datum idgen_region(PG_FUNCTION_ARGS);
Datum idgen_reset_stats(PG_FUNCTION_ARGS);
Datum idgen_later(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text("later")); }
Datum idgen_later_region(PG_FUNCTION_ARGS) { return idgen_region(fcinfo); }
Datum idgen_later_reset(PG_FUNCTION_ARGS) { return idgen_reset_stats(fcinfo); }
}
CPP

	my ($size) = slurp_file($find->('pair_list.hpp')) =~ /sizeof\(RecordPage\) == (\d+)/;
	edit($find->('pair_list.hpp'), qr/    PagePairs pairs;\n/ => "    PagePairs pairs;\n    std::int64_t later;\n", qr/sizeof\(RecordPage\) == $size/ => 'sizeof(RecordPage) == ' . ($size + 8));
	edit($find->('durable_page.cpp'), qr/record_format\{\w+, \d+\};/ => 'record_format{0x49444748, 1000};');
	edit($find->('shared_state.hpp'), qr/SharedState : StateSizes \{\n/ => "SharedState : StateSizes {\n    uint64 later;\n");
	my ($number) = slurp_file($find->('shared_state.cpp')) =~ /"idgen state (\d+)"/;
	edit($find->('shared_state.cpp'), qr/"idgen state $number"/ => '"idgen state ' . ($number + 1) . '"');
	return;
}

# Installs into such a copy of the server, whether one runs there or not, as a package does: what another version had
# goes, and each file is a new one.
sub _install
{
	my ($server, $source) = @_;
	run_or_die("rm -f '$server'/lib/idgen*.so '@{[ extension_folder($server) ]}'/idgen*");
	run_or_die("make -s -C '$source' with_llvm=no COPT=-O0 PG_CONFIG='$server/bin/pg_config' install");
	return;
}

sub extension_folder { my ($server) = @_; return $server =~ s{/lib/postgresql/(\d+)\z}{/share/postgresql/$1/extension}r }

sub install_later { my ($server) = @_; return _install($server, _build('later', \&_make_later)) }
sub install_earlier { my ($server) = @_; earlier_version(); return _install($server, _build('earlier', \&_make_earlier)) }

# This version, by the files that "make install" put into the server that PATH has.
sub install_this
{
	my ($server) = @_;
	my ($lib, $share) = map { chomp(my $path = `pg_config --$_`); $path } qw(pkglibdir sharedir);
	run_or_die("rm -f '$server'/lib/idgen*.so '@{[ extension_folder($server) ]}'/idgen* && cp '$lib'/idgen*.so '$server/lib' && cp '$share'/extension/idgen* '@{[ extension_folder($server) ]}'");
	return;
}

# The libraries of one server for another, whose SQL stays.
sub exchange_library
{
	my ($from, $to) = @_;
	for my $name (map { s{.*/}{}r } glob "'$from'/lib/idgen*.so")
	{
		copy("$from/lib/$name", "$to/lib/$name.new") && rename("$to/lib/$name.new", "$to/lib/$name") or die "$to: $!";
	}
	return;
}

# The row library of idgen.status(): version, verdict and advice.
sub library_of
{
	my ($session) = @_;
	return join ' | ', map { $_ // '' } $session->selectrow_array(q{SELECT value, ok, advice FROM idgen.status() WHERE key = 'library'});
}

# The statements that update every extension of idgen in a database, idgen first.
sub updates_of
{
	my ($session) = @_;
	return @{ $session->selectcol_arrayref(q{SELECT format('ALTER EXTENSION %I UPDATE', extname) FROM pg_extension WHERE extname ~ '^idgen' ORDER BY extname}) };
}

# All that an extension of a database consists of, as sorted lines: the rows of the system catalogs of each member and of
# what depends on it inside the extension, with names in place of OIDs; their definitions, comments, dependencies and
# first privileges.
sub catalog_of
{
	my ($node, $db, $extension) = @_;
	return $node->safe_psql($db, <<"SQL");
CREATE FUNCTION pg_temp.named(class oid, object oid, part int DEFAULT 0) RETURNS text LANGUAGE sql AS \$\$
    SELECT CASE WHEN object = 0 THEN '-' ELSE (SELECT type || ' ' || identity FROM pg_identify_object(class, object, part)) END
\$\$;
CREATE FUNCTION pg_temp.row_of(class oid, key text, object oid) RETURNS jsonb LANGUAGE plpgsql AS \$\$
DECLARE
    entry jsonb;
    reference record;
BEGIN
    EXECUTE format('SELECT to_jsonb(t) FROM %s t WHERE %I = \$1', class::regclass, key) INTO entry USING object;
    FOR reference IN SELECT fkcols[1] AS name, pktable, is_array FROM pg_get_catalog_foreign_keys()
                      WHERE fktable = class AND cardinality(fkcols) = 1 AND pkcols = '{oid}' AND (is_array OR entry ->> fkcols[1] ~ '^[0-9]')
    LOOP
        entry := jsonb_set(entry, ARRAY[reference.name], coalesce((SELECT to_jsonb(string_agg(pg_temp.named(reference.pktable, number[1]::oid), ', ' ORDER BY place))
            FROM regexp_matches(entry ->> reference.name, '\\d+', 'g') WITH ORDINALITY AS n(number, place)), 'null'));
    END LOOP;
    entry := entry || coalesce((SELECT jsonb_object_agg(e.key, (SELECT jsonb_agg(item ORDER BY item) FROM jsonb_array_elements_text(e.value) AS i(item)))
                                  FROM jsonb_each(entry) AS e WHERE e.key ~ 'acl\$' AND jsonb_typeof(e.value) = 'array'), '{}');
    -- Trees of nodes hold OIDs; what follows says the same. The others are of the storage.
    RETURN entry - ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = class AND atttypid = 'pg_node_tree'::regtype)
           - '{oid,relfilenode,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,reltoastrelid,relhasindex}'::text[];
END
\$\$;
CREATE TEMP TABLE part AS
    WITH RECURSIVE parts(classid, objid) AS (
        SELECT 'pg_extension'::regclass::oid, oid FROM pg_extension WHERE extname = '$extension'
        UNION
        SELECT d.classid, d.objid FROM parts p JOIN pg_depend d ON d.refclassid = p.classid AND d.refobjid = p.objid
         WHERE CASE WHEN p.classid = 'pg_extension'::regclass THEN d.deptype = 'e' ELSE d.deptype IN ('i', 'a') END
           AND pg_temp.named(d.classid, d.objid) !~ 'pg_toast')
    SELECT classid, objid, pg_temp.named(classid, objid) AS name FROM parts;
SELECT regexp_replace(replace(line, E'\\n', ' '), 'RI_ConstraintTrigger_(.)_\\d+', 'RI_ConstraintTrigger_\\1', 'g') AS line FROM (
    SELECT concat_ws(' | ', name, pg_temp.row_of(classid, 'oid', objid), obj_description(objid, c.relname)) FROM part JOIN pg_class c ON c.oid = classid
    UNION ALL SELECT concat_ws(' | ', name, pg_get_functiondef(objid)) FROM part JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass AND prokind <> 'a'
    UNION ALL SELECT concat_ws(' | ', name, pg_get_function_arguments(objid), pg_temp.row_of('pg_aggregate'::regclass, 'aggfnoid', objid))
                FROM part JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass AND prokind = 'a'
    UNION ALL SELECT concat_ws(' | ', name, pg_get_viewdef(objid)) FROM part JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass AND relkind = 'v'
    UNION ALL SELECT concat_ws(' | ', name, pg_get_indexdef(objid)) FROM part JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass AND relkind = 'i'
    UNION ALL SELECT concat_ws(' | ', name, pg_temp.row_of('pg_sequence'::regclass, 'seqrelid', objid)) FROM part JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass AND relkind = 'S'
    UNION ALL SELECT concat_ws(' | ', name, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attacl, attcollation::regcollation, attstattarget, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum))
                FROM part JOIN pg_attribute ON attrelid = objid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE classid = 'pg_class'::regclass AND attnum > 0
    UNION ALL SELECT concat_ws(' | ', name, pg_get_constraintdef(objid)) FROM part WHERE classid = 'pg_constraint'::regclass
    UNION ALL SELECT concat_ws(' | ', name, pg_get_triggerdef(objid) !~ 'RI_' OR NULL, tgenabled) FROM part JOIN pg_trigger t ON t.oid = objid WHERE classid = 'pg_trigger'::regclass
    UNION ALL SELECT concat_ws(' | ', name, pg_get_ruledef(objid)) FROM part WHERE classid = 'pg_rewrite'::regclass
    UNION ALL SELECT concat_ws(' | ', name, 'first', privtype, i.objsubid, array(SELECT unnest(initprivs)::text ORDER BY 1)) FROM part JOIN pg_init_privs i ON (i.classoid, i.objoid) = (classid, objid)
    UNION ALL SELECT concat_ws(' | ', pg_temp.named(d.classid, d.objid, d.objsubid), d.deptype, pg_temp.named(d.refclassid, d.refobjid, d.refobjsubid)) FROM part p JOIN pg_depend d USING (classid, objid)
) AS l(line) ORDER BY line COLLATE "C"
SQL
}

# Passes if an extension is the same in two databases; else says what only one of them has.
sub same_catalog
{
	my ($node, $db, $other, $extension, $what) = @_;
	my @differences = different_lines(map { catalog_of($node, $_, $extension) } $db, $other);
	return is(join("\n", @differences), '', $what);
}

# The lines that only one of two catalogs has, marked.
sub different_lines
{
	my @sides = map { { map { $_ => 1 } split /\n/, $_ } } @_;
	return map { my $side = $_; my $mark = qw(< >)[$side]; map { "$mark $_" } grep { !$sides[ 1 - $side ]{$_} } sort keys %{ $sides[$side] } } 0, 1;
}

1;
