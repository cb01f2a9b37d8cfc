# META.json is what the PGXN Meta Spec 1.0.0 asks for, and says what is in the tree. The rules are written here from the specification.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Checkout;
use JSON::PP;
use Test::More;

my $meta = decode_json(text_of(source_tree() . '/META.json'));

# A term: at least two characters, none of them a space, a slash, a backslash or a control character.
my $term = qr{\A[^\s/\\[:cntrl:]]{2,}\z};
# A semantic version.
my $number = qr/(?:0|[1-9]\d*)/;
my $version = qr/\A$number\.$number\.$number(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?\z/;
# A version range: versions with or without an operator, joined by commas; 0 is any.
my $range = qr/\A(?:0|(?:(?:[<>]=?|[!=]=)\s*)?$number\.$number\.$number[0-9A-Za-z.-]*(?:\s*,\s*(?:(?:[<>]=?|[!=]=)\s*)?$number\.$number\.$number[0-9A-Za-z.-]*)*)\z/;
my $url = qr{\A[a-z][a-z0-9+.-]*://\S+\z};
my %license = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1
  lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown);

# What is wrong with a value, as lines; each rule is given the value and the path to it.
my @wrong;

sub wrong { push @wrong, join ' ', @_; return }

sub matches
{
	my ($pattern, $what) = @_;
	return sub {
		my ($value, $at) = @_;
		wrong($at, 'is no', $what) if !defined $value || ref $value || $value !~ $pattern;
	};
}

sub one_or_list
{
	my ($rule) = @_;
	return sub {
		my ($value, $at) = @_;
		return $rule->($value, $at) unless ref $value eq 'ARRAY';
		wrong($at, 'is empty') unless @$value;
		$rule->($value->[$_], "$at\[$_]") for 0 .. $#$value;
	};
}

# An object: the keys that it must have, and may have. Keys that begin with x_ are anybody's.
sub object
{
	my ($required, $optional) = @_;
	return sub {
		my ($value, $at) = @_;
		return wrong($at, 'is no object') if ref $value ne 'HASH';
		wrong($at, 'lacks', $_) for grep { !exists $value->{$_} } sort keys %$required;
		for my $key (grep { !/^x_/i } sort keys %$value)
		{
			my $rule = $required->{$key} // $optional->{$key};
			$rule ? $rule->($value->{$key}, "$at.$key") : wrong($at, 'has an unknown', $key);
		}
	};
}

# An object whose keys are terms.
sub terms
{
	my ($rule) = @_;
	return sub {
		my ($value, $at) = @_;
		return wrong($at, 'is no object') if ref $value ne 'HASH' || !%$value;
		for my $key (sort keys %$value)
		{
			wrong($at, 'has a key that is no term:', $key) if $key !~ $term;
			$rule->($value->{$key}, "$at.$key");
		}
	};
}

my $text = matches(qr/\S/, 'text');
my $is_term = matches($term, 'term');
my $is_version = matches($version, 'semantic version');
my $is_url = matches($url, 'URL');

sub license
{
	my ($value, $at) = @_;
	return terms($is_url)->($value, $at) if ref $value eq 'HASH';
	return one_or_list(sub { wrong($_[1], 'is no license:', $_[0]) unless $license{ $_[0] } })->($value, $at);
}

my $relations = object({}, { map { $_ => terms(matches($range, 'version range')) } qw(requires recommends suggests conflicts) });
my $rules = object(
	{
		name        => $is_term,
		version     => $is_version,
		abstract    => $text,
		maintainer  => one_or_list($text),
		license     => \&license,
		provides    => terms(object({ file => $text, version => $is_version }, { abstract => $text, docfile => $text })),
		'meta-spec' => object({ version => matches(qr/\A1\.0\.\d+\z/, 'version of the specification') }, { url => matches(qr{\Ahttps?://pgxn\.org/meta/spec\.txt\z}, 'address of the specification') })
	},
	{
		description    => $text,
		generated_by   => $text,
		tags           => one_or_list(matches(qr{\A[^/\\[:cntrl:]]{1,255}\z}, 'tag')),
		no_index       => object({}, { file => one_or_list($text), directory => one_or_list($text) }),
		prereqs        => object({}, { map { $_ => $relations } qw(configure build test runtime develop) }),
		release_status => matches(qr/\A(?:stable|testing|unstable)\z/, 'status'),
		resources      => object({}, {
			homepage   => $is_url,
			bugtracker => object({}, { web => $is_url, mailto => matches(qr/\A\S+@\S+\z/, 'address') }),
			repository => object({}, { url => $is_url, web => $is_url, type => matches(qr/\A[a-z]+\z/, 'type') })
		})
	});

sub wrong_with
{
	my ($value) = @_;
	@wrong = ();
	$rules->($value, 'META');
	return join "\n", @wrong;
}

is(wrong_with($meta), '', 'META.json is what the specification asks for');

# The rules notice what is wrong.
sub noticed
{
	my ($what, $change, $pattern) = @_;
	my $copy = decode_json(encode_json($meta));
	$change->($copy);
	return like(wrong_with($copy), $pattern, "noticed: $what");
}
for my $key (qw(name version abstract maintainer license provides meta-spec))
{
	noticed("no $key", sub { delete $_[0]{$key} }, qr/^META lacks \Q$key\E$/);
}
noticed('a name that is no term', sub { $_[0]{name} = 'id gen' }, qr/^META\.name is no term$/);
noticed('a version with two numbers', sub { $_[0]{version} = '0.9' }, qr/^META\.version is no semantic version$/);
noticed('a leading zero', sub { $_[0]{provides}{idgen}{version} = '0.09.0' }, qr/^META\.provides\.idgen\.version is no semantic version$/);
noticed('a license that is none', sub { $_[0]{license} = 'PostgreSQL' }, qr/^META\.license is no license/);
noticed('an extension without a file', sub { delete $_[0]{provides}{idgen}{file} }, qr/^META\.provides\.idgen lacks file$/);
noticed('a tag with a slash', sub { $_[0]{tags}[0] = 'a/b' }, qr/^META\.tags\[0\] is no tag$/);
noticed('a requirement that is no range', sub { $_[0]{prereqs}{runtime}{requires}{PostgreSQL} = '15' }, qr/is no version range$/);
noticed('a phase that there is not', sub { $_[0]{prereqs}{run} = {} }, qr/^META\.prereqs has an unknown run$/);
noticed('a status that there is not', sub { $_[0]{release_status} = 'beta' }, qr/^META\.release_status is no status$/);
noticed('a key that there is not', sub { $_[0]{tag} = 'id' }, qr/^META has an unknown tag$/);
noticed('a home page without a scheme', sub { $_[0]{resources} = { homepage => 'pgxn.org' } }, qr/^META\.resources\.homepage is no URL$/);

# It says what is in the tree.
my @controls = map { s{.*/}{}r =~ s/\.control$//r } glob source_tree() . '/*.control';
is_deeply([ sort keys %{ $meta->{provides} } ], [ sort @controls ], 'it provides the extensions of the tree');
for my $extension (values %{ $meta->{provides} })
{
	ok(-f source_tree() . "/$_", "$_ is there") for @$extension{qw(file docfile)};
}

# pg_buildext makes the one from the other, and a build refuses one that differs.
my $control = text_of(source_tree() . "/debian/control");
my ($major) = $control =~ /^Package: postgresql-(\d+)-idgen$/m;
is($control, text_of(source_tree() . "/debian/control.in") =~ s/PGVERSION/$major/gr, 'debian/control is that of debian/control.in');

done_testing();
