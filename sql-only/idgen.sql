-- idgen in SQL alone: the 64-bit ID of time, shard and sequence, for servers that take no extension in C.
--
-- Everything goes into the schema idgen_sql, and belongs to the role that runs this file, which needs the right to create a schema in the
-- database and no other. For another schema: sed 's/\bidgen_sql\b/app_ids/g'. docs/sql-only.md says what it promises.
--
-- search_path is pinned while the file is parsed, so that every function, operator and type is that of pg_catalog or is written with its schema.
SET search_path = pg_catalog, pg_temp;

-- Nobody else may create anything in the schema, whatever default privileges say: makers run as their owner, and call what stands there.
DO $$
DECLARE
    command text;
BEGIN
    CREATE SCHEMA idgen_sql;
    FOR command IN SELECT format('REVOKE ALL ON SCHEMA idgen_sql FROM %s', CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END)
                     FROM pg_namespace n, aclexplode(n.nspacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
                    WHERE n.nspname = 'idgen_sql' AND a.grantee <> n.nspowner LOOP
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON SCHEMA idgen_sql IS 'distributed 64-bit IDs, in SQL alone';

-- Layouts: how an ID is packed. Functions take one as text; the numbers of a constant one are worked out when a query is planned.

CREATE TYPE idgen_sql.idgen_form AS (
    canonical text,        -- a preset's name if it equals one, else the long form
    long_form text,
    packing text,          -- equal if layouts make the same bits
    epoch_ms bigint,       -- unix ms of tick 0
    unit_ms numeric,       -- length of a tick: 1, 0.1
    ticks bigint,          -- of one turn: no tick at or past it is made if time does not wrap
    wraps boolean,
    time_shift integer,
    node_bits integer,     -- region and shard together
    region_shift integer,  -- of the node's number; its shard bits
    region_bits integer,
    shard_shift integer,
    shard_last bigint,     -- largest node number
    shard_above boolean,   -- the node's number lies above the sequence
    sequence_bits integer,
    sequence_shift integer,
    sequence_first bigint,
    sequence_last bigint,
    largest bigint         -- largest ID
);
COMMENT ON TYPE idgen_sql.idgen_form IS 'a layout as numbers: widths, shifts and limits';

-- The one list of presets.
CREATE FUNCTION idgen_sql.idgen_presets(OUT name text, OUT long_form text) RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    VALUES
        ('instagram', 'epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10'),
        ('snowflake', 'epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=12'),
        ('twitter', 'epoch=2010-11-04T01:42:54.657Z unit=1ms time=41 region=5 shard=5 sequence=12'),
        ('discord', 'epoch=2015-01-01T00:00:00Z unit=1ms time=42 region=5 shard=5 sequence=12'),
        ('sonyflake', 'epoch=2014-09-01T00:00:00Z unit=10ms time=39 sequence=8 shard=16'),
        ('sonyflake2', 'epoch=2025-01-01T00:00:00Z unit=10ms time=39 sequence=8 shard=16'),
        ('mastodon', 'epoch=1970-01-01T00:00:00Z unit=1ms time=48 sequence=16'),
        ('js53', 'epoch=2020-01-01T00:00:00Z unit=1s time=32 shard=8 sequence=13'),
        ('js53ms', 'epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=6 sequence=6'),
        ('idgen', 'epoch=2026-01-01T00:00:00Z unit=1ms time=41 shard=12 sequence=10'),
        ('trace', 'epoch=1970-01-01T00:00:00Z unit=1s time=25w shard=16 sequence=22+1');
END;
COMMENT ON FUNCTION idgen_sql.idgen_presets() IS 'the presets, the default first: name and long form of each';

CREATE FUNCTION idgen_sql.idgen_preset(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT p.long_form FROM idgen_sql.idgen_presets() AS p WHERE p.name = lower(idgen_preset.name COLLATE "C"));
COMMENT ON FUNCTION idgen_sql.idgen_preset(text) IS 'the long form of a preset; null if there is none of that name, in upper or lower case';

CREATE FUNCTION idgen_sql.idgen_refuse_layout(layout text, problem text, hint text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'invalid_text_representation', MESSAGE = 'invalid id_layout: ' || problem,
        DETAIL = format('The layout was "%s".', idgen_sql.idgen_clip(layout)), HINT = hint;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_refuse_layout(text, text, text) IS 'raises the error of a text that is not a layout';

CREATE FUNCTION idgen_sql.idgen_epoch_ms(instant text) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part text[] := regexp_match(instant, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.]([0-9]{1,3}))?Z)?$');
    year integer := part[1];
    month integer := part[2];
    day integer := part[3];
    hour integer := coalesce(part[4], '0');
    minute integer := coalesce(part[5], '0');
    second integer := coalesce(part[6], '0');
BEGIN
    IF part IS NULL OR year < 1 OR month NOT BETWEEN 1 AND 12 OR hour > 23 OR minute > 59 OR second > 59 THEN
        RETURN NULL;
    END IF;
    IF day < 1 OR day > make_date(year + month / 12, month % 12 + 1, 1) - make_date(year, month, 1) THEN
        RETURN NULL;
    END IF;
    RETURN (make_date(year, month, day) - make_date(1970, 1, 1)) * 86400000::bigint
        + ((hour * 60 + minute) * 60 + second) * 1000 + rpad(coalesce(part[7], '0'), 3, '0')::integer;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_epoch_ms(text) IS 'unix ms of an instant of UTC as layouts write it; null if it is not one';

CREATE FUNCTION idgen_sql.idgen_count(digits text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN length(ltrim(digits, '0')) > 7 THEN 9999999 ELSE nullif(ltrim(digits, '0'), '')::integer END;
COMMENT ON FUNCTION idgen_sql.idgen_count(text) IS 'the number that digits write, 9999999 for all from there; null for none and for 0';

CREATE FUNCTION idgen_sql.idgen_instant_text(unix_ms bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day date := make_date(1970, 1, 1) + floor(unix_ms / 86400000::numeric)::integer;
    ms bigint := unix_ms - (day - make_date(1970, 1, 1)) * 86400000::bigint;
BEGIN
    RETURN format('%s-%s-%sT%s:%s:%s%sZ', lpad(extract(year FROM day)::text, 4, '0'), lpad(extract(month FROM day)::text, 2, '0'),
        lpad(extract(day FROM day)::text, 2, '0'), lpad((ms / 3600000)::text, 2, '0'), lpad((ms / 60000 % 60)::text, 2, '0'),
        lpad((ms / 1000 % 60)::text, 2, '0'), CASE WHEN ms % 1000 <> 0 THEN '.' || lpad((ms % 1000)::text, 3, '0') ELSE '' END);
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_instant_text(bigint) IS 'an instant of unix ms as layouts write it';

CREATE FUNCTION idgen_sql.idgen_form_hint() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT format('Write a preset''s name (%s) or fields from the highest bit down, such as '
        '"epoch=2020-01-01T00:00:00Z unit=1ms time=41 shard=10 sequence=12".', string_agg(name, ', ')) FROM idgen_sql.idgen_presets());
COMMENT ON FUNCTION idgen_sql.idgen_form_hint() IS 'how a layout is written';

CREATE FUNCTION idgen_sql.idgen_parse_layout(layout text) RETURNS idgen_sql.idgen_form
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    words text[] := regexp_split_to_array(btrim(layout, chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || ' ,'),
        '[ ,' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || ']+');
    word text;
    key text;
    value text;
    part text[];
    bits integer;
    unit_us bigint;
    turn_us numeric;
    seen text[] := '{}';
    time_bits integer := 0;
    shard_bits integer := 0;
    from_1 boolean := false;
    sequence_above boolean := false;
    f idgen_sql.idgen_form;
BEGIN
    IF words[1] = '' THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'the text is empty', idgen_sql.idgen_form_hint());
    ELSIF idgen_sql.idgen_preset(words[1]) IS NOT NULL THEN
        IF cardinality(words) > 1 THEN
            PERFORM idgen_sql.idgen_refuse_layout(layout, format('unknown word "%s"', idgen_sql.idgen_clip(words[2])), idgen_sql.idgen_form_hint());
        END IF;
        words := string_to_array(idgen_sql.idgen_preset(words[1]), ' ');
    END IF;

    f.region_bits := 0;
    f.sequence_bits := 0;
    f.wraps := false;
    FOREACH word IN ARRAY words LOOP
        key := split_part(word, '=', 1);
        value := substr(word, length(key) + 2);
        IF position('=' IN word) = 0 OR key <> ALL ('{epoch,unit,time,region,shard,sequence}') THEN
            PERFORM idgen_sql.idgen_refuse_layout(layout, format('unknown word "%s"', idgen_sql.idgen_clip(word)), idgen_sql.idgen_form_hint());
        ELSIF key = ANY (seen) THEN
            PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" repeats a word', idgen_sql.idgen_clip(word)), 'Each word may occur once.');
        END IF;
        IF key = 'epoch' THEN
            f.epoch_ms := idgen_sql.idgen_epoch_ms(value);
            IF f.epoch_ms IS NULL THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" is not an instant from year 1 to 9999', idgen_sql.idgen_clip(word)),
                    'Write a day that exists, in UTC: epoch=2020-01-01T00:00:00Z, with up to three decimals of a second.');
            END IF;
        ELSIF key = 'unit' THEN
            part := regexp_match(value, '^([0-9]+)(us|ms|s)$');
            unit_us := idgen_sql.idgen_count(part[1]) * CASE part[2] WHEN 's' THEN 1000000 WHEN 'ms' THEN 1000 ELSE 1 END::bigint;
            IF coalesce(unit_us > 1000000, true) THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" is not a whole number of us from 1us to 1s', idgen_sql.idgen_clip(word)), 'Write unit=100us, unit=1ms or unit=1s.');
            END IF;
            -- Of whole ms it is written as it always was, in packings too: 1, not 1.0.
            f.unit_ms := trim_scale(unit_us / 1000.0);
        ELSE
            IF key = 'time' AND seen && '{region,shard,sequence}' THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" is not the highest field', idgen_sql.idgen_clip(word)), 'Put time before the other fields, so that IDs sort by time.');
            ELSIF (key = 'region' AND 'shard' = ANY (seen)) OR (key = 'sequence' AND f.region_bits > 0 AND shard_bits = 0) THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, 'region is not directly above shard', 'Write region=N shard=M next to each other.');
            END IF;
            part := regexp_match(value, '^([0-9]*)(.*)$');
            bits := idgen_sql.idgen_count(part[1]);
            IF bits IS NULL THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" needs a number of bits from 1', idgen_sql.idgen_clip(word)), 'Leave out a field that the layout does not have.');
            ELSIF bits > 64 THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, 'the fields have more than 64 bits together', 'Time, region, shard and sequence share 64 bits.');
            ELSIF part[2] <> '' AND (key, part[2]) NOT IN (('time', 'w'), ('sequence', '+1')) THEN
                PERFORM idgen_sql.idgen_refuse_layout(layout, format('"%s" has something after its number', idgen_sql.idgen_clip(word)),
                    'Only time may end in "w" (it wraps), only sequence in "+1" (it counts from 1).');
            END IF;
            CASE key
                WHEN 'time' THEN time_bits := bits; f.wraps := part[2] = 'w';
                WHEN 'region' THEN f.region_bits := bits;
                WHEN 'shard' THEN shard_bits := bits;
                ELSE f.sequence_bits := bits; from_1 := part[2] = '+1'; sequence_above := shard_bits = 0;
            END CASE;
        END IF;
        seen := seen || key;
    END LOOP;

    f.node_bits := f.region_bits + shard_bits;
    IF f.epoch_ms IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'it has no epoch', 'Add the instant of tick 0, such as epoch=2020-01-01T00:00:00Z.');
    ELSIF f.unit_ms IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'it has no unit', 'Add the length of a tick, such as unit=1ms.');
    ELSIF time_bits = 0 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'it has no time field', 'Add it as the first field, such as time=41.');
    ELSIF f.region_bits > 0 AND shard_bits = 0 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'region is not directly above shard', 'Write region=N shard=M next to each other.');
    ELSIF f.node_bits > 31 OR f.sequence_bits > 31 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'region and shard together, or sequence, have more than 31 bits', 'SQL shows each as an int of at most 31 bits.');
    ELSIF time_bits + f.node_bits + f.sequence_bits > 64 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'the fields have more than 64 bits together', 'Time, region, shard and sequence share 64 bits.');
    ELSIF f.wraps AND time_bits + f.node_bits + f.sequence_bits > 63 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'a time that wraps would set the sign bit', 'Let the fields have at most 63 bits together.');
    END IF;
    sequence_above := sequence_above AND f.node_bits > 0;
    f.time_shift := f.node_bits + f.sequence_bits;
    -- Bit 63 stays clear. 294277-01-01 is where timestamptz ends. Times within a turn are less than 2^63 us.
    bits := least(time_bits, 63 - f.time_shift);
    turn_us := (1::bigint << least(bits, 62)) * unit_us::numeric;
    IF bits > 62 OR turn_us >= 9223372036854775808 OR f.epoch_ms * 1000::numeric + turn_us > 9224318016000000000 THEN
        PERFORM idgen_sql.idgen_refuse_layout(layout, 'time would reach past the year 294276', 'Use fewer bits for time or a shorter unit: timestamptz ends there.');
    END IF;

    f.ticks := 1::bigint << bits;
    f.region_shift := shard_bits;
    f.shard_shift := CASE WHEN sequence_above THEN 0 ELSE f.sequence_bits END;
    f.shard_last := (1::bigint << f.node_bits) - 1;
    f.shard_above := NOT sequence_above;
    f.sequence_shift := CASE WHEN sequence_above THEN f.node_bits ELSE 0 END;
    f.sequence_first := from_1::integer;
    f.sequence_last := (1::bigint << f.sequence_bits) - 1;
    f.largest := ((f.ticks - 1) << f.time_shift) | ((1::bigint << f.time_shift) - 1);
    f.long_form := concat_ws(' ', 'epoch=' || idgen_sql.idgen_instant_text(f.epoch_ms),
        CASE f.unit_ms WHEN 1000 THEN 'unit=1s' WHEN trunc(f.unit_ms) THEN format('unit=%sms', f.unit_ms) ELSE format('unit=%sus', unit_us) END,
        format('time=%s%s', time_bits, CASE WHEN f.wraps THEN 'w' END),
        CASE WHEN sequence_above THEN format('sequence=%s%s', f.sequence_bits, CASE WHEN from_1 THEN '+1' END) END,
        'region=' || nullif(f.region_bits, 0), 'shard=' || nullif(shard_bits, 0),
        CASE WHEN NOT sequence_above AND f.sequence_bits > 0 THEN format('sequence=%s%s', f.sequence_bits, CASE WHEN from_1 THEN '+1' END) END);
    f.canonical := coalesce((SELECT p.name FROM idgen_sql.idgen_presets() AS p WHERE p.long_form = f.long_form), f.long_form);
    f.packing := format('epoch=%s unit=%s node=%s sequence=%s %s', f.epoch_ms, f.unit_ms, f.node_bits, f.sequence_bits,
        CASE WHEN sequence_above THEN 'above' ELSE 'below' END);
    RETURN f;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_parse_layout(text) IS 'the numbers of a layout; an error if the text is not one';

-- The planner makes each preset's numbers a constant, so that a layout that is known later costs a comparison, not a parse.
DO $$
BEGIN
    EXECUTE (SELECT format('CREATE FUNCTION idgen_sql.idgen_form(layout text) RETURNS idgen_sql.idgen_form LANGUAGE sql IMMUTABLE PARALLEL SAFE '
                           'RETURN CASE layout %s ELSE idgen_sql.idgen_parse_layout(layout) END',
                           string_agg(format('WHEN %1$L THEN idgen_sql.idgen_parse_layout(%1$L)', name), ' '))
               FROM idgen_sql.idgen_presets());
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_form(text) IS 'the numbers of a layout; an error if the text is not one';

CREATE FUNCTION idgen_sql.idgen_layout_text(layout text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (idgen_sql.idgen_form(layout)).canonical;
COMMENT ON FUNCTION idgen_sql.idgen_layout_text(text) IS 'a layout in its one canonical form: the name of the preset if it equals one, else the long form';

CREATE DOMAIN idgen_sql.id_layout AS text COLLATE "C" CHECK (idgen_sql.idgen_layout_text(VALUE) IS NOT NULL OR VALUE IS NULL);
COMMENT ON DOMAIN idgen_sql.id_layout IS
    'how a 64-bit ID is packed: a preset, of those that idgen_presets() lists, or epoch=... unit=... time=... shard=... sequence=...';

-- Instants are counted in us from 2000-01-01, as timestamptz does: in a bigint unix us end in the year 294247, before the calendar.

CREATE FUNCTION idgen_sql.idgen_from_unix(unix_ms bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (unix_ms - 946684800000) * 1000;
COMMENT ON FUNCTION idgen_sql.idgen_from_unix(bigint) IS 'the us from 2000-01-01 to a unix time in ms';

CREATE FUNCTION idgen_sql.idgen_unit_us(f idgen_sql.idgen_form) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (f.unit_ms * 1000)::bigint;
COMMENT ON FUNCTION idgen_sql.idgen_unit_us(idgen_sql.idgen_form) IS 'the length of a tick in us';

CREATE FUNCTION idgen_sql.idgen_start_us(f idgen_sql.idgen_form, tick bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_from_unix(f.epoch_ms) + tick * idgen_sql.idgen_unit_us(f);
COMMENT ON FUNCTION idgen_sql.idgen_start_us(idgen_sql.idgen_form, bigint) IS 'the us from 2000-01-01 to the start of a tick';

CREATE FUNCTION idgen_sql.idgen_instant(us bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('2000-01-01'::timestamp + make_interval(days => (us / 86400000000)::integer, secs => (us % 86400000000) / 1000000::double precision)) AT TIME ZONE 'UTC';
COMMENT ON FUNCTION idgen_sql.idgen_instant(bigint) IS 'the instant so many us from 2000-01-01, exact over the whole calendar';

CREATE FUNCTION idgen_sql.idgen_duration(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT CASE WHEN ms < 120000 THEN round(ms / 1000.0, 3) || ' s'
            WHEN seconds < 3600 THEN seconds / 60 || ' min' || coalesce(' ' || nullif(seconds % 60, 0) || ' s', '')
            WHEN minutes < 1440 THEN minutes / 60 || ' h' || coalesce(' ' || nullif(minutes % 60, 0) || ' min', '')
            ELSE hours / 24 || CASE WHEN hours < 48 THEN ' day' ELSE ' days' END || coalesce(' ' || nullif(hours % 24, 0) || ' h', '') END
          FROM (SELECT ceil(ms / 1000.0)::bigint AS seconds, ceil(ms / 60000.0)::bigint AS minutes, ceil(ms / 3600000.0)::bigint AS hours) AS n);
COMMENT ON FUNCTION idgen_sql.idgen_duration(bigint) IS 'a duration as people read it, in two units at most, rounded up';

CREATE FUNCTION idgen_sql.idgen_us(at timestamptz) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN isfinite(at) THEN extract(epoch FROM at - '2000-01-01 00:00:00+00'::timestamptz) ELSE extract(epoch FROM at AT TIME ZONE 'UTC') END * 1000000;
COMMENT ON FUNCTION idgen_sql.idgen_us(timestamptz) IS 'the us from 2000-01-01 to an instant, exact over the whole calendar';

CREATE FUNCTION idgen_sql.id_layout_info(
    layout text DEFAULT 'instagram',
    OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean,
    OUT tick interval, OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint,
    OUT largest_id bigint, OUT fits_js boolean, OUT one_node boolean)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f idgen_sql.idgen_form := idgen_sql.idgen_form(layout);
BEGIN
    long_form := f.long_form;
    first_time := idgen_sql.idgen_instant(idgen_sql.idgen_from_unix(f.epoch_ms));
    last_time := idgen_sql.idgen_instant(idgen_sql.idgen_start_us(f, f.ticks - 1));
    wraps := f.wraps;
    tick := make_interval(secs => idgen_sql.idgen_unit_us(f) / 1000000::double precision);
    shards := f.shard_last + 1;
    ids_per_tick := f.sequence_last - f.sequence_first + 1;
    ids_per_second := ids_per_tick * 1000000 / idgen_sql.idgen_unit_us(f);
    largest_id := f.largest;
    fits_js := f.largest < 1::bigint << 53;
    one_node := f.node_bits = 0;
END
$$;
COMMENT ON FUNCTION idgen_sql.id_layout_info(text) IS
    'what a layout can do: long form, first and last time, shards, IDs per tick and second of one shard, whether IDs stay below 2^53, whether it is for one node only';

-- Readers: expressions that the planner puts in place of the call, or calls that it gives the numbers of the layout. Not STRICT, which would
-- keep it from that if there is a CASE.

CREATE FUNCTION idgen_sql.id_time(id bigint, layout text DEFAULT 'instagram') RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN id >= 0 AND id <= (idgen_sql.idgen_form(layout)).largest
        THEN idgen_sql.idgen_instant(idgen_sql.idgen_from_unix((idgen_sql.idgen_form(layout)).epoch_ms)
            + (id >> (idgen_sql.idgen_form(layout)).time_shift) * ((idgen_sql.idgen_form(layout)).unit_ms * 1000)::bigint) END;
COMMENT ON FUNCTION idgen_sql.id_time(bigint, text) IS 'time of an ID: the start of its tick; of the first turn if time wraps';

CREATE FUNCTION idgen_sql.id_shard(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN id >= 0 AND id <= (idgen_sql.idgen_form(layout)).largest AND (idgen_sql.idgen_form(layout)).node_bits > 0
        THEN (id >> (idgen_sql.idgen_form(layout)).shard_shift & (idgen_sql.idgen_form(layout)).shard_last)::integer END;
COMMENT ON FUNCTION idgen_sql.id_shard(bigint, text) IS 'shard of an ID: the node''s whole number, region included';

CREATE FUNCTION idgen_sql.id_region(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN id >= 0 AND id <= (idgen_sql.idgen_form(layout)).largest AND (idgen_sql.idgen_form(layout)).region_bits > 0
        THEN ((id >> (idgen_sql.idgen_form(layout)).shard_shift & (idgen_sql.idgen_form(layout)).shard_last) >> (idgen_sql.idgen_form(layout)).region_shift)::integer END;
COMMENT ON FUNCTION idgen_sql.id_region(bigint, text) IS 'region of an ID; null if the layout has none';

CREATE FUNCTION idgen_sql.id_sequence(id bigint, layout text DEFAULT 'instagram') RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN id >= 0 AND id <= (idgen_sql.idgen_form(layout)).largest AND (idgen_sql.idgen_form(layout)).sequence_bits > 0
        THEN (id >> (idgen_sql.idgen_form(layout)).sequence_shift & (idgen_sql.idgen_form(layout)).sequence_last)::integer END;
COMMENT ON FUNCTION idgen_sql.id_sequence(bigint, text) IS 'sequence of an ID within its tick and shard';

CREATE TYPE idgen_sql.idgen_parts AS (created_at timestamptz, shard integer, sequence integer);
COMMENT ON TYPE idgen_sql.idgen_parts IS 'what an ID holds';

CREATE FUNCTION idgen_sql.idgen_decode(id bigint, f idgen_sql.idgen_form) RETURNS idgen_sql.idgen_parts
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF id BETWEEN 0 AND f.largest THEN
        RETURN ROW(idgen_sql.idgen_instant(idgen_sql.idgen_start_us(f, id >> f.time_shift)),
            CASE WHEN f.node_bits > 0 THEN (id >> f.shard_shift & f.shard_last)::integer END,
            CASE WHEN f.sequence_bits > 0 THEN (id >> f.sequence_shift & f.sequence_last)::integer END)::idgen_sql.idgen_parts;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_decode(bigint, idgen_sql.idgen_form) IS 'time, shard and sequence of an ID';

CREATE FUNCTION idgen_sql.id_decode(id bigint, layout text DEFAULT 'instagram') RETURNS idgen_sql.idgen_parts LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_decode(id, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_decode(bigint, text) IS 'time, shard and sequence of an ID; null for a negative number and one that is too large for the layout';

CREATE FUNCTION idgen_sql.idgen_require_finite(at timestamptz, hint text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT isfinite(at) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'an infinite timestamp has no ID',
            DETAIL = 'An ID holds a finite instant.', HINT = hint;
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_finite(timestamptz, text) IS 'raises an error for infinity';

CREATE FUNCTION idgen_sql.idgen_time_near(id bigint, near timestamptz, f idgen_sql.idgen_form) RETURNS timestamptz
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first_us bigint;
    near_us numeric;
    turn_us numeric;
    before_us numeric;
BEGIN
    PERFORM idgen_sql.idgen_require_finite(near, 'Give a finite timestamp.');
    IF id < 0 OR id > f.largest THEN
        RETURN NULL;
    END IF;
    first_us := idgen_sql.idgen_start_us(f, id >> f.time_shift);
    near_us := idgen_sql.idgen_us(near);
    IF NOT f.wraps OR near_us <= first_us THEN
        RETURN idgen_sql.idgen_instant(first_us);
    END IF;
    turn_us := f.ticks * idgen_sql.idgen_unit_us(f);
    before_us := first_us + div(near_us - first_us, turn_us) * turn_us;
    RETURN idgen_sql.idgen_instant((CASE WHEN near_us - before_us <= before_us + turn_us - near_us OR before_us + turn_us >= 9223371331200000000
        THEN before_us ELSE before_us + turn_us END)::bigint);
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_time_near(bigint, timestamptz, idgen_sql.idgen_form) IS 'what id_time_near gives';

CREATE FUNCTION idgen_sql.id_time_near(id bigint, near timestamptz, layout text DEFAULT 'instagram') RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_time_near(id, near, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_time_near(bigint, timestamptz, text) IS 'time of an ID in the turn nearest to an instant, for layouts whose time wraps';

CREATE FUNCTION idgen_sql.idgen_require_ticks(f idgen_sql.idgen_form, tick bigint, at timestamptz) RETURNS void
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- At the end of the calendar, or of bigint.
    tick_end bigint := CASE WHEN f.wraps THEN least(div(9223371331200000000 - idgen_sql.idgen_from_unix(f.epoch_ms)::numeric, idgen_sql.idgen_unit_us(f)), 9223372036854775807)
                       ELSE f.ticks END;
BEGIN
    IF tick BETWEEN 0 AND tick_end - 1 THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range',
        MESSAGE = format('%s is %s of layout "%s"', at, CASE WHEN tick < 0 THEN 'before the epoch' ELSE 'past the end' END, f.canonical),
        DETAIL = format('The layout holds instants from %s until before %s.', idgen_sql.idgen_instant(idgen_sql.idgen_from_unix(f.epoch_ms)),
            idgen_sql.idgen_instant(least(idgen_sql.idgen_from_unix(f.epoch_ms) + tick_end * (f.unit_ms * 1000), 9223371331199999999)::bigint)),
        HINT = CASE WHEN tick < 0 THEN 'Use a layout with an earlier epoch.'
            ELSE 'Use a layout with a later epoch, a longer unit, or fewer bits below the time.' END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_ticks(idgen_sql.idgen_form, bigint, timestamptz) IS 'raises an error for a tick that a layout cannot hold';

CREATE FUNCTION idgen_sql.idgen_tick(f idgen_sql.idgen_form, at timestamptz, hint text) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    since_us numeric;
    tick bigint;
BEGIN
    PERFORM idgen_sql.idgen_require_finite(at, hint);
    since_us := idgen_sql.idgen_us(at) - idgen_sql.idgen_from_unix(f.epoch_ms);
    tick := CASE WHEN since_us < 0 THEN -1 ELSE least(div(since_us, idgen_sql.idgen_unit_us(f)), 9223372036854775807) END;
    PERFORM idgen_sql.idgen_require_ticks(f, tick, at);
    RETURN tick;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_tick(idgen_sql.idgen_form, timestamptz, text) IS 'the tick of an instant; an error if the layout cannot hold it';

CREATE FUNCTION idgen_sql.idgen_refuse_wrapping(f idgen_sql.idgen_form) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF f.wraps THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('layout "%s" has no bounds in time', f.canonical),
            DETAIL = 'Its time wraps, so the IDs of a period are not one range.', HINT = 'Compare id_time_near(id, near, layout) instead.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_refuse_wrapping(idgen_sql.idgen_form) IS 'raises an error for a layout whose time wraps';

CREATE FUNCTION idgen_sql.idgen_min(at timestamptz, f idgen_sql.idgen_form) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_sql.idgen_refuse_wrapping(f);
    RETURN idgen_sql.idgen_tick(f, at, 'Leave that bound out of the condition.') << f.time_shift;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_min(timestamptz, idgen_sql.idgen_form) IS 'what id_min gives';

CREATE FUNCTION idgen_sql.id_min(at timestamptz, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_min(at, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_min(timestamptz, text) IS 'smallest ID of an instant''s tick: a lower bound for ranges and partitions';

CREATE FUNCTION idgen_sql.idgen_max(at timestamptz, f idgen_sql.idgen_form) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_sql.idgen_refuse_wrapping(f);
    RETURN idgen_sql.idgen_tick(f, at, 'Leave that bound out of the condition.') << f.time_shift | ((1::bigint << f.time_shift) - 1);
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_max(timestamptz, idgen_sql.idgen_form) IS 'what id_max gives';

CREATE FUNCTION idgen_sql.id_max(at timestamptz, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_max(at, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_max(timestamptz, text) IS 'largest ID of an instant''s tick: an upper bound, inclusive';

CREATE FUNCTION idgen_sql.idgen_span(period tstzrange, layout text) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f idgen_sql.idgen_form := idgen_sql.idgen_form(layout);
    from_us numeric := idgen_sql.idgen_us(lower(period)) - idgen_sql.idgen_from_unix(f.epoch_ms);  -- from the epoch
    end_us numeric := idgen_sql.idgen_us(upper(period)) - idgen_sql.idgen_from_unix(f.epoch_ms);
    unit_us bigint := idgen_sql.idgen_unit_us(f);
    first_tick bigint := 0;
    end_tick bigint := f.ticks;
BEGIN
    PERFORM idgen_sql.idgen_refuse_wrapping(f);
    IF isempty(period) THEN
        RETURN '{1,0}';
    END IF;
    -- The first tick that starts in the period, and the first that starts behind it.
    IF from_us > 0 THEN
        first_tick := least(f.ticks, div(from_us + (NOT lower_inc(period))::integer + unit_us - 1, unit_us));
    ELSIF from_us = 0 AND NOT lower_inc(period) THEN
        first_tick := 1;
    END IF;
    IF end_us < f.ticks * unit_us THEN
        end_tick := greatest(0, div(end_us + upper_inc(period)::integer + unit_us - 1, unit_us));
    END IF;
    IF first_tick >= end_tick THEN
        RETURN '{1,0}';
    END IF;
    RETURN ARRAY[first_tick << f.time_shift, (end_tick - 1) << f.time_shift | ((1::bigint << f.time_shift) - 1)];
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_span(tstzrange, text) IS 'the smallest and the largest number whose time lies in a period; 1 and 0 if there is none';

CREATE FUNCTION idgen_sql.id_within_first(period tstzrange, layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (idgen_sql.idgen_span(period, layout))[1];
END
$$;
COMMENT ON FUNCTION idgen_sql.id_within_first(tstzrange, text) IS 'the smallest number whose time lies in a period; above id_within_last if there is none';

CREATE FUNCTION idgen_sql.id_within_last(period tstzrange, layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (idgen_sql.idgen_span(period, layout))[2];
END
$$;
COMMENT ON FUNCTION idgen_sql.id_within_last(tstzrange, text) IS 'the largest number whose time lies in a period';

CREATE FUNCTION idgen_sql.id_within(id bigint, period tstzrange, layout text DEFAULT 'instagram') RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id >= idgen_sql.id_within_first(period, layout) AND id <= idgen_sql.id_within_last(period, layout);
COMMENT ON FUNCTION idgen_sql.id_within(bigint, tstzrange, text) IS 'whether the time of an ID lies in a period; an index condition on the ID';

CREATE FUNCTION idgen_sql.idgen_refuse_null(argument text, has_default boolean) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = argument || ' must not be null',
        DETAIL = CASE WHEN has_default THEN 'A null would give a null ID.' ELSE 'It has no default.' END,
        HINT = CASE WHEN has_default THEN 'Leave the argument out to use its default.' ELSE 'Give a value.' END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_refuse_null(text, boolean) IS 'raises the error of an argument that is null';

CREATE FUNCTION idgen_sql.idgen_require_shard(f idgen_sql.idgen_form, shard bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF shard BETWEEN 0 AND f.shard_last THEN
        RETURN;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('shard %s is out of range for layout "%s"', shard, f.canonical),
        DETAIL = format('The layout has the shards 0 to %s.', f.shard_last),
        HINT = CASE f.shard_last WHEN 0 THEN 'The layout has no shard field: leave the shard out, or give 0.'
            ELSE format(CASE WHEN shard BETWEEN 0 AND 999999 THEN 'Give a shard from 0 to %s, or a layout with more shards.'
                ELSE 'Give a shard from 0 to %s. A hash becomes one by a modulo that is never negative, such as (hash & 2147483647) %% %s.' END,
                f.shard_last, f.shard_last + 1) END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_shard(idgen_sql.idgen_form, bigint) IS 'raises an error for a shard that a layout does not have';

CREATE FUNCTION idgen_sql.idgen_make(created_at timestamptz, shard bigint, sequence integer, f idgen_sql.idgen_form) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tick bigint;
    id bigint;
BEGIN
    IF created_at IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('created_at', false);
    ELSIF f IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('layout', true);
    ELSIF shard IS NULL AND f.node_bits > 0 THEN
        PERFORM idgen_sql.idgen_refuse_null('shard', false);
    ELSIF sequence IS NULL AND f.sequence_bits > 0 THEN
        PERFORM idgen_sql.idgen_refuse_null('sequence', false);
    END IF;
    shard := coalesce(shard, 0);
    sequence := coalesce(sequence, 0);
    tick := idgen_sql.idgen_tick(f, created_at, 'Give a finite timestamp.');
    PERFORM idgen_sql.idgen_require_shard(f, shard);
    IF sequence < f.sequence_first OR sequence > f.sequence_last THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('sequence %s is out of range for layout "%s"', sequence, f.canonical),
            DETAIL = format('The layout has the sequences %s to %s.', f.sequence_first, f.sequence_last), HINT = 'Give a sequence in that range.';
    END IF;
    id := ((tick & (f.ticks - 1)) << f.time_shift) | (shard << f.shard_shift) | (sequence::bigint << f.sequence_shift);
    IF id = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('these parts give 0 in layout "%s"', f.canonical),
            DETAIL = 'An ID is at least 1.', HINT = 'In the first tick, give shard or sequence a number above 0.';
    END IF;
    RETURN id;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_make(timestamptz, bigint, integer, idgen_sql.idgen_form) IS 'what id_make gives';

CREATE FUNCTION idgen_sql.id_make(created_at timestamptz, shard bigint, sequence integer, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_make(created_at, shard, sequence, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_make(timestamptz, bigint, integer, text) IS
    'the ID with the given time, shard and sequence, for backfill and tests; does not make it unique';

-- Text forms of an ID, and an ID inside a UUID. A negative number, which no layout makes, is the unsigned number of its 64 bits.

CREATE FUNCTION idgen_sql.idgen_clip(written text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE WHEN octet_length(written) <= 100 THEN written
        ELSE left(written, (SELECT max(n) FROM generate_series(0, 100) AS n WHERE octet_length(left(written, n)) <= 100)) || '...' END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_clip(text) IS 'the beginning of a text that may be long, for messages';

CREATE FUNCTION idgen_sql.idgen_digits(id bigint, alphabet text, size integer) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base bigint := length(alphabet);
    rest bigint := id;
    unsigned numeric;
    digits text := '';
BEGIN
    IF id < 0 THEN
        unsigned := id + 18446744073709551616;
        digits := substr(alphabet, (unsigned % base)::integer + 1, 1);
        rest := div(unsigned, base)::bigint;
    END IF;
    WHILE length(digits) < size LOOP
        digits := substr(alphabet, (rest % base)::integer + 1, 1) || digits;
        rest := rest / base;
    END LOOP;
    RETURN digits;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_digits(bigint, text, integer) IS 'the digits of a number in an alphabet, zeros in front';

CREATE FUNCTION idgen_sql.idgen_number(written text, digits text, alphabet text, size integer, short boolean, form text, largest text, hint text, missing text) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base integer := length(alphabet);
    digit text;
    value numeric := 0;
    whole text := idgen_sql.idgen_clip(written);
BEGIN
    IF digits = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_text_representation', MESSAGE = format('invalid %s: it has no digit', form),
            DETAIL = format('The text was "%s".', whole), HINT = hint;
    ELSIF length(digits) > size THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('invalid %s: it has more than %s digits', form, size),
            DETAIL = format('The text was "%s".', whole), HINT = hint;
    END IF;
    FOREACH digit IN ARRAY regexp_split_to_array(digits, '') LOOP
        value := value * base + strpos(alphabet, digit) - 1;
    END LOOP;
    IF value >= 18446744073709551616 THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('invalid %s: it is too large', form),
            DETAIL = format('The text was "%s"; the largest is "%s".', whole, largest), HINT = hint;
    ELSIF length(digits) < size AND NOT short THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_text_representation', MESSAGE = format('invalid %s: it has fewer than %s digits', form, size),
            DETAIL = format('The text was "%s".', whole), HINT = missing || ' is missing. If zeros in front were left out instead, say short => true.';
    END IF;
    RETURN CASE WHEN value < 9223372036854775808 THEN value ELSE value - 18446744073709551616 END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_number(text, text, text, integer, boolean, text, text, text, text) IS 'the number that digits of an alphabet write, all of them unless it may be short; an error if there is none';

CREATE FUNCTION idgen_sql.idgen_require_digits(written text, checked text, alphabet text, form text, hint text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place integer := length(checked) - length(ltrim(checked, alphabet)) + 1;
BEGIN
    IF place <= length(checked) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_text_representation', MESSAGE = format('invalid %s: "%s" is not a digit', form, substr(written, place, 1)),
            DETAIL = format('It is character %s of "%s".', place, idgen_sql.idgen_clip(written)), HINT = hint;
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_digits(text, text, text, text, text) IS 'raises an error for the first character that is not a digit';

CREATE FUNCTION idgen_sql.id_to_base62(id bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_digits(id, '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 11);
COMMENT ON FUNCTION idgen_sql.id_to_base62(bigint) IS 'ID as 11 digits of 0-9, A-Z, a-z; sorted as bytes (COLLATE "C") they are sorted as IDs';

CREATE FUNCTION idgen_sql.id_from_base62(digits text, short boolean DEFAULT false) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    hint constant text := 'Base62 has the digits 0-9, A-Z and a-z.';
BEGIN
    PERFORM idgen_sql.idgen_require_digits(digits, digits, alphabet, 'Base62 text', hint);
    RETURN idgen_sql.idgen_number(digits, digits COLLATE "C", alphabet, 11, short, 'Base62 text', 'LygHa16AHYF', hint, 'A digit');
END
$$;
COMMENT ON FUNCTION idgen_sql.id_from_base62(text, boolean) IS 'ID from 11 digits of 0-9, A-Z, a-z; short: from up to 11';

CREATE FUNCTION idgen_sql.id_to_base32(id bigint, checksum boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN idgen_sql.idgen_digits(id, '0123456789ABCDEFGHJKMNPQRSTVWXYZ', 13) || CASE WHEN checksum
        THEN substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U', ((id::numeric + 18446744073709551616) % 18446744073709551616 % 37)::integer + 1, 1) ELSE '' END;
END
$$;
COMMENT ON FUNCTION idgen_sql.id_to_base32(bigint, boolean) IS 'ID as 13 digits of Crockford''s Base32, with its check symbol if asked for: to be read aloud and typed';

CREATE FUNCTION idgen_sql.id_from_base32(digits text, checksum boolean DEFAULT false, short boolean DEFAULT false) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    alphabet constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
    hint constant text := 'Base32 has the digits 0-9 and A-Z without I, L, O and U, in either case; hyphens may be between them. '
        'For a text that ends in a check symbol (a digit or * ~ $ = U), say checksum => true.';
    symbols text := translate(digits, 'abcdefghijklmnopqrstuvwxyzILO', 'ABCDEFGH1JK1MN0PQRSTUVWXYZ110');
    check_at integer := CASE WHEN checksum THEN length(rtrim(symbols, '-')) ELSE 0 END;
    front text := CASE WHEN check_at > 0 THEN left(symbols, check_at - 1) ELSE symbols END;
    check_symbol text := substr(symbols, greatest(check_at, 1), least(check_at, 1));
    id bigint;
BEGIN
    PERFORM idgen_sql.idgen_require_digits(digits, front, alphabet || '-', 'Base32 text', hint);
    PERFORM idgen_sql.idgen_require_digits(digits, rpad(front, length(front), '0') || check_symbol, alphabet || '-*~$=U', 'Base32 text', hint);
    id := idgen_sql.idgen_number(digits, replace(front COLLATE "C", '-', ''), alphabet, 13, short, 'Base32 text', 'FZZZZZZZZZZZZ', hint,
        CASE WHEN checksum THEN 'A digit or the check symbol' ELSE 'A digit' END);
    IF checksum AND check_symbol COLLATE "C" <> right(idgen_sql.id_to_base32(id, true), 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_text_representation', MESSAGE = 'invalid Base32 text: its check symbol does not fit its digits',
            DETAIL = format('The text was "%s"; its digits have the check symbol "%s".', digits, right(idgen_sql.id_to_base32(id, true), 1)),
            HINT = 'A digit was mistyped, or two changed places.';
    END IF;
    RETURN id;
END
$$;
COMMENT ON FUNCTION idgen_sql.id_from_base32(text, boolean, boolean) IS 'ID from 13 digits of Crockford''s Base32, in either case, hyphens skipped; a wrong check symbol is an error; short: from up to 13';

CREATE FUNCTION idgen_sql.id_to_base64url(id bigint) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN coalesce(nullif(ltrim(idgen_sql.idgen_digits(id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 11), 'A'), ''), 'A');
END
$$;
COMMENT ON FUNCTION idgen_sql.id_to_base64url(bigint) IS 'ID as up to 11 digits of A-Z, a-z, 0-9, - and _, as in the links of Instagram''s posts';

CREATE FUNCTION idgen_sql.id_from_base64url(digits text, short boolean DEFAULT false) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    alphabet constant text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    hint constant text := 'base64url has the digits A-Z, a-z, 0-9, "-" and "_", without padding.';
BEGIN
    PERFORM idgen_sql.idgen_require_digits(digits, digits, alphabet, 'base64url text', hint);
    RETURN idgen_sql.idgen_number(digits, digits COLLATE "C", alphabet, 11, short, 'base64url text', 'P__________', hint, 'A digit');
END
$$;
COMMENT ON FUNCTION idgen_sql.id_from_base64url(text, boolean) IS 'ID from 11 digits of A-Z, a-z, 0-9, - and _, which IDs from 2^60 on have; short: from up to 11';

CREATE FUNCTION idgen_sql.idgen_require_id(f idgen_sql.idgen_form, id bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF id < 0 OR id > f.largest THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('%s is not an ID of layout "%s"', id, f.canonical),
            DETAIL = format('Its IDs lie between 0 and %s.', f.largest), HINT = 'Give the layout that the ID was made with.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_id(idgen_sql.idgen_form, bigint) IS 'raises an error for a number that a layout cannot have made';

CREATE FUNCTION idgen_sql.idgen_to_uuid(id bigint, f idgen_sql.idgen_form) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ms bigint;  -- in which its tick starts
BEGIN
    PERFORM idgen_sql.idgen_require_id(f, id);
    ms := f.epoch_ms + (id >> f.time_shift) * idgen_sql.idgen_unit_us(f) / 1000;
    IF ms < 0 OR ms >= 1::bigint << 48 THEN
        RAISE EXCEPTION USING ERRCODE = 'numeric_value_out_of_range', MESSAGE = format('no UUID can hold the time of ID %s', id),
            DETAIL = format('It is %s in layout "%s"; a UUID of version 7 has times from %s to %s.', idgen_sql.idgen_instant(idgen_sql.idgen_start_us(f, id >> f.time_shift)), f.canonical,
                idgen_sql.idgen_instant(idgen_sql.idgen_from_unix(0::bigint)), idgen_sql.idgen_instant(idgen_sql.idgen_from_unix((1::bigint << 48) - 1))),
            HINT = 'Use a text form, or a layout with another epoch.';
    END IF;
    -- 48 bits time, version 7, bit 62 of the ID, variant 2, bits 61 to 0
    RETURN (lpad(to_hex(ms), 12, '0') || to_hex(28672 | (id >> 62)) || to_hex((id & (1::bigint << 62) - 1) | (-9223372036854775808)::bigint))::uuid;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_to_uuid(bigint, idgen_sql.idgen_form) IS 'what id_to_uuid gives';

CREATE FUNCTION idgen_sql.id_to_uuid(id bigint, layout text DEFAULT 'instagram') RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_to_uuid(id, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_to_uuid(bigint, text) IS 'ID inside a UUID of version 7 that has the ID''s time, and sorts as the ID does';

CREATE FUNCTION idgen_sql.idgen_to_uuidv8(id bigint, f idgen_sql.idgen_form) RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM idgen_sql.idgen_require_id(f, id);
    -- bits 63 to 16, version 8, bits 15 to 4, variant 2, bits 3 to 0, and 58 random bits: those of a UUID of version 4 that are random throughout
    RETURN (lpad(to_hex(id >> 16), 12, '0') || '8' || lpad(to_hex(id >> 4 & 4095), 3, '0') || to_hex(8 | (id >> 2 & 3))
        || to_hex(((id & 3) << 2) | (get_byte(uuid_send(gen_random_uuid()), 0) & 3)) || right(gen_random_uuid()::text, 12) || right(gen_random_uuid()::text, 2))::uuid;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_to_uuidv8(bigint, idgen_sql.idgen_form) IS 'what id_to_uuidv8 gives';

CREATE FUNCTION idgen_sql.id_to_uuidv8(id bigint, layout text DEFAULT 'instagram') RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN idgen_sql.idgen_to_uuidv8(id, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_to_uuidv8(bigint, text) IS 'UUID of version 8 that begins with the ID, sorts as the ID does, and ends in 58 random bits';

CREATE FUNCTION idgen_sql.idgen_from_uuid(id uuid, f idgen_sql.idgen_form) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    digits text := replace(id::text, '-', '');
    upper bigint := ('x' || left(digits, 16))::bit(64)::bigint;
    lower bigint := ('x' || right(digits, 16))::bit(64)::bigint;
    ms bigint := ('x' || left(digits, 12))::bit(48)::bigint;
    number bigint := ((upper & 4095) << 62) | (lower & (1::bigint << 62) - 1);
    problem text;
BEGIN
    IF upper & 61440 = 32768 AND lower >> 62 & 3 = 2 THEN
        number := (upper & -65536) | ((upper & 4095) << 4) | (lower >> 58 & 15);
        IF number BETWEEN 0 AND f.largest THEN
            RETURN number;
        END IF;
        problem := format('It holds the number %s; IDs of that layout lie between 0 and %s.', number, f.largest);
    ELSIF upper & 61440 <> 28672 OR lower >> 62 & 3 <> 2 THEN
        problem := 'It is not a UUID of version 7 or 8 (RFC 9562).';
    ELSIF upper & 4094 <> 0 OR number < 0 OR number > f.largest THEN
        problem := 'The bits below its time do not hold an ID of that layout.';
    ELSIF f.epoch_ms + (number >> f.time_shift) * idgen_sql.idgen_unit_us(f) / 1000 <> ms THEN
        problem := format('It holds the number %s, whose time in that layout is %s, beside the time %s.', number,
            idgen_sql.idgen_instant(idgen_sql.idgen_start_us(f, number >> f.time_shift)), idgen_sql.idgen_instant(idgen_sql.idgen_from_unix(ms)));
    ELSE
        RETURN number;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('UUID %s does not hold an ID of layout "%s"', id, f.canonical),
        DETAIL = problem, HINT = 'Give a UUID that id_to_uuid or id_to_uuidv8 made, and the same layout.';
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_from_uuid(uuid, idgen_sql.idgen_form) IS 'what id_from_uuid gives';

CREATE FUNCTION idgen_sql.id_from_uuid(id uuid, layout text DEFAULT 'instagram') RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN idgen_sql.idgen_from_uuid(id, idgen_sql.idgen_form(layout));
COMMENT ON FUNCTION idgen_sql.id_from_uuid(uuid, text) IS 'ID inside a UUID of id_to_uuid or id_to_uuidv8; one without an ID of the layout is an error';

-- The maker. Each shard of a packing has two sequences and a view to lock:
--
--     numbers   the last (tick, sequence) that was taken, as one number: tick << sequence_bits | sequence
--     cycles    the tick of the last cycle << cycle_shift | a count of cycles << 1 | whether one is under way
--
-- Within a tick that a cycle has opened, an ID is a nextval of numbers and nothing else. A block of IDs, and more of a tick, want a cycle: under the
-- lock, cycles made odd, numbers read and set above what was read, cycles made even. A session that calls nextval reads cycles before and after: an
-- even number, both times the same, says that no cycle was under way between, so that what nextval gave lies below what the next cycle
-- reads or above what the last one set. Else it is thrown away, as what lies in another tick than cycles say. So the two never give the same
-- number, whatever else calls nextval. A tick above all of numbers is opened without making cycles odd: what nextval gives meanwhile lies
-- in the tick before, or is thrown away.
--
-- idgen_take and idgen_draw have no search_path of their own: what calls them pins it, and they are closed to others.

CREATE TABLE idgen_sql.idgen_setting (
    the_one boolean PRIMARY KEY DEFAULT true CHECK (the_one),
    max_lead interval NOT NULL DEFAULT '1 second' CHECK (max_lead >= '0' AND max_lead <= '1 minute'),
    max_wait interval NOT NULL DEFAULT '5 seconds' CHECK (max_wait >= '0' AND max_wait <= '1 hour')
);
INSERT INTO idgen_sql.idgen_setting DEFAULT VALUES;
COMMENT ON TABLE idgen_sql.idgen_setting IS 'one row: how far an ID may lie ahead of a clock that stepped back, and the longest wait for one';

CREATE TABLE idgen_sql.idgen_shard (
    layout text COLLATE "C" NOT NULL,  -- canonical
    shard bigint NOT NULL,             -- the whole number, region included
    rank integer,                      -- place in the pool, from 0; null: drawn from no more
    form idgen_sql.idgen_form NOT NULL,
    numbers text NOT NULL,             -- names, which a subscription can read also if there is nothing of that name
    cycles text NOT NULL,
    lock text NOT NULL,
    PRIMARY KEY (layout, shard),
    UNIQUE (layout, rank)
);
COMMENT ON TABLE idgen_sql.idgen_shard IS 'the shards that this node owns, written by idgen_set_shards; layouts of one packing share the sequences of a shard';

-- Rows that a publication FOR ALL TABLES sends are those of another database: with its shards this one would make its IDs again. So what a
-- subscription applies changes neither table. A trigger cannot leave a TRUNCATE out, so that stops the subscription. In no other session, also if
-- a restore with --disable-triggers has turned them on for ordinary ones: idgen_set_shards() would keep nothing. They are off under replication
-- then. That function turns them on again, before it reads what has come; until then nothing is drawn from it.
CREATE FUNCTION idgen_sql.idgen_keep_own() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('replication must not empty %s', TG_RELID::regclass),
            DETAIL = 'It holds what is of this database only.',
            HINT = 'ALTER SUBSCRIPTION ... SKIP (lsn = ...) leaves that transaction out: CONTEXT says where it finished. Repeat here what else it did. A publication of other tables sends none.';
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_keep_own() IS 'drops a row that replication brings, and is an error if it would empty a table';

CREATE TRIGGER idgen_keep_own BEFORE INSERT OR UPDATE OR DELETE ON idgen_sql.idgen_setting FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION idgen_sql.idgen_keep_own();
CREATE TRIGGER idgen_keep_own BEFORE INSERT OR UPDATE OR DELETE ON idgen_sql.idgen_shard FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION idgen_sql.idgen_keep_own();
CREATE TRIGGER idgen_keep_all BEFORE TRUNCATE ON idgen_sql.idgen_setting FOR EACH STATEMENT
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION idgen_sql.idgen_keep_own();
CREATE TRIGGER idgen_keep_all BEFORE TRUNCATE ON idgen_sql.idgen_shard FOR EACH STATEMENT
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION idgen_sql.idgen_keep_own();
ALTER TABLE idgen_sql.idgen_setting ENABLE REPLICA TRIGGER idgen_keep_own, ENABLE REPLICA TRIGGER idgen_keep_all;
ALTER TABLE idgen_sql.idgen_shard ENABLE REPLICA TRIGGER idgen_keep_own, ENABLE REPLICA TRIGGER idgen_keep_all;
COMMENT ON TRIGGER idgen_keep_own ON idgen_sql.idgen_setting IS 'keeps the settings those of this database';
COMMENT ON TRIGGER idgen_keep_own ON idgen_sql.idgen_shard IS 'keeps the shards those of this database';
COMMENT ON TRIGGER idgen_keep_all ON idgen_sql.idgen_setting IS 'keeps a TRUNCATE of another database out';
COMMENT ON TRIGGER idgen_keep_all ON idgen_sql.idgen_shard IS 'keeps a TRUNCATE of another database out';

CREATE SEQUENCE idgen_sql.idgen_slot_number;
COMMENT ON SEQUENCE idgen_sql.idgen_slot_number IS 'numbers the sequences and the locks of shards';

CREATE TYPE idgen_sql.idgen_slot AS (
    numbers regclass,
    cycles regclass,
    lock text,              -- the command that takes it
    epoch_us bigint,        -- from 2000-01-01 to tick 0
    unit_us bigint,
    ticks bigint,
    wraps boolean,
    time_shift integer,
    sequence_bits integer,
    sequence_first bigint,
    sequence_last bigint,
    shard_bits bigint,      -- the shard where it stands in an ID
    sequence_shift integer,
    cycle_shift integer     -- of the tick in cycles
);
COMMENT ON TYPE idgen_sql.idgen_slot IS 'what a shard''s IDs are made from';

CREATE FUNCTION idgen_sql.idgen_own_shards() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (-9223372036854775808)::bigint;
COMMENT ON FUNCTION idgen_sql.idgen_own_shards() IS 'the shard argument that means: from the shards that this node owns; no shard itself';

CREATE FUNCTION idgen_sql.idgen_slot(shard bigint, layout text) RETURNS idgen_sql.idgen_slot LANGUAGE sql STABLE PARALLEL SAFE RETURN NULL::idgen_sql.idgen_slot;
COMMENT ON FUNCTION idgen_sql.idgen_slot(bigint, text) IS 'the slot to draw from, of the table idgen_shard written out as constants; null if there is none';

-- Never change: on disk. It is 17 for ticks of a ms or more. A shorter tick leaves fewer bits for the count, but still room for 32 cycles in each
-- us, and one cycle takes longer than a us. So the ticks of every layout fit until the year 2230.
CREATE FUNCTION idgen_sql.idgen_cycle_shift(unit_us bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 7 + width_bucket(unit_us, '{2,4,8,16,32,63,125,250,500,1000}'::bigint[]);
COMMENT ON FUNCTION idgen_sql.idgen_cycle_shift(bigint) IS 'the bits below the tick in cycles';

CREATE FUNCTION idgen_sql.idgen_slot_of(s idgen_sql.idgen_shard) RETURNS idgen_sql.idgen_slot LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ROW(s.numbers::regclass, s.cycles::regclass, format('LOCK TABLE %s IN EXCLUSIVE MODE NOWAIT', s.lock), idgen_sql.idgen_from_unix((s.form).epoch_ms), idgen_sql.idgen_unit_us(s.form), (s.form).ticks, (s.form).wraps, (s.form).time_shift, (s.form).sequence_bits,
        (s.form).sequence_first, (s.form).sequence_last, s.shard << (s.form).shard_shift, (s.form).sequence_shift,
        idgen_sql.idgen_cycle_shift(idgen_sql.idgen_unit_us(s.form)))::idgen_sql.idgen_slot;
COMMENT ON FUNCTION idgen_sql.idgen_slot_of(idgen_sql.idgen_shard) IS 'the slot of a row of idgen_shard';

CREATE FUNCTION idgen_sql.idgen_id(slot idgen_sql.idgen_slot, number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ((number >> slot.sequence_bits & slot.ticks - 1) << slot.time_shift) | slot.shard_bits | ((number & slot.sequence_last) << slot.sequence_shift);
COMMENT ON FUNCTION idgen_sql.idgen_id(idgen_sql.idgen_slot, bigint) IS 'the ID of a number of a slot''s sequence';

-- Shards are set by what stands in the table once its lock is had. An old snapshot would not see what was set meanwhile.
CREATE FUNCTION idgen_sql.idgen_require_read_committed() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    level text := current_setting('transaction_isolation');
BEGIN
    IF level <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'active_sql_transaction', MESSAGE = format('shards cannot be set under isolation level %s', level),
            DETAIL = 'The snapshot may be older than the shards that another session set.', HINT = 'BEGIN ISOLATION LEVEL READ COMMITTED first.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_read_committed() IS 'raises an error if the transaction keeps its snapshot';

CREATE FUNCTION idgen_sql.idgen_write_slots() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    cases text;
BEGIN
    PERFORM idgen_sql.idgen_require_read_committed();
    LOCK TABLE idgen_sql.idgen_shard IN SHARE ROW EXCLUSIVE MODE;
    -- One shard is looked for in no array, which would cost as much as all else.
    SELECT string_agg(CASE cardinality(p.shards)
        WHEN 1 THEN format('WHEN %L THEN CASE WHEN shard = ANY (ARRAY[idgen_sql.idgen_own_shards(), %s]) THEN %s END', p.layout, p.shards[1], p.slots)
        ELSE format('WHEN %L THEN (ARRAY[%s])[CASE shard WHEN idgen_sql.idgen_own_shards() THEN 1 + pg_backend_pid() %% %s ELSE array_position(%L::bigint[], shard) END]',
            p.layout, p.slots, cardinality(p.shards), p.shards) END, ' ' ORDER BY p.layout) INTO cases
      FROM (SELECT s.layout, array_agg(s.shard ORDER BY s.rank) AS shards,
                   string_agg(format('ROW(%L::regclass, %L::regclass, %L, %s, %s, %s, %L::boolean, %s, %s, %s, %s, %s, %s, %s)::idgen_sql.idgen_slot',
                       slot.numbers, slot.cycles, slot.lock, slot.epoch_us, slot.unit_us, slot.ticks, slot.wraps, slot.time_shift, slot.sequence_bits,
                       slot.sequence_first, slot.sequence_last, slot.shard_bits, slot.sequence_shift, slot.cycle_shift), ', ' ORDER BY s.rank) AS slots
              FROM idgen_sql.idgen_shard s, idgen_sql.idgen_slot_of(s) AS slot WHERE s.rank IS NOT NULL GROUP BY s.layout) p;
    EXECUTE format('CREATE OR REPLACE FUNCTION idgen_sql.idgen_slot(shard bigint, layout text) RETURNS idgen_sql.idgen_slot LANGUAGE sql STABLE PARALLEL SAFE RETURN %s',
        coalesce('CASE layout ' || cases || ' END', 'NULL::idgen_sql.idgen_slot'));
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_write_slots() IS 'writes idgen_slot again after a change of idgen_shard';

CREATE TRIGGER idgen_write_slots AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON idgen_sql.idgen_shard
    FOR EACH STATEMENT EXECUTE FUNCTION idgen_sql.idgen_write_slots();
COMMENT ON TRIGGER idgen_write_slots ON idgen_sql.idgen_shard IS 'keeps idgen_slot in step';

CREATE FUNCTION idgen_sql.idgen_resolve(shard bigint, layout text) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    canonical text COLLATE "C" := layout;
    is_own boolean := shard = idgen_sql.idgen_own_shards();
BEGIN
    IF shard IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('shard', true);
    ELSIF layout IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('layout', true);
    END IF;
    IF EXISTS (SELECT FROM idgen_sql.idgen_shard s WHERE s.layout = canonical AND s.rank IS NOT NULL AND (is_own OR s.shard = idgen_resolve.shard)) THEN
        RETURN canonical;
    END IF;
    canonical := idgen_sql.idgen_layout_text(layout);
    IF canonical <> layout COLLATE "C" THEN
        RETURN idgen_sql.idgen_resolve(shard, canonical);
    END IF;
    IF NOT is_own THEN
        PERFORM idgen_sql.idgen_require_shard(idgen_sql.idgen_form(canonical), shard);
    END IF;
    IF NOT EXISTS (SELECT FROM idgen_sql.idgen_shard s WHERE s.layout = canonical AND s.rank IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('this node owns no shard of layout "%s"', canonical),
            DETAIL = 'IDs are drawn from the shards that this node owns.',
            HINT = format('Set the shards of this node, such as: SELECT idgen_sql.idgen_set_shards(%L, %L)', CASE (idgen_sql.idgen_form(canonical)).node_bits WHEN 0 THEN '0' ELSE '5' END, canonical);
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('shard %s does not belong to this node', shard),
        DETAIL = format('The table idgen_sql.idgen_shard has no row of it for layout "%s".', canonical),
        HINT = 'Leave the shard out to use the node''s own, or add it by idgen_set_shards() if no other node has it.';
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_resolve(bigint, text) IS 'the canonical layout of a draw; an error if this node may not draw like that';

CREATE FUNCTION idgen_sql.idgen_clock_us() RETURNS bigint LANGUAGE sql VOLATILE
    RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint - 946684800000000;
COMMENT ON FUNCTION idgen_sql.idgen_clock_us() IS 'the us from 2000-01-01 to now, exact until the year 2106';

CREATE FUNCTION idgen_sql.idgen_spin(rest interval) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    until timestamptz := clock_timestamp() + rest;
BEGIN
    -- It also ends if the clock stands still or steps back.
    FOR look IN 1 .. 1000 LOOP
        EXIT WHEN clock_timestamp() >= until;
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_spin(interval) IS 'waits for less than a ms, which pg_sleep cannot';

-- A dump without data has the shard in idgen_slot, and leaves its sequences as they are made.
CREATE FUNCTION idgen_sql.idgen_refuse_unset(slot idgen_sql.idgen_slot) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'this database does not know which IDs of the shard were made',
        DETAIL = format('The sequences %s and %s came without their values.', slot.numbers, slot.cycles),
        HINT = 'Set shards that no other database has, by idgen_set_shards().';
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_refuse_unset(idgen_sql.idgen_slot) IS 'raises the error of a shard whose sequences were never set in this database';

CREATE FUNCTION idgen_sql.idgen_take(slot idgen_sql.idgen_slot, min_tick bigint, max_lead interval, count bigint, queues boolean,
                                 OUT number bigint, OUT taken bigint, OUT tick bigint, OUT start_us bigint, OUT is_full boolean, OUT wait_us bigint)
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    cycle bigint;
    last bigint;
    now_us bigint;
    clock_tick bigint;
    sequence bigint;
    held boolean;
BEGIN
    taken := 0;
    is_full := false;
    wait_us := 0;
    BEGIN
        EXECUTE CASE WHEN queues THEN replace(slot.lock, ' NOWAIT', '') ELSE slot.lock END;
        cycle := pg_sequence_last_value(slot.cycles);
        -- Assigned, which costs less than PERFORM.
        cycle := setval(slot.cycles, cycle + 1 + (cycle & 1));
        last := pg_sequence_last_value(slot.numbers);
        IF cycle IS NULL OR last IS NULL THEN
            PERFORM idgen_sql.idgen_refuse_unset(slot);
        END IF;

        now_us := idgen_sql.idgen_clock_us();
        clock_tick := CASE WHEN now_us < slot.epoch_us THEN -1 ELSE (now_us - slot.epoch_us) / slot.unit_us END;
        tick := greatest(clock_tick, last >> slot.sequence_bits, min_tick);
        sequence := CASE tick WHEN last >> slot.sequence_bits THEN greatest((last & slot.sequence_last) + 1, slot.sequence_first) ELSE slot.sequence_first END;
        -- An ID is at least 1.
        IF sequence = 0 AND slot.shard_bits = 0 AND tick & (slot.ticks - 1) = 0 THEN
            sequence := 1;
        END IF;
        -- A tick ahead of the clock is held if a cycle saw the clock there before; else nextval has run ahead of it.
        held := tick <= cycle >> slot.cycle_shift;
        is_full := sequence > slot.sequence_last OR (tick > clock_tick AND NOT held);
        start_us := slot.epoch_us + (tick + (sequence > slot.sequence_last)::integer) * slot.unit_us;
        wait_us := start_us - now_us - CASE WHEN is_full THEN 0 ELSE extract(epoch FROM max_lead) * 1000000 END;
        -- A clock that is behind a tick at which a cycle saw it is the cause of the wait.
        is_full := is_full AND clock_tick >= cycle >> slot.cycle_shift;
        IF clock_tick < 0 THEN
            tick := -1;
        ELSIF (slot.wraps OR tick < slot.ticks) AND wait_us <= 0 THEN
            number := tick << slot.sequence_bits | sequence;
            taken := least(count, slot.sequence_last - sequence + 1);
            last := setval(slot.numbers, number + taken - 1);
        END IF;
        cycle := setval(slot.cycles, greatest(cycle + 1, clock_tick << slot.cycle_shift));
        -- What is set stays set; the lock goes with the block, however it ends.
        RAISE SQLSTATE 'IDEND';
    EXCEPTION
        WHEN SQLSTATE 'IDEND' THEN
            NULL;
        WHEN lock_not_available THEN
            IF queues THEN
                RAISE;
            END IF;
    END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_take(idgen_sql.idgen_slot, bigint, interval, bigint, boolean) IS
    'takes numbers of one tick from a slot, in a cycle; or says how long to wait for one: 0, and no tick, if another session''s cycle is under way';

CREATE FUNCTION idgen_sql.idgen_refuse_wait(slot idgen_sql.idgen_shard, start_us bigint, is_full boolean, waited interval) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f idgen_sql.idgen_form := slot.form;
    now_us bigint := idgen_sql.idgen_clock_us();
    setting idgen_sql.idgen_setting;
BEGIN
    SELECT * INTO setting FROM idgen_sql.idgen_setting;
    IF is_full THEN
        RAISE EXCEPTION USING ERRCODE = 'sequence_generator_limit_exceeded', MESSAGE = format('no ID is left in this tick for shard %s', slot.shard),
            DETAIL = format('Layout "%s" makes %s IDs in %s ms for each shard.', f.canonical, f.sequence_last - f.sequence_first + 1, f.unit_ms),
            HINT = 'Increase max_wait in idgen_sql.idgen_setting, give this node more shards, or use a layout with a longer sequence.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
        MESSAGE = format('the clock is %s behind the next ID of shard %s', idgen_sql.idgen_duration(ceil((start_us - now_us) / 1000.0)::bigint), slot.shard),
        DETAIL = format('The clock says %s, the next ID would say %s; waited for %s; max_lead is %s, max_wait is %s.', idgen_sql.idgen_instant(now_us),
            idgen_sql.idgen_instant(start_us), waited, setting.max_lead, setting.max_wait),
        HINT = CASE WHEN start_us - now_us <= 60000000 THEN 'Correct the clock, or increase max_wait in idgen_sql.idgen_setting to wait for it.'
                    ELSE 'Correct the clock; or, if it is right now, wait until it has passed that time.' END;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_refuse_wait(idgen_sql.idgen_shard, bigint, boolean, interval) IS 'raises the error of an ID that is too long to wait for';

CREATE FUNCTION idgen_sql.idgen_draw(shard bigint, layout text, count bigint, INOUT place integer, INOUT last_tick bigint,
                                 OUT first_id bigint, OUT step bigint, OUT taken bigint)
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    canonical text COLLATE "C" := idgen_sql.idgen_resolve(shard, layout);
    is_own boolean := shard = idgen_sql.idgen_own_shards();
    setting idgen_sql.idgen_setting;
    slot idgen_sql.idgen_shard;
    soonest idgen_sql.idgen_shard;
    take record;
    wait_us bigint;
    start_us bigint;
    is_full boolean;
    min_tick bigint := last_tick;
    queues boolean := false;
    waited interval := '0';
    rest interval;
BEGIN
    SELECT * INTO STRICT setting FROM idgen_sql.idgen_setting;
    IF place IS NULL THEN
        SELECT CASE WHEN is_own THEN pg_backend_pid() % pg_catalog.count(*) ELSE 0 END INTO place
          FROM idgen_sql.idgen_shard s WHERE s.layout = canonical AND s.rank IS NOT NULL;
    END IF;
    LOOP
        wait_us := NULL;
        -- Upward in the pool, so that IDs rise within a tick; then downward too, for a session that has drawn nothing
        -- before.
        FOR slot IN SELECT * FROM idgen_sql.idgen_shard s WHERE s.layout = canonical AND s.rank IS NOT NULL
                       AND CASE WHEN is_own THEN s.rank >= place OR last_tick < 0 ELSE s.shard = idgen_draw.shard END
                     ORDER BY s.rank < place, s.rank LOOP
            take := idgen_sql.idgen_take(idgen_sql.idgen_slot_of(slot), CASE WHEN slot.rank = place OR (slot.form).shard_above THEN min_tick ELSE last_tick + 1 END,
                setting.max_lead, count, queues);
            IF take.taken > 0 THEN
                place := slot.rank;
                last_tick := take.tick;
                first_id := idgen_sql.idgen_id(idgen_sql.idgen_slot_of(slot), take.number);
                step := 1::bigint << (slot.form).sequence_shift;
                taken := take.taken;
                RETURN;
            ELSIF take.tick IS NOT NULL THEN
                PERFORM idgen_sql.idgen_require_ticks(slot.form, take.tick,
                    CASE WHEN take.tick < 0 THEN clock_timestamp() ELSE idgen_sql.idgen_instant(least(take.start_us, 9223371331199999999)) END);
            END IF;
            IF wait_us IS NULL OR take.wait_us < wait_us THEN
                wait_us := take.wait_us;
                start_us := take.start_us;
                is_full := take.is_full;
                soonest := slot;
            END IF;
        END LOOP;

        -- Another session's cycle is under way. A session in the queue of the lock must be woken before the next can have it: so look again
        -- instead, and queue only after that.
        IF wait_us = 0 THEN
            PERFORM pg_sleep(0.001);
            queues := true;
            CONTINUE;
        END IF;
        rest := make_interval(secs => greatest(wait_us, 1) / 1000000::double precision);
        IF waited + rest > setting.max_wait THEN
            -- A clock that is behind the last block is the cause of the wait, also at a shard where no cycle saw it there.
            is_full := is_full AND idgen_sql.idgen_clock_tick(idgen_sql.idgen_from_unix((soonest.form).epoch_ms), idgen_sql.idgen_unit_us(soonest.form)) >= last_tick;
            PERFORM idgen_sql.idgen_refuse_wait(soonest, start_us, is_full, waited);
        END IF;
        rest := least(rest, '100 ms');
        IF wait_us < 200 THEN
            PERFORM idgen_sql.idgen_spin(rest);
        ELSE
            PERFORM pg_sleep(date_part('epoch', rest));
        END IF;
        waited := waited + rest;
        IF is_own AND last_tick >= 0 THEN
            place := 0;
            min_tick := last_tick + 1;
        END IF;
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_draw(bigint, text, bigint, integer, bigint) IS
    'draws a block of IDs: the first, the step to the next, how many; above the block before, which had that place in the pool and that tick';

CREATE FUNCTION idgen_sql.idgen_clock_tick(epoch_us bigint, unit_us bigint) RETURNS bigint LANGUAGE sql VOLATILE
    RETURN (idgen_sql.idgen_clock_us() - epoch_us) / unit_us;
COMMENT ON FUNCTION idgen_sql.idgen_clock_tick(bigint, bigint) IS 'the tick of the clock';

CREATE FUNCTION idgen_sql.idgen_open_tick(shard bigint, layout text, slot idgen_sql.idgen_slot, cycle bigint, number bigint, try integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    take record;
BEGIN
    IF try < 100 THEN
        -- Another session's cycle is over in some microseconds; or its session lost its processor, and gets it while this one sleeps.
        IF cycle & 1 = 1 THEN
            IF try % 30 = 0 THEN
                PERFORM pg_sleep(0.001);
            END IF;
            RETURN NULL;
        ELSIF pg_sequence_last_value(slot.cycles) <> cycle THEN
            RETURN NULL;
        -- The clock is where it should be, as nearly always: no setting is needed, nor another shard.
        ELSIF greatest(cycle >> slot.cycle_shift, number >> slot.sequence_bits) <= idgen_sql.idgen_clock_tick(slot.epoch_us, slot.unit_us) THEN
            take := idgen_sql.idgen_take(slot, -1::bigint, '0'::interval, 1::bigint, false);
            IF take.taken > 0 THEN
                RETURN idgen_sql.idgen_id(slot, take.number);
            ELSIF take.tick IS NULL THEN
                RETURN NULL;
            END IF;
        END IF;
    END IF;
    RETURN (idgen_sql.idgen_draw(shard, layout, 1::bigint, NULL::integer, -1::bigint)).first_id;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_open_tick(bigint, text, idgen_sql.idgen_slot, bigint, bigint, integer) IS
    'an ID by a cycle, if nextval by itself gave none; null if another session''s cycle is under way or came between, so that nextval may do now';

CREATE FUNCTION idgen_sql.idgen_is_open(slot idgen_sql.idgen_slot, cycle bigint, tick bigint) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN cycle >> slot.cycle_shift = tick AND cycle & 1 = 0;
COMMENT ON FUNCTION idgen_sql.idgen_is_open(idgen_sql.idgen_slot, bigint, bigint) IS 'whether a cycle has opened the tick, and none is under way';

CREATE FUNCTION idgen_sql.idgen_may_open(slot idgen_sql.idgen_slot, cycle bigint, tick bigint) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN cycle >> slot.cycle_shift < tick AND cycle & 1 = 0 AND (slot.wraps OR tick < slot.ticks) AND tick & slot.ticks - 1 > 0;
COMMENT ON FUNCTION idgen_sql.idgen_may_open(idgen_sql.idgen_slot, bigint, bigint) IS 'whether the tick lies above the last cycle''s, none is under way, and the first ID of the tick is not 0';

CREATE FUNCTION idgen_sql.idgen_tick_of(slot idgen_sql.idgen_slot, number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN number >> slot.sequence_bits;
COMMENT ON FUNCTION idgen_sql.idgen_tick_of(idgen_sql.idgen_slot, bigint) IS 'the tick of a number of a slot''s sequence';

CREATE FUNCTION idgen_sql.idgen_first_of(slot idgen_sql.idgen_slot, tick bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN tick << slot.sequence_bits | slot.sequence_first;
COMMENT ON FUNCTION idgen_sql.idgen_first_of(idgen_sql.idgen_slot, bigint) IS 'the first number of a tick';

CREATE FUNCTION idgen_sql.idgen_cycle_of(slot idgen_sql.idgen_slot, tick bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN tick << slot.cycle_shift;
COMMENT ON FUNCTION idgen_sql.idgen_cycle_of(idgen_sql.idgen_slot, bigint) IS 'the first number of cycles that opens a tick';

-- It is called for each ID: setting search_path would be a quarter of what it costs. So every name has its schema, and operators stand only in
-- functions that are parsed above.
CREATE FUNCTION idgen_sql.next_id(shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    slot idgen_sql.idgen_slot := idgen_sql.idgen_slot(shard, layout);
    cycle pg_catalog.int8;
    tick pg_catalog.int8;
    number pg_catalog.int8;
    id pg_catalog.int8;
BEGIN
    FOR try IN 1 .. 100 LOOP
        -- The clock is read after the cycle: so it is behind the cycle's tick only if it stepped back.
        cycle := pg_catalog.pg_sequence_last_value(slot.cycles);
        tick := idgen_sql.idgen_clock_tick(slot.epoch_us, slot.unit_us);
        IF idgen_sql.idgen_is_open(slot, cycle, tick) THEN
            number := pg_catalog.nextval(slot.numbers);
            IF pg_catalog.int8eq(idgen_sql.idgen_tick_of(slot, number), tick) AND pg_catalog.int8eq(pg_catalog.pg_sequence_last_value(slot.cycles), cycle) THEN
                RETURN idgen_sql.idgen_id(slot, number);
            END IF;
        ELSIF idgen_sql.idgen_may_open(slot, cycle, tick) THEN
            number := idgen_sql.idgen_first_of(slot, tick);
            BEGIN
                EXECUTE slot.lock;
                IF pg_catalog.int8eq(pg_catalog.pg_sequence_last_value(slot.cycles), cycle)
                        AND pg_catalog.int8lt(idgen_sql.idgen_tick_of(slot, pg_catalog.pg_sequence_last_value(slot.numbers)), tick) THEN
                    number := pg_catalog.setval(slot.numbers, number);
                    cycle := pg_catalog.setval(slot.cycles, idgen_sql.idgen_cycle_of(slot, tick));
                    id := idgen_sql.idgen_id(slot, number);
                END IF;
                -- What is set stays set; the lock goes with the block, however it ends.
                RAISE SQLSTATE 'IDEND';
            EXCEPTION
                WHEN SQLSTATE 'IDEND' OR lock_not_available THEN
                    NULL;
            END;
            EXIT WHEN id IS NOT NULL;
        END IF;
        id := idgen_sql.idgen_open_tick(shard, layout, slot, cycle, number, try);
        EXIT WHEN id IS NOT NULL;
    END LOOP;
    RETURN id;
END
$$;
COMMENT ON FUNCTION idgen_sql.next_id(bigint, text) IS 'makes a new ID, from this node''s own shards or from the given one';

CREATE FUNCTION idgen_sql.idgen_require_count(count bigint) RETURNS void
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF count IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('count', false);
    ELSIF count < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'count must not be negative',
            DETAIL = format('It is %s.', count), HINT = 'Ask for 0 IDs or more.';
    END IF;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_require_count(bigint) IS 'raises an error for a count that is null or negative';

CREATE FUNCTION idgen_sql.next_ids(count bigint, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS SETOF bigint
    LANGUAGE plpgsql VOLATILE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place integer;
    last_tick bigint := -1;
    block record;
    rest bigint := count;
BEGIN
    PERFORM idgen_sql.idgen_require_count(count);
    PERFORM idgen_sql.idgen_resolve(shard, layout);
    WHILE rest > 0 LOOP
        block := idgen_sql.idgen_draw(shard, layout, least(rest, 4096), place, last_tick);
        place := block.place;
        last_tick := block.last_tick;
        RETURN QUERY SELECT block.first_id + block.step * i FROM generate_series(0, block.taken - 1) AS i;
        rest := rest - block.taken;
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.next_ids(bigint, bigint, text) IS 'makes that many new IDs as rows, ascending';

CREATE FUNCTION idgen_sql.next_id_array(count integer, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT 'instagram') RETURNS bigint[]
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place integer;
    last_tick bigint := -1;
    block record;
    step bigint;
    rest integer := count;
    firsts bigint[] := '{}';
    counts bigint[] := '{}';
BEGIN
    PERFORM idgen_sql.idgen_require_count(count::bigint);
    IF count > 134217724 THEN
        RAISE EXCEPTION USING ERRCODE = 'program_limit_exceeded', MESSAGE = format('an array cannot hold %s IDs', count),
            DETAIL = 'It holds at most 134217724.', HINT = 'Use next_ids, which gives rows.';
    END IF;
    PERFORM idgen_sql.idgen_resolve(shard, layout);
    WHILE rest > 0 LOOP
        block := idgen_sql.idgen_draw(shard, layout, rest::bigint, place, last_tick);
        place := block.place;
        last_tick := block.last_tick;
        step := block.step;
        firsts := firsts || block.first_id;
        counts := counts || block.taken;
        rest := rest - block.taken;
    END LOOP;
    RETURN ARRAY(SELECT b.first_id + step * i FROM unnest(firsts, counts) AS b (first_id, taken), generate_series(0, b.taken - 1) AS i);
END
$$;
COMMENT ON FUNCTION idgen_sql.next_id_array(integer, bigint, text) IS 'makes that many new IDs as an array, ascending';

-- The shards of this node, only for the owner

CREATE FUNCTION idgen_sql.idgen_parse_shards(shards text) RETURNS SETOF bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    item text;
    part text[];
BEGIN
    FOREACH item IN ARRAY string_to_array(shards, ',') LOOP
        part := regexp_match(item, '^ *([0-9]{1,10}) *(?:- *([0-9]{1,10}) *)?$');
        IF part IS NULL OR part[1]::bigint > 2147483647 OR coalesce(part[2], part[1])::bigint NOT BETWEEN part[1]::bigint AND 2147483647 THEN
            RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('invalid shards: "%s"', shards),
                DETAIL = format('"%s" is neither a shard number nor a range.', item), HINT = 'Write shards and ranges, such as ''5'' or ''0-15'' or ''1,4,8-11''.';
        END IF;
        RETURN QUERY SELECT generate_series(part[1]::bigint, coalesce(part[2], part[1])::bigint);
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_parse_shards(text) IS 'the numbers of a list of shards and ranges';

CREATE FUNCTION idgen_sql.idgen_make_private(objects regclass[]) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    command text;
BEGIN
    FOR command IN SELECT format('REVOKE ALL ON %s FROM %s', c.oid::regclass, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END)
                     FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
                    WHERE c.oid = ANY (objects) AND a.grantee <> c.relowner LOOP
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_make_private(regclass[]) IS 'takes back what default privileges gave to others';

CREATE FUNCTION idgen_sql.idgen_set_shards(shards text, layout text DEFAULT 'instagram') RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    f idgen_sql.idgen_form := idgen_sql.idgen_form(layout);
    numbers_wanted bigint[] := ARRAY(SELECT DISTINCT n FROM idgen_sql.idgen_parse_shards(shards COLLATE "C") AS n ORDER BY n LIMIT 1025);
    wanted bigint;
    known idgen_sql.idgen_shard;
    rows idgen_sql.idgen_shard[] := '{}';
    drawn_before text[];
    numbers text;
    slot bigint;
    commands text[];
    command text;
BEGIN
    IF shards IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('shards', false);
    ELSIF layout IS NULL THEN
        PERFORM idgen_sql.idgen_refuse_null('layout', true);
    ELSIF NOT EXISTS (SELECT FROM pg_class WHERE oid = 'idgen_sql.idgen_shard'::regclass AND pg_get_userbyid(relowner) = current_user) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'only the owner of idgen_sql.idgen_shard sets the shards of this node',
            DETAIL = 'The sequences of a shard belong to the owner.', HINT = 'Connect as, or SET ROLE to, the owner.';
    ELSIF cardinality(numbers_wanted) > 1024 THEN
        RAISE EXCEPTION USING ERRCODE = 'program_limit_exceeded', MESSAGE = 'a node owns at most 1024 shards of a layout here',
            DETAIL = 'Each has two sequences and a view.', HINT = 'Name fewer shards.';
    ELSIF f.wraps AND (4102444800000 * 2 - f.epoch_ms) / f.unit_ms >= 1::bigint << (62 - f.sequence_bits) THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = format('layout "%s" has more ticks than a sequence holds', f.canonical),
            DETAIL = 'Tick and sequence share one number here.', HINT = 'Use a layout with a later epoch, a longer unit, or a shorter sequence.';
    ELSIF current_setting('session_replication_role') = 'replica' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'shards cannot be set where session_replication_role is replica',
            DETAIL = 'The tables keep nothing that comes by replication.', HINT = 'SET session_replication_role = origin first.';
    END IF;

    PERFORM idgen_sql.idgen_require_read_committed();
    LOCK TABLE idgen_sql.idgen_shard IN SHARE ROW EXCLUSIVE MODE;
    -- A dump without data brings neither the row nor the number.
    IF NOT EXISTS (SELECT FROM idgen_sql.idgen_setting) THEN
        INSERT INTO idgen_sql.idgen_setting DEFAULT VALUES;
    END IF;
    -- What a restore with --disable-triggers turned off, and what replication may have brought since: nothing draws from that yet.
    commands := ARRAY(SELECT format('ALTER TABLE %s ENABLE REPLICA TRIGGER %I', t.tgrelid::regclass, t.tgname) FROM pg_trigger t
                       WHERE t.tgrelid IN ('idgen_sql.idgen_shard'::regclass, 'idgen_sql.idgen_setting'::regclass)
                         AND t.tgname IN ('idgen_keep_own', 'idgen_keep_all') AND t.tgenabled NOT IN ('R', 'A'));
    IF commands <> '{}' THEN
        FOREACH command IN ARRAY commands LOOP
            EXECUTE command;
        END LOOP;
        UPDATE idgen_sql.idgen_shard s SET rank = NULL
         WHERE s.rank IS NOT NULL AND (idgen_sql.idgen_slot(s.shard, s.layout)).numbers IS DISTINCT FROM to_regclass(s.numbers);
    END IF;
    drawn_before := ARRAY(SELECT s.numbers FROM idgen_sql.idgen_shard s WHERE s.layout = f.canonical AND s.rank IS NOT NULL);
    UPDATE idgen_sql.idgen_shard s SET rank = NULL WHERE s.layout = f.canonical;
    FOREACH wanted IN ARRAY numbers_wanted LOOP
        PERFORM idgen_sql.idgen_require_shard(f, wanted);
        SELECT * INTO known FROM idgen_sql.idgen_shard s WHERE (s.form).packing = f.packing AND s.shard = wanted LIMIT 1;
        IF NOT FOUND THEN
            LOOP
                slot := nextval('idgen_sql.idgen_slot_number');
                EXIT WHEN NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = 'idgen_sql'::regnamespace
                                         AND relname = ANY (ARRAY['idgen_numbers_' || slot, 'idgen_cycles_' || slot, 'idgen_lock_' || slot]));
            END LOOP;
            EXECUTE format('CREATE SEQUENCE idgen_sql.idgen_numbers_%s MINVALUE 0', slot);
            EXECUTE format('CREATE SEQUENCE idgen_sql.idgen_cycles_%s MINVALUE 0', slot);
            -- ANALYZE, which keeps its lock until its transaction ends, leaves views out, and so does a publication.
            EXECUTE format('CREATE VIEW idgen_sql.idgen_lock_%s AS SELECT', slot);
            known.numbers := format('idgen_sql.idgen_numbers_%s', slot);
            known.cycles := format('idgen_sql.idgen_cycles_%s', slot);
            known.lock := format('idgen_sql.idgen_lock_%s', slot);
            PERFORM idgen_sql.idgen_make_private(ARRAY[known.numbers, known.cycles, known.lock]::regclass[]);
            EXECUTE format('COMMENT ON SEQUENCE %s IS %L', known.numbers, format('last tick and sequence of shard %s, packing %s', wanted, f.packing));
            EXECUTE format('COMMENT ON SEQUENCE %s IS %L', known.cycles, format('cycles of shard %s, packing %s', wanted, f.packing));
            EXECUTE format('COMMENT ON VIEW %s IS %L', known.lock, format('locked in a cycle of shard %s, packing %s', wanted, f.packing));
        END IF;
        IF EXISTS (SELECT FROM pg_sequence WHERE seqrelid = known.numbers::regclass AND seqmax < 9223372036854775807) THEN
            EXECUTE format('ALTER SEQUENCE %s NO MAXVALUE', known.numbers);
        END IF;
        PERFORM setval(n, 0) FROM unnest(ARRAY[known.numbers, known.cycles]::regclass[]) AS n WHERE pg_sequence_last_value(n) IS NULL;
        known.layout := f.canonical;
        known.shard := wanted;
        known.rank := cardinality(rows);
        known.form := f;
        rows := rows || known;
    END LOOP;
    INSERT INTO idgen_sql.idgen_shard SELECT * FROM unnest(rows)
        ON CONFLICT ON CONSTRAINT idgen_shard_pkey DO UPDATE SET rank = excluded.rank;

    -- Another node may have what is left out, but sessions still have plans and snapshots that know it. The first ALTER SEQUENCE waits for the
    -- transactions that have drawn; the second leaves no number, whoever comes later.
    FOR numbers IN SELECT n FROM unnest(drawn_before) AS n WHERE to_regclass(n) IS NOT NULL
                    AND NOT EXISTS (SELECT FROM idgen_sql.idgen_shard s WHERE s.numbers = n AND s.rank IS NOT NULL) LOOP
        EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', numbers);
        EXECUTE format('ALTER SEQUENCE %s MAXVALUE %s', numbers, greatest(pg_sequence_last_value(numbers::regclass), 1));
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_sql.idgen_set_shards(text, text) IS
    'says which shards of a layout this node owns, such as 5 or 0-15 or 1,4,8-11; those that it leaves out are drawn from no more';

-- Who may do what: every role may call the readers; the makers run as their owner, so only roles to which the owner
-- grants it may call them.

DO $$
DECLARE
    command text;
BEGIN
    PERFORM idgen_sql.idgen_make_private('{idgen_sql.idgen_setting,idgen_sql.idgen_shard,idgen_sql.idgen_slot_number}'::regclass[]);
    FOR command IN SELECT format('REVOKE ALL ON FUNCTION %s FROM %s', p.oid::regprocedure, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END)
                     FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
                    WHERE p.pronamespace = 'idgen_sql'::regnamespace AND a.grantee <> p.proowner
                      AND p.proname = ANY ('{next_id,next_ids,next_id_array,idgen_open_tick,idgen_draw,idgen_take,idgen_slot,idgen_resolve,idgen_write_slots,idgen_keep_own,idgen_set_shards,idgen_make_private}') LOOP
        EXECUTE command;
    END LOOP;
END
$$;
ALTER FUNCTION idgen_sql.next_id(bigint, text) SECURITY DEFINER;
ALTER FUNCTION idgen_sql.next_ids(bigint, bigint, text) SECURITY DEFINER;
ALTER FUNCTION idgen_sql.next_id_array(integer, bigint, text) SECURITY DEFINER;

RESET search_path;
