# idgen_migrate: what the Makefile at the top, which includes this, builds and tests of it.

sql/idgen_migrate--$(EXTVERSION).sql: tools/install-script idgen.control sql/common/00-load.sql \
	$(call files,migrate/install/*)
# An update replaces all but what holds data.
sql/idgen_migrate--0.9.0--$(EXTVERSION).sql: tools/install-script idgen.control migrate/from-0.9.0.sql \
	$(filter-out %-schema.sql %-job_table.sql,$(call files,migrate/install/*))

installcheck-migrate:
	$(call regress_house,migrate,migrate adopt migrate_schema)

test-migrate:
	@HOUSES=migrate ./tools/test regress houses
