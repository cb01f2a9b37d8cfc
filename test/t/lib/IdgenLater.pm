# A copy of the server with idgen as it is, and a later version of idgen made from a copy of this tree: one function
# more, a longer record on the page, longer shared structs.
package IdgenLater;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use PostgreSQL::Test::Utils;

our @EXPORT = qw(copy_server build_later install_later later_version this_version);

my $tree = abs_path(dirname(__FILE__) . '/../../..');

# Where all of it is made; gone with the test.
my $folder;
sub folder { return $folder //= abs_path(PostgreSQL::Test::Utils::tempdir('later')) }

sub this_version
{
	my ($version) = slurp_file("$tree/idgen.control") =~ /^default_version = '(.*)'$/m;
	return $version;
}

# The next after this one.
sub later_version
{
	my @numbers = split /\./, this_version();
	return "$numbers[0].$numbers[1]." . ($numbers[2] + 1);
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
	my ($bin, $share, $include) = map { chomp(my $path = `pg_config --$_`); abs_path($path) } qw(bindir sharedir includedir);
	my $server = dirname($bin);
	my $copy = folder() . "/$name";
	for my $part ($server, $share)
	{
		make_path("$copy" . dirname($part));
		run_or_die("cp -al '$part' '$copy$part'");
	}
	make_path("$copy" . dirname($include));
	symlink $include, "$copy$include";
	return "$copy$server";
}

# Edits a file of the later version: each pattern must be there.
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

sub find
{
	my ($name) = @_;
	chomp(my @found = `find '$folder/src/src' -name $name`);
	die "not one $name: @found" if @found != 1;
	return $found[0];
}

# Makes the later version, once.
sub build_later
{
	my $source = folder() . '/src';
	return if -d $source;
	make_path($source);
	run_or_die("cd '$tree' && tar -cf - --exclude=./.git --exclude=./test --exclude=node_modules --exclude=./data . | tar -xf - -C '$source'");
	my ($this, $later) = (this_version(), later_version());
	edit("$source/$_.control", qr/^default_version = '.*'$/m => "default_version = '$later'") for qw(idgen idgen_migrate);

	my $function = "CREATE FUNCTION idgen_later() RETURNS text AS 'MODULE_PATHNAME', 'idgen_later' LANGUAGE C IMMUTABLE PARALLEL SAFE;\n"
	  . "COMMENT ON FUNCTION idgen_later() IS 'what came later';\n";
	put("$source/sql/install/98-later.sql", $function);
	put("$source/sql/idgen--$this--$later.sql", "SELECT idgen.require_library('$later'::pg_catalog.text);\n$function");
	put("$source/sql/idgen_migrate--$this--$later.sql", "-- Nothing changes.\n");
	put("$source/src/pg/sql/later_sql.cpp", <<'CPP');
#include "pg/postgres.hpp"
extern "C" {
PG_FUNCTION_INFO_V1(idgen_later);
Datum idgen_later(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text("later")); }
}
CPP

	edit(find('durable_record.hpp'), qr/std::uint64_t machine; +\/\/ whose.*\n/ => "std::uint64_t machine;\n    std::int64_t later;\n", qr/sizeof\(DurableRecord\) == 64/ => 'sizeof(DurableRecord) == 72');
	edit(find('pair_list.hpp'), qr/sizeof\(RecordPage\) == 584/ => 'sizeof(RecordPage) == 592');
	edit(find('durable_page.cpp'), qr/record_format\{\w+, \d+\};/ => 'record_format{0x49444748, 1000};');
	edit(find('shared_state.hpp'), qr/(SharedState : StateSizes \{\n)/ => "SharedState : StateSizes {\n    uint64 later;\n",
		qr/sizeof\(SharedDatabase\) == 22/ => 'sizeof(SharedDatabase) == 23');
	my ($number) = slurp_file(find('shared_state.cpp')) =~ /"idgen state (\d+)"/;
	edit(find('shared_state.cpp'), qr/"idgen state $number"/ => '"idgen state ' . ($number + 1) . '"');
	run_or_die("make -s -C '$source' -j2 with_llvm=no COPT=-O0");
	return;
}

# Installs the later version into such a copy of the server, whether one runs there or not.
sub install_later
{
	my ($server) = @_;
	build_later();
	run_or_die("make -s -C '$folder/src' with_llvm=no COPT=-O0 PG_CONFIG='$server/bin/pg_config' install");
	return;
}

1;
