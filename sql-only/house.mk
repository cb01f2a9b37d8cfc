# The edition in SQL alone is not built: it has only tests. The Makefile at the top includes this.

test-sql-only:
	@HOUSES=sql-only ./tools/test houses web
