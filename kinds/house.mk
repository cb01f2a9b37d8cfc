# idgen_kinds: what the Makefile at the top, which includes this, builds and tests. Its C++ goes into the library of idgen.

sql/idgen_kinds--$(EXTVERSION).sql: tools/install-script idgen.control \
	$(filter-out %-schema.sql %-rights.sql,$(call files,sql/common/*)) $(call files,kinds/install/*)

installcheck-kinds:
	$(call regress_house,kinds,time_prefixed kinds)

test-kinds:
	@HOUSES=kinds ./tools/test unit regress pgtap houses
