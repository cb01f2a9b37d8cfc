-- One row: what holds for all numbers. It is made by the first call, so that a restored dump can bring its own.
CREATE TABLE idgen_registry.registry (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    identity uuid NOT NULL DEFAULT gen_random_uuid(),
    floor_ms bigint NOT NULL DEFAULT 0,
    max_ahead interval NOT NULL DEFAULT '11 min' CHECK (max_ahead BETWEEN '1 s' AND '1 day'),
    home text NOT NULL
);
COMMENT ON TABLE idgen_registry.registry IS 'the registry itself, one row';
COMMENT ON COLUMN idgen_registry.registry.identity IS 'what nodes know the registry by';
COMMENT ON COLUMN idgen_registry.registry.floor_ms IS 'horizon of every number that nobody has held, unix ms';
COMMENT ON COLUMN idgen_registry.registry.max_ahead IS 'how far ahead of the registry''s clock a horizon may be extended';
COMMENT ON COLUMN idgen_registry.registry.home IS 'where the row was written: one that was copied or restored lies elsewhere';

-- A row for each number that was ever held. Times of a lease are the registry's clock; horizons are times of IDs.
CREATE TABLE idgen_registry.lease (
    number integer PRIMARY KEY CHECK (number >= 0),
    incarnation bigint CHECK (incarnation <> 0),
    life bigint,
    horizon_ms bigint NOT NULL,
    claimed_ms bigint NOT NULL CHECK (claimed_ms <= horizon_ms),
    lease_end timestamptz,
    name text NOT NULL CHECK (length(name) <= 128),
    system_identifier bigint NOT NULL,
    timeline integer NOT NULL,
    since timestamptz NOT NULL
);
COMMENT ON TABLE idgen_registry.lease IS 'who holds which number, and how far its IDs can have come';
COMMENT ON COLUMN idgen_registry.lease.incarnation IS 'secret of the owner, in its database; null: none';
COMMENT ON COLUMN idgen_registry.lease.life IS 'secret of one start of the owner, in its memory alone';
COMMENT ON COLUMN idgen_registry.lease.horizon_ms IS 'no ID at or after it has been made with the number, unix ms';
COMMENT ON COLUMN idgen_registry.lease.claimed_ms IS 'the horizon when the owner claimed the number: it is never lowered below that';
COMMENT ON COLUMN idgen_registry.lease.lease_end IS 'when others may claim the number; null: never';
COMMENT ON COLUMN idgen_registry.lease.name IS 'what the last owner calls itself';
COMMENT ON COLUMN idgen_registry.lease.since IS 'when the last owner first took it';

CREATE TYPE idgen_registry.answer AS (outcome text, horizon_ms bigint, lease_left_ms bigint, name text, system_identifier bigint);
COMMENT ON TYPE idgen_registry.answer IS 'what a call comes to: granted, refused or too far; and the number as it is now';
