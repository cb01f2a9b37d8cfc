-- In docs/clients/javascript.md:
-- drizzle/0000_extensions.sql
CREATE EXTENSION IF NOT EXISTS idgen;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS idgen_kinds;
-- End.
