-- Takes idgen in SQL alone out again, for its owner. If something still needs it (a DEFAULT, an index, a column of type id_layout), that is
-- named, and nothing is dropped. In one transaction: psql -X -q -1 -v ON_ERROR_STOP=1 -d app -f sql-only/uninstall.sql

SET search_path = pg_catalog, pg_temp;

-- If pg_tle made an extension of it, its objects are members of that; what was made later is not. Here they leave it first. An extension that
-- holds nothing else goes, too.
DO $$
DECLARE
    package name;
    package_id oid;
    member record;
BEGIN
    SELECT e.extname, e.oid INTO package, package_id FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
     WHERE d.classid = 'pg_namespace'::regclass AND d.objid = 'idgen_sql'::regnamespace AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e';
    IF package IS NULL THEN
        RETURN;
    END IF;
    FOR member IN SELECT o.type, o.identity FROM pg_catalog.pg_depend d, LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) o
                   WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = package_id AND d.deptype = 'e'
                     AND (o.schema = 'idgen_sql' OR o.type = 'schema' AND o.identity = 'idgen_sql')
                     -- From PostgreSQL 17 on the type of a table's rows, and an array's, leave with what they are of.
                     AND NOT (current_setting('server_version_num')::int >= 170000 AND EXISTS (SELECT FROM pg_catalog.pg_type t
                       LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid AND c.relkind <> 'c'
                      WHERE d.classid = 'pg_type'::regclass AND t.oid = d.objid AND (c.oid IS NOT NULL OR t.typcategory = 'A'))) LOOP
        EXECUTE pg_catalog.format('ALTER EXTENSION %I DROP %s %s', package, member.type, member.identity);
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_depend WHERE refclassid = 'pg_extension'::regclass AND refobjid = package_id AND deptype = 'e') THEN
        EXECUTE pg_catalog.format('DROP EXTENSION %I', package);
    END IF;
END
$$;

DROP DOMAIN idgen_sql.id_layout;
DROP FUNCTION idgen_sql.idgen_own_shards, idgen_sql.next_id, idgen_sql.next_ids, idgen_sql.next_id_array, idgen_sql.id_layout_info, idgen_sql.id_decode,
    idgen_sql.id_time, idgen_sql.id_time_near, idgen_sql.id_shard, idgen_sql.id_region, idgen_sql.id_sequence, idgen_sql.id_make, idgen_sql.id_min, idgen_sql.id_max,
    idgen_sql.id_within, idgen_sql.id_within_first, idgen_sql.id_within_last, idgen_sql.id_to_base62, idgen_sql.id_from_base62, idgen_sql.id_to_base32,
    idgen_sql.id_from_base32, idgen_sql.id_to_base64url, idgen_sql.id_from_base64url, idgen_sql.id_to_uuid, idgen_sql.id_to_uuidv8, idgen_sql.id_from_uuid, idgen_sql.idgen_layout_text,
    idgen_sql.idgen_slot, idgen_sql.idgen_preset, idgen_sql.idgen_refuse_layout, idgen_sql.idgen_epoch_ms, idgen_sql.idgen_count, idgen_sql.idgen_instant_text,
    idgen_sql.idgen_presets, idgen_sql.idgen_form_hint, idgen_sql.idgen_parse_layout, idgen_sql.idgen_form, idgen_sql.idgen_from_unix, idgen_sql.idgen_unit_us,
    idgen_sql.idgen_start_us, idgen_sql.idgen_instant, idgen_sql.idgen_duration, idgen_sql.idgen_us, idgen_sql.idgen_decode, idgen_sql.idgen_require_finite,
    idgen_sql.idgen_time_near, idgen_sql.idgen_require_ticks, idgen_sql.idgen_tick, idgen_sql.idgen_refuse_wrapping, idgen_sql.idgen_min, idgen_sql.idgen_max,
    idgen_sql.idgen_span, idgen_sql.idgen_refuse_null, idgen_sql.idgen_require_shard, idgen_sql.idgen_make, idgen_sql.idgen_clip, idgen_sql.idgen_digits,
    idgen_sql.idgen_number, idgen_sql.idgen_require_digits, idgen_sql.idgen_require_id, idgen_sql.idgen_to_uuid, idgen_sql.idgen_to_uuidv8, idgen_sql.idgen_from_uuid, idgen_sql.idgen_resolve, idgen_sql.idgen_take,
    idgen_sql.idgen_slot_of, idgen_sql.idgen_cycle_shift, idgen_sql.idgen_id, idgen_sql.idgen_clock_us, idgen_sql.idgen_clock_tick, idgen_sql.idgen_refuse_unset, idgen_sql.idgen_spin, idgen_sql.idgen_open_tick, idgen_sql.idgen_is_open, idgen_sql.idgen_may_open, idgen_sql.idgen_tick_of, idgen_sql.idgen_first_of, idgen_sql.idgen_cycle_of, idgen_sql.idgen_refuse_wait, idgen_sql.idgen_draw,
    idgen_sql.idgen_require_count, idgen_sql.idgen_parse_shards, idgen_sql.idgen_make_private, idgen_sql.idgen_set_shards;
-- What was made for each shard; hand-over.sql has dropped some of it, and made one table.
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind, oid::regclass AS name FROM pg_catalog.pg_class
                 WHERE relnamespace = 'idgen_sql'::regnamespace AND relname ~ '^idgen_(numbers|cycles|lock)_[0-9]+$|^idgen_handed_over$' AND relkind IN ('r', 'S', 'v') LOOP
        EXECUTE pg_catalog.format('DROP %s %s', made.kind, made.name);
    END LOOP;
END
$$;
DROP TABLE idgen_sql.idgen_shard, idgen_sql.idgen_setting;
DROP FUNCTION idgen_sql.idgen_write_slots, idgen_sql.idgen_require_read_committed, idgen_sql.idgen_keep_own;
-- What only pg_tle's has.
DO $$
BEGIN
    IF pg_catalog.to_regproc('idgen_sql.idgen_replace_setting') IS NOT NULL THEN
        DROP FUNCTION idgen_sql.idgen_replace_setting;
    END IF;
END
$$;
DROP SEQUENCE idgen_sql.idgen_slot_number;
DROP TYPE idgen_sql.idgen_slot, idgen_sql.idgen_form, idgen_sql.idgen_parts;
DROP SCHEMA idgen_sql;
RESET search_path;
