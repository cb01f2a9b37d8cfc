CREATE EXTENSION IF NOT EXISTS idgen;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS idgen_kinds;
