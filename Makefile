# idgen: distributed 64-bit IDs made inside PostgreSQL.
#
#   make help                   prints this list
#   make                        builds against the server of pg_config; make install puts it there; V=1 shows the commands
#   make demo                   the main job on a private throw-away server, installing what is missing
#   make walk                   from one server to many on such servers: examples/sharded
#
#   make test                   the tests, installing what is missing; ends with "N passed, N failed"
#   make test-neighbors         the rest: the houses, and what takes other programs, from clang-tidy to Chromium and Patroni
#   make test-migrate           the tests of one house, a folder of that name; also test-kinds, test-registry, test-sql-only, test-js
#   make quick                  at each change: style, analysis, unit, module, regress; of a house that it touches, its own
#   make format                 rewrites the sources as .clang-format says
#   make majors                 what depends on the server, on PostgreSQL 17, 18 and 19; MAJORS=17 ONLY='test/t/clocks/*'
#   make majors-clean           removes what it keeps
#   make all-majors             every suite on every major and variant, whole, for hours; a table in trials/evidence.md
#   make variant OF=clang       built by clang with -Werror: module and regress
#   make variant OF=sanitized   with ASan and UBSan: regress, pgtap, and registries that lie, for LIE_SECONDS=300
#   make variant OF=asserts     below a server built with assertions: regress, pgtap, leases, crashes, faults; MAJOR=18
#   make variant OF=memcheck    such a server under valgrind: some of regress
#   make variant OF=macos       cross-compiled against macOS's own headers, and linked; OF=posix runs what it has in place of Linux's
#   make variant OF=musl        below a server built with musl, as on Alpine: unit, module, regress, pgtap, some of tap; MAJOR=18
#   make variant OF=arm64       cross-compiled and run by qemu: unit, threads, sim, module, some of regress and of tap
#   make check-upgrade          upgrades from PostgreSQL 15 to 17, 18 and 19
#
#   make evidence HOURS=8       fresh seeds for simulator and walks, into trials/evidence/runs.txt; SERVERS=1 adds the nemesis
#   make nemesis MODE=single MINUTES=3   faults at random on servers; trials/nemesis/nemesis has the modes; SEED= repeats them
#   make against                the same against other makers of IDs, as a table
#   make injection              every step at which the module can be killed or fail, and faults of the disk
#   make model                  every variant of the protocol's model, some for minutes
#   make fuzz                   every parser for 10 minutes; keeps what it found in test/fuzz/corpus.txt
#   make sqlsmith MINUTES=10    hostile statements against every function; fails on a crash or an internal error
#   make soak OF=makers         64 sessions for 10 minutes
#   make soak OF=readers MINUTES=10    readers by ID beside writers: what naive ones lose, and what id_settled() costs
#   make soak OF=tickets        what a ticket costs beside nextval, here and through dblink
#   make soak OF=registry PART=faults SECONDS=300   what a registry and its troubles cost nodes; or PART=fetches, sessions
#   make soak OF=fleet NODES=1024 MINUTES=3   what many nodes cost a registry of either kind; fails on a number of two nodes
#
#   make bench                  writes docs/benchmarks.md and trials/bench/tables.md; MAJOR=18: the tables of that major
#
#   make wasm js web            in build/: the core as WebAssembly, the package for JavaScript, the page that reads IDs
#   make dist                   the archive of a release, build/idgen-VERSION.zip, from the last commit
#   make release                all that is published of the last commit, in build/release; MAJORS=17
#   make rehearse               publishes it to stand-ins on this machine, and compares the bytes of two folders
#   make release-check          whether the last commit can be released: what says so, in lines
#   make deb check-deb rpm images   packages and images, in throw-away roots

PG_CONFIG ?= pg_config

# A line for each object, unless make V=1 shows the commands. Perl warns of a locale that the machine does not have.
ifneq ($(V),1)
.SILENT:
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,$(info $(1)))
endif
export PERL_BADLANG = 0

# Where this file stands, with a slash: objects and scripts are made in the present folder, which can be another. What is
# named without it, make finds by VPATH.
top := $(dir $(firstword $(MAKEFILE_LIST)))
files = $(patsubst $(top)%,%,$(sort $(wildcard $(addprefix $(top),$(1)))))
# The parts of an install script: rights are taken back, and then granted, when all is made.
rights_last = $(filter-out %-rights.sql,$(1)) $(filter %-rights.sql,$(1))

# The second module, idgen_lease, needs libpq, and the headers of libcurl.
NETWORK_HEADERS = \#include <libpq-fe.h>\n\#include <curl/curl.h>\n\#if LIBCURL_VERSION_NUM < 0x074200\n\#error old\n\#endif\n
HAS_LEASE := $(shell printf '$(NETWORK_HEADERS)' | $(if $(filter default undefined,$(origin CC)),$$($(PG_CONFIG) --cc 2>/dev/null),$(CC)) \
	$(CPPFLAGS) -I"$$($(PG_CONFIG) --includedir 2>/dev/null)" -E - >/dev/null 2>&1 && echo idgen_lease)

EXTENSION = idgen idgen_kinds idgen_migrate idgen_registry $(HAS_LEASE)
# The version stands in idgen.control; tools/release-check compares what else says it.
EXTVERSION := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" $(top)idgen.control)
MODULE_big = idgen
# Whose updates to this version are put together from install parts, too: at the next version they are files.
UPDATES = idgen idgen_migrate idgen_registry $(HAS_LEASE)
DATA_built = $(EXTENSION:%=sql/%--$(EXTVERSION).sql) $(UPDATES:%=sql/%--0.9.0--$(EXTVERSION).sql) sql/idgen_registry.sql
DATA = $(filter-out $(DATA_built),$(filter $(EXTENSION:%=sql/%--%),$(call files,sql/*--*--*.sql)))
SCRIPTS = bin/idgen-setup
# With what of the node's side of a registry each session needs, and the kinds.
OBJS = $(patsubst %.cpp,%.o,$(call files,src/core/*/*.cpp src/pg/*.cpp src/pg/*/*.cpp registry/node/rules/*.cpp registry/node/held/*.cpp \
	kinds/core/*.cpp kinds/pg/*.cpp))
# What idgen_lease has of its own, and what it has of the first module's.
LEASE_OWN = $(patsubst %.cpp,%.o,$(call files,registry/node/*.cpp $(patsubst %,registry/node/%/*.cpp,store postgres etcd tickets keep sql)))
LEASE_OBJS = $(LEASE_OWN) $(filter src/core/% registry/node/rules/% registry/node/held/leases.o $(patsubst %,src/pg/%.o, \
	host/clock host/machine host/own_extension host/sequence_pages host/server_identity host/server_locks host/system \
	report/report_arguments report/words),$(OBJS))
# Of these, what calls a registry.
STORE_OBJS = $(filter src/core/% registry/node/rules/% $(patsubst %,registry/node/%,store/% postgres/% etcd/% keep/open_registry.o) \
	$(patsubst %,src/pg/host/%.o,clock machine server_locks system),$(LEASE_OBJS))
DEPENDENCIES = $(OBJS:.o=.d) $(LEASE_OWN:.o=.d)
EXTRA_CLEAN = $(DEPENDENCIES) $(LEASE_OWN) idgen_lease$(DLSUFFIX) $(addsuffix $(EXTVERSION).sql,sql/idgen_lease-- sql/idgen_lease--0.9.0--) \
	$(foreach house,$(HOUSES),$(addprefix $(house)/,results regression.diffs regression.out))

# AES for public IDs.
SHLIB_LINK = -lcrypto

REGRESS = $(shell cat $(top)sql/schedule)

# The houses beside the extension itself, each in a folder with a README; and those that have tests of pg_regress.
HOUSES = kinds migrate registry sql-only js
REGRESS_HOUSES = idgen kinds migrate registry

# No exceptions and no RTTI: the module needs no libstdc++, and no exception can cross into C. COPT is the builder's own, such
# as -Werror: before 19 the server's makefiles give it only to C.
PG_CPPFLAGS = -I$(top)src -I$(top) -DIDGEN_VERSION='"$(EXTVERSION)"'
PG_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -fvisibility=hidden \
	-Wall -Wextra -Wno-unused-parameter -Wno-register $(COPT)
# Debug information names the folder of a build as ".": so each folder gives the same bytes.
PG_CXXFLAGS += -ffile-prefix-map='$(CURDIR)'=.

# installcheck is our own.
NO_INSTALLCHECK = 1

.DEFAULT_GOAL := all

.PHONY: help demo walk test test-neighbors quick majors all-majors majors-clean variant bench soak \
	nemesis against evidence sqlsmith injection model fuzz format dist release rehearse release-check deb check-deb rpm images \
	check-upgrade
help:
	@sed -n '/^PG_CONFIG/q; 3,$$s/^# *//p' $(firstword $(MAKEFILE_LIST))

test-neighbors:
	@./tools/test analysis fuzz model bare dates release cost web clients houses neighbors

demo walk test quick majors:
	@./tools/$@

# What lies below the server: every step at which a module can be killed, fail or find another clock, each tried once, and the trials of
# disks. SEED= draws other sectors that a disk loses.
injection:
	@INJECTION=all ONLY="$${ONLY:-test/t/faults/failed_steps.pl test/t/faults/torn_pages.pl registry/t/lease_steps.pl}" ./tools/test tap

bench nemesis evidence sqlsmith:
	@./trials/$@/$@

against all-majors:
	@./trials/$@

majors-clean:
	@./tools/majors clean

soak:
	@./trials/soak/soak $(OF)

variant:
	@./trials/variants $(OF)

model:
	@./tools/packages analysis && ./test/model/run all

fuzz:
	@./tools/packages analysis && $(MAKE) -s -C test/fuzz -j2 SECONDS=600 run && $(MAKE) -s -C test/fuzz keep

# With the page, if it can be built here.
dist:
	@mkdir -p build
	@$(MAKE) -s -f js/build.mk web || { rm -f build/web/index.html; echo "js/page/index.html is left out: it needs clang, lld, wasi-libc and libc++ for wasm32"; }
	git archive --format=zip $$(ls build/web/index.html 2>/dev/null | sed 's|.*|--prefix=idgen-$(EXTVERSION)/js/page/ --add-file=&|') --prefix=idgen-$(EXTVERSION)/ -o build/idgen-$(EXTVERSION).zip HEAD

release:
	@./tools/release make

rehearse:
	@./tools/release repeat && ./tools/release rehearse

# The tree, what was tried of its code, and what is to be published.
release-check:
	@status=0; for check in tools/release-check 'trials/evidence/evidence --lacking' 'trials/all-majors --lacking' 'tools/release check'; do \
		./$$check || status=1; \
	done; exit $$status

deb:
	@./tools/deb build

check-deb:
	@./tools/deb check

rpm images:
	@./tools/$@

check-upgrade:
	@./tools/upgrade

format:
	clang-format -i $$(git ls-files '*.cpp' '*.hpp')

include $(HOUSES:%=$(top)%/house.mk)
.PHONY: $(HOUSES:%=test-%)

# Without a server to build against, the goals above install one first.
ifneq ($(shell command -v $(PG_CONFIG)),)
PGXS := $(shell $(PG_CONFIG) --pgxs)
# make install prefix=DIR: PGXS would look for the server's headers there too, or, as Debian configured it, not install
# there.
ifeq ($(origin prefix),command line)
install_prefix := $(prefix)
override undefine prefix
endif
include $(PGXS)
ifdef install_prefix
override datadir := $(install_prefix)/share
override pkglibdir := $(install_prefix)/lib
override bitcodedir := $(pkglibdir)/bitcode
override bindir := $(install_prefix)/bin
endif
COMPILE.cxx.bc += $(PG_CXXFLAGS)
%.o: CXXFLAGS += -MMD -MP$(call say,  $@)
ifneq ($(top),./)
$(shell mkdir -p $(sort $(dir $(OBJS) $(LEASE_OWN) $(DATA_built))))
endif
# The install scripts are put together from their parts; those of the houses are named there.
sql/idgen--$(EXTVERSION).sql: tools/install-script idgen.control $(call rights_last,$(call files,sql/common/* sql/install/*))
sql/idgen--0.9.0--$(EXTVERSION).sql: tools/install-script idgen.control sql/from-0.9.0.sql sql/install/89-audit.sql sql/install/91-watch.sql \
	sql/common/90-rights.sql sql/after-0.9.0.sql
$(DATA_built):
	perl $< $(firstword $(subst --, ,$(basename $(@F)))) $(filter-out $<,$^) > $@ || { rm -f $@; exit 1; }
# What has the version in it, by itself or by the name of the gate between the two modules.
$(patsubst %.cpp,%.o,$(shell cd '$(top)' && grep -lE 'IDGEN_VERSION|find_lease_gate|lease_gate_name' src/*/*.cpp src/*/*/*.cpp registry/node/*.cpp registry/node/*/*.cpp)): idgen.control
ifdef HAS_LEASE
# PGXS builds one module; this is the other, without bitcode.
$(LEASE_OWN): override CPPFLAGS += -I$(includedir)
idgen_lease$(DLSUFFIX): $(LEASE_OBJS)
	$(LINK.shared) -o $@ $^ $(LDFLAGS) $(LDFLAGS_SL) $(BE_DLLLIBS) -lpq -ldl
all: idgen_lease$(DLSUFFIX)
install: install-lease
install-lease: all installdirs
	$(INSTALL_SHLIB) idgen_lease$(DLSUFFIX) '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-lease
uninstall-lease:
	rm -f '$(DESTDIR)$(pkglibdir)/idgen_lease$(DLSUFFIX)'
else
all: say-without-lease
say-without-lease:
	@echo "idgen_lease is left out: it needs the headers of libpq, and of libcurl 7.66 or later"
endif
# PGXS looks for the script in a folder bin of that folder.
uninstall: uninstall-setup
uninstall-setup:
	rm -f '$(DESTDIR)$(bindir)/idgen-setup'
.PHONY: install-lease uninstall-lease say-without-lease uninstall-setup objects

# Prints one of the lists above, for tests that link its objects with others: make objects LIST=LEASE_OBJS.
objects:
	@echo $($(LIST))

# pg_regress reads one folder, so each house has a rule of its own. All of them run, whichever fails, but for LEFT_OUT.
installcheck:
	@status=0; for house in $(REGRESS_HOUSES); do \
		$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) installcheck-$$house || status=1; \
	done; exit $$status
installcheck-idgen:
	$(call regress_in,$(srcdir:%/=%),.) $(filter-out $(LEFT_OUT),$(REGRESS))
regress_in = $(pg_regress_installcheck) --inputdir=$(1) $(if $(filter-out 15,$(MAJORVERSION)),--expecteddir=$(1)) \
	--outputdir=$(2) --dbname=$(CONTRIB_TESTDB)
# The tests of a house: what differs is printed, since whoever runs them looks for it at the top.
regress_house = mkdir -p $(1) && $(call regress_in,$(srcdir:%/=%)/$(1),$(1)) $(filter-out $(LEFT_OUT),$(2)) || \
	{ cat $(1)/regression.diffs; exit 1; }
.PHONY: installcheck-idgen $(HOUSES:%=installcheck-%)
-include $(DEPENDENCIES)
else
all install installcheck clean:
	@echo "$@ needs pg_config, from the package postgresql-server-dev-15 or the like; or run: make demo" >&2
	@exit 1
endif
