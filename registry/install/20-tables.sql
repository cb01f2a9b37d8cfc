-- Drawn again by each CREATE EXTENSION, and in no dump of one: distinguishes these tables from others that a dump
-- brought.
CREATE TABLE idgen_registry.creation (id uuid NOT NULL);
INSERT INTO idgen_registry.creation VALUES (gen_random_uuid());
COMMENT ON TABLE idgen_registry.creation IS 'distinguishes these tables from restored ones, one row';
COMMENT ON COLUMN idgen_registry.creation.id IS 'random, drawn by CREATE EXTENSION';

-- One row: what holds for all shards. It is made by the first call, so that a restored dump can bring its own.
CREATE TABLE idgen_registry.registry (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    identity uuid NOT NULL DEFAULT gen_random_uuid(),
    floor_ms bigint NOT NULL DEFAULT 0,
    max_ahead interval NOT NULL DEFAULT '11 min' CHECK (max_ahead BETWEEN '1 s' AND '15 min'),
    largest_number integer NOT NULL DEFAULT 8191 CHECK (largest_number >= 0),
    longest_ttl interval CHECK (longest_ttl BETWEEN '5 s' AND '1 year'),
    was_advanced boolean NOT NULL DEFAULT false,
    home text NOT NULL
);
COMMENT ON TABLE idgen_registry.registry IS 'the registry itself, one row';
COMMENT ON COLUMN idgen_registry.registry.identity IS 'what nodes know the registry by';
COMMENT ON COLUMN idgen_registry.registry.floor_ms IS 'horizon of every shard that no server has held, unix ms';
COMMENT ON COLUMN idgen_registry.registry.max_ahead IS 'how far ahead of the registry''s clock a horizon may be extended';
COMMENT ON COLUMN idgen_registry.registry.largest_number IS 'no shard above it is given';
COMMENT ON COLUMN idgen_registry.registry.longest_ttl IS 'longest lease that a node may ask for; null: no limit';
COMMENT ON COLUMN idgen_registry.registry.was_advanced IS 'counters may have been lost: one of a name that is not known begins where its owner says';
COMMENT ON COLUMN idgen_registry.registry.home IS 'where the row was written: one that was copied or restored lies elsewhere';

-- A row for each shard that was ever held. Times of a lease are the registry's clock; horizons are times of IDs.
CREATE TABLE idgen_registry.lease (
    number integer PRIMARY KEY CHECK (number >= 0),
    incarnation_hash bytea,
    life_hash bytea,
    horizon_ms bigint NOT NULL,
    claimed_ms bigint NOT NULL CHECK (claimed_ms <= horizon_ms),
    lease_end timestamptz,
    name text NOT NULL CHECK (length(name) <= 128),
    system_identifier bigint NOT NULL,
    timeline integer NOT NULL,
    since timestamptz NOT NULL
);
COMMENT ON TABLE idgen_registry.lease IS 'who holds which shard, and how far its IDs can have come';
COMMENT ON COLUMN idgen_registry.lease.incarnation_hash IS 'SHA-256 of a secret that the owner keeps in its database; null: no owner';
COMMENT ON COLUMN idgen_registry.lease.life_hash IS 'SHA-256 of a secret of one life of the owner, in its memory only';
COMMENT ON COLUMN idgen_registry.lease.horizon_ms IS 'no ID at or after it has been made with the shard, unix ms';
COMMENT ON COLUMN idgen_registry.lease.claimed_ms IS 'the horizon when the owner claimed the shard: it is never lowered below that';
COMMENT ON COLUMN idgen_registry.lease.lease_end IS 'when others may claim the shard; null: never';
COMMENT ON COLUMN idgen_registry.lease.name IS 'what the last owner calls itself';
COMMENT ON COLUMN idgen_registry.lease.since IS 'when the last owner first took it';

CREATE TYPE idgen_registry.answer AS (outcome text, horizon_ms bigint, lease_left_ms bigint, name text, system_identifier bigint,
    clock_ms bigint, max_ahead_ms bigint);
COMMENT ON TYPE idgen_registry.answer IS 'what a call comes to: granted, refused or too far; the shard as it is now, and the registry''s clock and limit';
