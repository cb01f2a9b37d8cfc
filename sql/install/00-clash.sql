-- idgen 0.1.0: the install script, one part a file. Everything goes to the schema that CREATE EXTENSION chose; nothing
-- here depends on search_path afterwards.
\echo Use "CREATE EXTENSION idgen" to load this file. \quit

-- A function of the same name in this schema would make calls ambiguous: say so before anything else.
DO $$
DECLARE
    clash text;
BEGIN
    SELECT string_agg(p.oid::pg_catalog.regprocedure::text, ', ' ORDER BY p.proname, p.oid)
      INTO clash
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = pg_catalog.current_schema()
       AND (p.proname ~ '^idgen_(migrate|audit)_' OR p.proname IN ('next_id', 'next_ids', 'next_id_array', 'id_decode', 'id_time', 'id_time_near',
                         'id_shard', 'id_region', 'id_sequence', 'id_make', 'id_min', 'id_max',
                         'id_layout_info', 'idgen_own_shards', 'idgen_accept_clock', 'idgen_advance',
                         'idgen_confirm_shards',
                         'idgen_reset',
                         'next_ulid', 'ulid_time', 'ulid_min', 'ulid_max', 'ulid_make',
                         'next_ksuid', 'ksuid_time', 'ksuid_min', 'ksuid_max', 'ksuid_make',
                         'next_objectid', 'objectid_time', 'objectid_min', 'objectid_max', 'objectid_make',
                         'next_uuidv7', 'uuid_time', 'uuid_version_number', 'uuidv7_make', 'uuidv7_min', 'uuidv7_max', 'next_nanoid',
                         'typeid_text', 'typeid_uuid', 'typeid_ulid', 'typeid_prefix',
                         'id_to_base62', 'id_from_base62', 'id_to_base32', 'id_from_base32', 'id_to_base64url',
                         'id_from_base64url', 'id_to_uuid', 'id_from_uuid',
                         'id_within', 'id_within_first', 'id_within_last', 'id_partition_bounds',
                         'idgen_audit',
                         'idgen_status', 'idgen_reset_stats', 'idgen_stat_shard', 'idgen_stat_backend',
                         'idgen_stat_database',
                         'id_encrypt', 'id_decrypt', 'id_to_public', 'id_from_public',
                         'vclock_next', 'vclock_merge', 'vclock_merge_agg', 'vclock_compare',
                         'hlc_now', 'hlc_receive', 'hlc_time', 'hlc_logical', 'hlc_make', 'next_id_after', 'clock_bounds',
                         'wait_until_past', 'next_decimal_id', 'decimal_id_decode',
                         'id_make_array', 'idgen_backfill', 'idgen_replace_serial', 'idgen_migration_check',
                         'idgen_uuid_start', 'idgen_uuid_link', 'idgen_uuid_switch', 'idgen_uuid_finish', 'idgen_uuid_abandon'));
    IF clash IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_function',
            MESSAGE = 'functions of the same name exist in schema ' || pg_catalog.current_schema() || ': ' || clash,
            DETAIL = 'Beside those of idgen, calls of them would be ambiguous.',
            HINT = 'Rename them (ALTER FUNCTION ... RENAME TO ...), or put idgen into a schema of its own: '
                   'CREATE SCHEMA idgen; CREATE EXTENSION idgen SCHEMA idgen';
    END IF;
END
$$;
