# idgen_registry, and the SQL of idgen_lease: what the Makefile at the top, which includes this, builds and tests.

sql/idgen_lease--$(EXTVERSION).sql: tools/install-script idgen.control \
	$(call rights_last,$(call files,sql/common/*) $(call files,registry/lease/[0-9]*))
sql/idgen_lease--0.9.0--$(EXTVERSION).sql: tools/install-script idgen.control registry/lease/from-0.9.0.sql \
	sql/common/90-rights.sql registry/lease/after-0.9.0.sql
sql/idgen_registry--$(EXTVERSION).sql: tools/install-script idgen.control sql/common/00-load.sql \
	$(filter-out %-plain.sql,$(call files,registry/install/*))
# An update replaces all but what holds data, and rights.
sql/idgen_registry--0.9.0--$(EXTVERSION).sql: tools/install-script idgen.control registry/from-0.9.0.sql \
	$(call files,$(patsubst %,registry/install/*-%.sql,rules calls counters replication owner)) registry/after-0.9.0.sql sql/common/90-rights.sql
# For servers on which no extension can be installed.
sql/idgen_registry.sql: tools/install-script idgen.control \
	$(filter-out %-extension.sql,$(call files,registry/install/*))

installcheck-registry:
	$(call regress_house,registry,registry $(if $(HAS_LEASE),lease))

test-registry:
	@HOUSES=registry ./tools/test sim regress houses
