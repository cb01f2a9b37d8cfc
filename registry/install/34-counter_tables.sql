-- What counters keep, and what their calls answer.

CREATE TABLE idgen_registry.counter (
    name text PRIMARY KEY CHECK (name <> ''),
    identity bigint NOT NULL DEFAULT idgen_registry.random_version(),
    last bigint NOT NULL CHECK (last >= -1),
    largest bigint NOT NULL CHECK (largest BETWEEN last AND 9223372036854775806),
    run_start bigint NOT NULL CHECK (run_start <= last + 1),
    version_hash bytea NOT NULL DEFAULT idgen_registry.hash(idgen_registry.random_version()),
    block bigint NOT NULL CHECK (block >= 1),
    max_block bigint NOT NULL CHECK (max_block >= block),
    awaits_advance boolean NOT NULL DEFAULT false,
    dropped boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE idgen_registry.counter IS 'counters, and how far each has come; also those that were dropped: another one of the name begins above';
COMMENT ON COLUMN idgen_registry.counter.identity IS 'random, drawn when the counter is made: by it a node knows that a name is used again';
COMMENT ON COLUMN idgen_registry.counter.last IS 'the last number that was given; one less than the first if none was';
COMMENT ON COLUMN idgen_registry.counter.largest IS 'the last number that there is';
COMMENT ON COLUMN idgen_registry.counter.run_start IS 'the first of the numbers that may be given back with the version';
COMMENT ON COLUMN idgen_registry.counter.version_hash IS
    'SHA-256 of the version: random, another one after each change, known to the node that fetched last. With it numbers are given back if nothing has changed since';
COMMENT ON COLUMN idgen_registry.counter.block IS 'how many numbers a node gets at once, at least';
COMMENT ON COLUMN idgen_registry.counter.max_block IS 'and at most';
COMMENT ON COLUMN idgen_registry.counter.awaits_advance IS 'gives nothing until advance_counter(): the registry was put back to an older state';
COMMENT ON COLUMN idgen_registry.counter.dropped IS 'gives nothing: the row only remembers the numbers that were given';

-- Ranges that next_range() has taken and not handed out yet. Nothing is lost with them but a range.
CREATE UNLOGGED TABLE idgen_registry.taken (
    key uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    range int8range NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    taker name NOT NULL DEFAULT session_user
);
CREATE INDEX taken_of_taker ON idgen_registry.taken (taker, at);
COMMENT ON TABLE idgen_registry.taken IS 'ranges that were taken and are to be handed out after the COMMIT, at most 1000 of each role';
COMMENT ON COLUMN idgen_registry.taken.key IS 'random, known to the one that took it';
COMMENT ON COLUMN idgen_registry.taken.taker IS 'the role of the session that took it';

CREATE TYPE idgen_registry.counter_answer AS (outcome text, first bigint, last bigint, version bigint, block bigint, max_block bigint, identity bigint, largest bigint);
COMMENT ON TYPE idgen_registry.counter_answer IS
    'what a call comes to: done, missing, awaits advance, too few, too long, refused or locked; the numbers, the version to give them back with, and the counter';
