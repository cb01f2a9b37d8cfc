# What nodes ask a registry and what it answers, as values that a file can keep: what is another in each registry has a
# name, such as <registry> or <version 2>, and base64 is decoded.
#
#      PostgreSQL  ask [ statement, parameters ... ]   answer { rows => [ ... ] } or { error, state, rule }
#      etcd        ask [ path, body ]                  answer { status, body }
package IdgenConversation;

use strict;
use warnings;

use Digest::SHA qw(sha256);
use HTTP::Tiny;
use IdgenImpostor;
use JSON::PP;
use MIME::Base64 qw(decode_base64 encode_base64);

my $json = JSON::PP->new->utf8->canonical;
our $uuid = qr/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

# The identity that a call for another registry has.
our $foreign = '12345678-1234-4234-8234-123456789012';

# The names of one registry; of none if its values are made from the names.
sub new { my ($class, $kind, $is_made) = @_; return bless { kind => $kind, is_made => $is_made, value => {}, name => {}, count => {} }, $class }

sub print_value { my ($value) = @_; return $json->encode($value) }
sub parse_value { my ($text) = @_; return $json->decode($text) }

# The value of a name; made up, as long as it has none.
sub value_of_name
{
	my ($self, $name) = @_;
	return $self->{value}{$name} if defined $self->{value}{$name};
	die "$name has no value yet" if !$self->{is_made};
	my $number = 1000000000000000000 + unpack 'N', sha256($name);
	my $value =
	    $name eq '<registry>' ? '11111111-2222-4333-8444-555555555555'
	  : $name eq '<clock>'   ? '1795262400123'
	  : $name eq '<left>'    ? '1000'
	  : $name eq '<started>' ? '1795262400123456'
	  : $name eq '<backend>' ? '1/1795262400.5'
	  :                        $number;
	$self->{name}{$value} = $name;
	return $self->{value}{$name} = $value;
}

# The name of a value of some kind: the same for the same value, unless one is enough.
sub name_of
{
	my ($self, $what, $value, $is_one) = @_;
	return $self->{name}{$value} if defined $self->{name}{$value};
	return "<new $what>" if $self->{is_made} && !$is_one;
	my $name = $is_one ? "<$what>" : "<$what " . ++$self->{count}{$what} . '>';
	$self->{value}{$name} = $value if !$self->{is_made};
	$self->{name}{$value} = $name;
	return $name;
}

# Puts names in: $in says in which part of the values a text stands.
sub with_names { my ($self, $value) = @_; return $self->_walk($value, '', sub { return $self->_named(@_) }) }
# And values again.
sub with_values { my ($self, $value) = @_; return $self->_walk($value, '', sub { my ($text) = @_; return $text =~ s/(<[a-z]+(?: \d+)?>)/$self->value_of_name($1)/ger }) }

sub _walk
{
	my ($self, $value, $in, $change) = @_;
	my $held = $in =~ /^held |^value$/ ? 'held ' : '';
	return { map { $_ => $self->_walk($value->{$_}, "$held$_", $change) } sort keys %$value } if ref $value eq 'HASH';
	return [ map { $self->_walk($_, $in, $change) } @$value ] if ref $value eq 'ARRAY';
	return !defined $value || ref $value ? $value : $change->($value, $in);
}

sub _named
{
	my ($self, $text, $in) = @_;
	$text =~ s/($uuid)/$1 eq $foreign ? $1 : $self->name_of('registry', $1, 1)/ge;
	if ($self->{kind} eq 'etcd')
	{
		my $key = $in =~ s/^held //r;
		return $text if $text !~ /^\d+$|^-\d+$/ || $text eq '0';
		return $self->name_of($key, $text) if $in =~ /^held (?:version|identity)$/;
		return $self->name_of('lease', $text) if $key =~ /^(?:lease|ID)$/;
		return $self->name_of($1, $text, 1) if $key =~ /^(cluster|member|raft)(?:_(?:id|term))?$/;
		return $text;
	}
	return $self->name_of('version', $text) if $in =~ /^(?:version|identity)$/ && $text =~ /^-?\d+$/;
	return '<clock>'   if $text =~ /^[1-3]\d{12}$/;
	return '<started>' if $text =~ /^[1-3]\d{15}$/;
	return '<backend>' if $text =~ m{^\d+/\d+\.\d+$};
	return '<left>'    if $in eq 'case' && $text =~ /^[1-9]\d{0,5}$/;
	# What was said of a registry before, alone or in an array.
	return $text =~ s/(?<![\w-])(-?\d{5,})(?!\d)/$self->{name}{$1} \/\/ $1/ger;
}

# A text that says what a call gave.
sub text_with_names
{
	my ($self, $text) = @_;
	my $named = sub {
		my ($number) = @_;
		return $self->{name}{$number} // (length $number > 16 ? '<new version>' : $number =~ m{^[1-3]\d{12}$} && $self->{kind} ne 'etcd' ? '<clock>' : $number);
	};
	return $text =~ s/($uuid)/$1 eq $foreign ? $1 : '<registry>'/ger =~ s/(?<![\w-])(-?\d{5,})(?!\d)/$named->($1)/ger;
}

# The answer of a registry to an ask: an IdgenEtcd, or a session of the owner.
sub answer_from
{
	my ($kind, $registry, $ask) = @_;
	my ($what, @values) = @$ask;
	if ($kind eq 'etcd')
	{
		my $http = HTTP::Tiny->new(timeout => 10)->post("http://127.0.0.1:$registry->{operator_port}$what", { content => to_wire($values[0]) });
		return { status => $http->{status}, body => from_wire($http->{content}) };
	}
	local $registry->{PrintError} = 0;
	my $statement = $registry->prepare($what, { pg_placeholder_dollaronly => 1 });
	if (!eval { $statement->execute(@values); 1 }) { return { error => $registry->pg_error_field('message_primary'), state => $registry->state, rule => $registry->pg_error_field('constraint_name') } }
	my @columns = @{ $statement->{NAME} };
	# By the names of their columns, for the sake of with_names.
	return { rows => [ map { my $row = $_; [ map { { $columns[$_] => $row->[$_] } } 0 .. $#columns ] } @{ $statement->fetchall_arrayref } ] };
}

# What an impostor sends for an answer.
sub bytes_of
{
	my ($kind, $answer) = @_;
	return http("$answer->{status} it", to_wire($answer->{body})) if $kind eq 'etcd';
	return message('E', "SERROR\0VERROR\0C$answer->{state}\0M$answer->{error}\0" . (defined $answer->{rule} ? "n$answer->{rule}\0" : '') . "\0") . ready() if $answer->{error};
	return rows(map { [ map { my ($value) = values %$_; defined $value && utf8::is_utf8($value) ? do { utf8::encode($value); $value } : $value } @$_ ] } @{ $answer->{rows} }) . command_complete() . ready();
}

# What an impostor was asked.
sub ask_of
{
	my ($kind, $request, @values) = @_;
	return [ $request, @values ] if $kind ne 'etcd';
	my ($path, $body) = $request =~ /^POST (\S+) .*?\r\n\r\n(.*)/s or die "no request: $request";
	return [ $path, from_wire($body) ];
}

# The body of a request or an answer of etcd: keys and values go as base64, and values of ours are JSON.
sub from_wire { my ($text) = @_; return _recoded($json->decode($text), sub { my $bytes = decode_base64($_[0]); return eval { $json->decode($bytes) } // $bytes }) }
sub to_wire { my ($body) = @_; return $json->encode(_recoded($body, sub { return encode_base64(ref $_[0] ? $json->encode($_[0]) : $_[0], '') })) }

sub _recoded
{
	my ($value, $recode) = @_;
	return [ map { _recoded($_, $recode) } @$value ] if ref $value eq 'ARRAY';
	return $value if ref $value ne 'HASH';
	return { map { $_ => /^(?:key|value|range_end)$/ ? $recode->($value->{$_}) : _recoded($value->{$_}, $recode) } keys %$value };
}

1;
