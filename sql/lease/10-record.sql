-- Written by the server's own worker before each take; a dump does not carry it, since whoever restores one is another server.
CREATE TABLE @extschema@.idgen_lease_record (
    registry pg_catalog.uuid NOT NULL,
    number pg_catalog.int4 NOT NULL,
    accepted pg_catalog.int8 NOT NULL,
    proposed pg_catalog.int8 NOT NULL,
    identity pg_catalog.int8 NOT NULL
);
-- A publication FOR ALL TABLES has it too: without a key no row of another server clashes with one of this.
ALTER TABLE @extschema@.idgen_lease_record REPLICA IDENTITY FULL;

COMMENT ON TABLE @extschema@.idgen_lease_record IS 'what this server remembers of each number that it holds from a registry';
COMMENT ON COLUMN @extschema@.idgen_lease_record.registry IS 'the identity of the registry';
COMMENT ON COLUMN @extschema@.idgen_lease_record.number IS 'the number that is held, or was asked for';
COMMENT ON COLUMN @extschema@.idgen_lease_record.accepted IS 'secret that the registry answered with; 0: none';
COMMENT ON COLUMN @extschema@.idgen_lease_record.proposed IS 'secret that the next take proposes; 0: none';
COMMENT ON COLUMN @extschema@.idgen_lease_record.identity IS 'of the server that wrote the row';
