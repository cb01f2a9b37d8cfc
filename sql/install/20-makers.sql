-- Makers

CREATE FUNCTION idgen.maker_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'idgen_maker_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- What it puts for a call in a default that COPY plans: arguments and result are those of the maker.
CREATE FUNCTION idgen.draw(maker internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'idgen_draw' LANGUAGE C STABLE PARALLEL SAFE;

-- Defaults of arguments. Stable, though they are constants: the planner would call an immutable function. They are
-- functions because the server reads the text of a function faster than that of a constant, in each statement.
CREATE FUNCTION idgen.own_shards() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_own_shards' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.instagram() RETURNS id_layout
    AS 'MODULE_PATHNAME', 'idgen_instagram' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE FUNCTION next_id(shard bigint DEFAULT idgen.own_shards(), layout id_layout DEFAULT idgen.instagram())
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_id' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;

-- For superusers, who call nothing by the name of a schema that others own. Who may not call next_id() may not call this.
CREATE FUNCTION idgen.next_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_own_next_id' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;

CREATE FUNCTION next_ids(count bigint, shard bigint DEFAULT idgen.own_shards(),
                         layout id_layout DEFAULT 'instagram')
    RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'idgen_next_ids' LANGUAGE C VOLATILE PARALLEL SAFE ROWS 1000 SUPPORT idgen.maker_support;

CREATE FUNCTION next_id_array(count integer, shard bigint DEFAULT idgen.own_shards(),
                              layout id_layout DEFAULT 'instagram')
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'idgen_next_id_array' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;

CREATE FUNCTION next_id_after(id bigint, shard bigint DEFAULT idgen.own_shards(),
                              layout id_layout DEFAULT 'instagram')
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_id_after' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;

CREATE FUNCTION id_make(created_at timestamptz, shard bigint, sequence integer,
                        layout id_layout DEFAULT 'instagram')
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_make' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION id_make_array(created_at timestamptz[], shard bigint, above bigint DEFAULT 0,
                              taken bigint[] DEFAULT '{}', layout id_layout DEFAULT 'instagram')
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'idgen_make_array' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION idgen.own_shards() IS
    'the shard argument that means: from the shards that this node owns (idgen.shards); no shard itself';
COMMENT ON FUNCTION idgen.maker_support(internal) IS 'planner support of makers: defaults as constants, and idgen.draw in a default that COPY plans';
COMMENT ON FUNCTION idgen.draw(internal) IS 'calls a maker for a default, in COPY and its like';
COMMENT ON FUNCTION idgen.instagram() IS 'the layout argument of next_id() if none is given';
COMMENT ON FUNCTION next_id(bigint, id_layout) IS
    'makes a new ID of layout from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION next_ids(bigint, bigint, id_layout) IS
    'makes count new IDs of layout as rows, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION next_id_array(integer, bigint, id_layout) IS
    'makes count new IDs of layout as an array, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION next_id_after(bigint, bigint, id_layout) IS
    'makes a new ID that is larger than id, one of the same layout that was seen elsewhere, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION idgen.next_id() IS 'makes an ID as next_id() does without arguments, for roles that may execute that one; stands in a schema of a superuser';
COMMENT ON FUNCTION id_make(timestamptz, bigint, integer, id_layout) IS
    'the ID of layout with the time created_at, rounded down to a tick, and the given shard and sequence, from 0 up to what the layout has; for backfill and tests: does not make it unique';
COMMENT ON FUNCTION id_make_array(timestamptz[], bigint, bigint, bigint[], id_layout) IS
    'ascending IDs of layout and shard for the instants created_at, which ascend: above the ID above, and none of those taken; a full tick spills into the next';
