-- Takes idgen in SQL alone out again, for its owner. Where something still needs it (a DEFAULT, an index, a column of type id_layout), that is
-- named, and nothing is dropped. In one transaction: psql -X -q -1 -v ON_ERROR_STOP=1 -d app -f sql-only/uninstall.sql
DROP DOMAIN idgen.id_layout;
DROP FUNCTION idgen.idgen_own_shards, idgen.next_id, idgen.next_ids, idgen.next_id_array, idgen.id_layout_info, idgen.id_decode,
    idgen.id_time, idgen.id_time_near, idgen.id_shard, idgen.id_region, idgen.id_sequence, idgen.id_make, idgen.id_min, idgen.id_max,
    idgen.id_within, idgen.id_within_first, idgen.id_within_last, idgen.id_to_base62, idgen.id_from_base62, idgen.id_to_base32,
    idgen.id_from_base32, idgen.id_to_base64url, idgen.id_from_base64url, idgen.id_to_uuid, idgen.id_from_uuid, idgen.idgen_layout_text,
    idgen.idgen_slot, idgen.idgen_preset, idgen.idgen_refuse_layout, idgen.idgen_epoch_ms, idgen.idgen_count, idgen.idgen_instant_text,
    idgen.idgen_parse_layout, idgen.idgen_form, idgen.idgen_instant, idgen.idgen_unix_ms, idgen.idgen_decode, idgen.idgen_require_finite,
    idgen.idgen_time_near, idgen.idgen_require_ticks, idgen.idgen_tick, idgen.idgen_refuse_wrapping, idgen.idgen_min, idgen.idgen_max,
    idgen.idgen_span, idgen.idgen_refuse_null, idgen.idgen_require_shard, idgen.idgen_make, idgen.idgen_clip, idgen.idgen_digits,
    idgen.idgen_number, idgen.idgen_require_digits, idgen.idgen_to_uuid, idgen.idgen_from_uuid, idgen.idgen_resolve, idgen.idgen_take,
    idgen.idgen_slot_of, idgen.idgen_id, idgen.idgen_clock_tick, idgen.idgen_open_tick, idgen.idgen_refuse_wait, idgen.idgen_draw,
    idgen.idgen_require_count, idgen.idgen_parse_shards, idgen.idgen_make_private, idgen.idgen_set_shards;
DO $$
DECLARE
    slot record;
BEGIN
    FOR slot IN SELECT DISTINCT numbers, cycles, lock FROM idgen.idgen_shard LOOP
        EXECUTE pg_catalog.format('DROP SEQUENCE %s, %s; DROP TABLE %s', slot.numbers, slot.cycles, slot.lock);
    END LOOP;
END
$$;
DROP TABLE idgen.idgen_shard, idgen.idgen_setting;
DROP FUNCTION idgen.idgen_write_slots;
DROP SEQUENCE idgen.idgen_slot_number;
DROP TYPE idgen.idgen_slot, idgen.idgen_form, idgen.idgen_parts;
DROP SCHEMA idgen;
