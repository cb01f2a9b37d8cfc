# A machine of Debian with one cluster, for the TAP tests: a shell on it types what a page prints. The cluster is a node
# of the test. What needs root, or a machine of its own, is stood in for by small scripts in PATH; names of the page
# that a reader replaces are replaced.
package IdgenMachine;

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use IdgenPages;
use IPC::Run ();
use PostgreSQL::Test::Utils qw(append_to_file slurp_file);
use Test::More;

# Options: installed (1: idgen's files are there, and make does nothing), replace (names that the pages print, and what
# they are here).
sub new
{
	my ($class, $node, %option) = @_;
	my $root = abs_path($node->basedir) . '/machine';
	my $major = $node->pg_version->major;
	my $user = getpwuid $<;
	make_path("$root/bin", "$root/etc/postgresql/$major", "$root/etc/default", "$root/etc/prometheus");
	symlink abs_path($node->data_dir), "$root/etc/postgresql/$major/main" or die "$root: $!";
	my $self = bless { node => $node, root => $root, replace => $option{replace} // {} }, $class;

	# sudo runs the command as it is, and the owner of files is the user who runs the test.
	$self->stand_in('sudo', 'if [ "$1" = -u ]; then shift 2; fi; exec "$@"');
	$self->stand_in('install', "exec /usr/bin/install \$(for word; do case \$word in postgres) echo '$user' ;; *) echo \"\$word\" ;; esac; done)");
	# apt-get says whether the packages are there, those of this server for Debian's own.
	$self->stand_in('apt-get', "[ \"\$1\" != update ] || exit 0; shift 2; set -- \$(echo \" \$* \" | sed 's/ postgresql / postgresql-$major /; s/-dev-all /-dev-$major /'); echo \"\$@\" >>'$root/packages'; dpkg-query -W \"\$@\"");
	$self->stand_in('pg_lsclusters', "echo $major main 5432 online");
	# systemctl restarts the node, and what a test has said of other services.
	$self->stand_in('systemctl', "[ \"\$1\" = restart ] && exec '$root/bin/restart.'\"\$2\"");
	$self->stand_in('restart.postgresql', sprintf "exec pg_ctl -w -m fast restart -D '%s' -l '%s'", abs_path($node->data_dir), abs_path($node->logfile));
	# make and make install find that all is there; readme.pl types the real ones.
	$self->stand_in('make', 'cd "$(pg_config --sharedir)/extension" && ls idgen.control idgen_kinds.control idgen_lease.control idgen_registry.control')
	  if $option{installed};
	return $self;
}

my @services;
my $test = $$;

# Says how a service is started. What ends by itself says by its status whether it can start; else it is ended with the
# test.
sub unit
{
	my ($self, $name, $command) = @_;
	my ($run, $log, $pid) = ("$self->{root}/bin/run.$name", "$self->{root}/$name.log", "$self->{root}/$name.pid");
	$self->stand_in("run.$name", $command);
	$self->stand_in("restart.$name", <<"END");
[ ! -e '$pid' ] || kill "\$(cat '$pid')" 2>/dev/null
'$run' >'$log' 2>&1 </dev/null &
service=\$!
sleep 0.2
if kill -0 \$service 2>/dev/null; then echo \$service >'$pid'; else wait \$service || { cat '$log' >&2; exit 1; }; fi
END
	push @services, $pid;
	return;
}

END
{
	local $?;
	if ($$ == $test) { kill 'TERM', slurp_file($_) =~ /(\d+)/ for grep { -s } @services }
}

# Puts a script into the machine's PATH.
sub stand_in
{
	my ($self, $name, $script) = @_;
	my $file = "$self->{root}/bin/$name";
	unlink $file;
	append_to_file($file, "#!/bin/sh\n$script\n");
	chmod 0755, $file or die "$file: $!";
	return;
}

# A file of the machine.
sub file { my ($self, $name) = @_; return "$self->{root}$name" }

# The text of a page with this machine's names: its major version if the page has 15, its folders, and what new was
# given.
sub as_here
{
	my ($self, $text) = @_;
	my $major = $self->{node}->pg_version->major;
	$text =~ s{(postgresql[\w-]*-|postgresql/)15\b}{$1$major}g;
	$text =~ s{/etc/}{$self->{root}/etc/}g;
	$text =~ s{/run/postgresql\b}{$self->{node}->host}ge;
	$text =~ s/\Q$_\E/$self->{replace}{$_}/g for sort { length $b <=> length $a } keys %{ $self->{replace} };
	return $text;
}

# Runs a command in the tree, with the machine's PATH and way to its server; whether it succeeded. What it said is kept.
sub run
{
	my ($self, $command, $input) = @_;
	local %ENV = (%ENV, PATH => "$self->{root}/bin:$ENV{PATH}", PGHOST => $self->{node}->host, PGPORT => $self->{node}->port);
	my $status = IPC::Run::run($command, '<', \($input // ''), '>', \my $out, '2>', \my $error, init => sub { chdir tree() or die });
	@$self{qw(out error)} = ($out, $error);
	return $status;
}

# Types a block of a page: a shell's by bash, which stops at the first command that fails; SQL into psql, in a database,
# as a role; a shell's commands read the option input. Passes where nothing failed and nobody was warned. Gives what was
# printed.
sub types
{
	my ($self, $block, %option) = @_;
	my $text = $self->as_here($option{text} // $block->{text});
	my $what = "$block->{page}.md, $block->{section}, block $block->{number}";
	$self->{typed}{"$block->{page} $block->{number}"} = 1;
	my $done =
	  $block->{language} eq 'sql'
	  ? $self->run([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', $option{role} ? ('-U', $option{role}) : (), '-d', $option{db} // 'postgres' ], $text)
	  : $self->run([ 'bash', '-e', '-o', 'pipefail', '-c', $text ], $option{input});
	my $warned = $self->{error} =~ /^\S*(?:WARNING|ERROR|FATAL):/m;
	ok($done && !$warned,
		$what . ($option{role} ? " as $option{role}" : '')) or diag("$text\n$self->{out}$self->{error}");
	return $self->{out};
}

# Types all blocks of SQL and of the shell in a section, in their order.
sub types_section
{
	my ($self, $page, $section, %option) = @_;
	my @blocks = grep { $_->{section} eq $section && $_->{language} =~ /^(?:sh|sql)$/ } blocks($page);
	die "$page has no block in \"$section\"" unless @blocks;
	return join '', map { $self->types($_, %option) } @blocks;
}

# Types README's way into your own server. Options: schema (1: into a schema of its own, by the option that README names).
sub types_readme
{
	my ($self, %option) = @_;
	my $text = block('README', 'Install it into your own server', 'sh');
	if ($option{schema})
	{
		my ($schema) = page('README') =~ /take `(--schema \w+)`/ or die 'README names no schema';
		$text =~ s/(idgen-setup .*)/$1 $schema/ or die 'README sets nothing up';
	}
	my ($install) = grep { $_->{section} eq 'Install it into your own server' } blocks('README');
	return $self->types($install, text => $text);
}

# The blocks of SQL and of the shell in a page that none of these machines has typed.
sub untyped
{
	my ($page, @machines) = @_;
	return map { "$_->{section}, block $_->{number}" }
	  grep { my $name = "$page $_->{number}"; $_->{language} =~ /^(?:sh|sql)$/ && !grep { $_->{typed}{$name} } @machines } blocks($page);
}

1;
