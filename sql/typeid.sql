-- TypeIDs: 128 bits with a prefix, there and back, refusals.
\pset null '(null)'

-- Of a uuid, a ulid, a domain over one, and a literal, which is a uuid
CREATE DOMAIN user_id AS uuid;
CREATE DOMAIN old_user_id AS user_id;
CREATE DOMAIN order_id AS ulid;
SELECT typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::uuid) AS uuid, typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::uuid::ulid) AS ulid,
       typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057'::old_user_id) AS domain, typeid_text('user', '01890a5d-ac96-774b-bcce-b302099a8057') AS literal,
       typeid_text('order', '01H455VB4PEX5VSKNK084SN02Q'::order_id) AS domain_ulid;
SELECT typeid_text(prefix => '', value => '01H455VB4PEX5VSKNK084SN02Q'::ulid), typeid_text('a_b__c', '01H455VB4PEX5VSKNK084SN02Q'::ulid),
       length(typeid_text(repeat('z', 63), '01H455VB4PEX5VSKNK084SN02Q'::ulid));
PREPARE of_both (uuid, ulid) AS SELECT typeid_text('x', $1) = typeid_text('x', $2) AS same;
EXECUTE of_both ('01890a5d-ac96-774b-bcce-b302099a8057', '01H455VB4PEX5VSKNK084SN02Q');
DEALLOCATE of_both;

-- Back
SELECT typeid_prefix(t), typeid_uuid(t), typeid_ulid(t)
  FROM unnest('{user_01h455vb4pex5vsknk084sn02q, a_b__c_01h455vb4pex5vsknk084sn02q, 01h455vb4pex5vsknk084sn02q, x_00000000000000000000000000,
                x_7zzzzzzzzzzzzzzzzzzzzzzzzz}'::text[]) AS t;
SELECT count(*), bool_and(typeid_uuid(typeid_text('u', u)) = u) AS uuid, bool_and(typeid_ulid(typeid_text('l', l)) = l) AS ulid,
       bool_and(typeid_text('u', u) ~ '^u_[0-7][0-9a-hjkmnp-tv-z]{25}$') AS form,
       array_agg(u ORDER BY u) = array_agg(u ORDER BY typeid_text('u', u) COLLATE "C") AS sorted
  FROM (SELECT md5(n::text)::uuid AS u, next_ulid() AS l FROM generate_series(1, 2000) AS n) AS made;

-- As a column: the text kept, or made of the key
CREATE TABLE account (
    id uuid PRIMARY KEY DEFAULT next_uuidv7(),
    public_id text GENERATED ALWAYS AS (typeid_text('account', id)) STORED UNIQUE,
    invited_by text CHECK (typeid_prefix(invited_by) = 'account'));
INSERT INTO account DEFAULT VALUES;
INSERT INTO account (invited_by) SELECT public_id FROM account;
SELECT count(*), bool_and(typeid_uuid(public_id) = id) AS back FROM account;
SELECT count(*) FROM account WHERE id = (SELECT typeid_uuid(invited_by) FROM account WHERE invited_by IS NOT NULL);
\set VERBOSITY terse
INSERT INTO account (invited_by) VALUES (typeid_text('user', next_uuidv7()));
\set VERBOSITY default
DROP TABLE account;

SELECT typeid_text(NULL, next_uuidv7()), typeid_text('user', NULL::uuid), typeid_text('user', NULL), typeid_uuid(NULL), typeid_ulid(NULL), typeid_prefix(NULL);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
-- The published ones that are no TypeID
SELECT refusals($$typeid_uuid('PREFIX_00000000000000000000000000')$$, $$typeid_uuid('pre.fix_00000000000000000000000000')$$,
                $$typeid_uuid('  prefix_00000000000000000000000000')$$, $$typeid_uuid('_00000000000000000000000000')$$,
                $$typeid_uuid('prefix_1234567890123456789012345')$$, $$typeid_uuid('prefix_1234567890123456789012345 ')$$,
                $$typeid_uuid('prefix_123456789-123456789-123456')$$, $$typeid_uuid('prefix_i23456789ol23456789oi23456')$$,
                $$typeid_uuid('prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz')$$, $$typeid_uuid('prefix__00000000000000000000000000')$$,
                $$typeid_uuid('prefix_')$$, $$typeid_uuid('_prefix_01h5fskfsk4fpeqwnsyz5hj55t')$$);
-- Others; all readers refuse alike
SELECT refusals($$typeid_uuid('')$$, $$typeid_ulid('user_01H455VB4PEX5VSKNK084SN02Q')$$, $$typeid_prefix('user_01h455vb4pex5vsknk084sn02')$$,
                $$typeid_prefix('user')$$, $$typeid_ulid('user_01h455vb4pex5vsknk084sn02q0')$$, $$typeid_uuid('80000000000000000000000000')$$,
                $$typeid_uuid('user_01h455vb4pex5vsknk084sn0éq')$$, $$typeid_uuid('üser_01h455vb4pex5vsknk084sn02q')$$,
                $$typeid_uuid(repeat('u', 64) || '_01h455vb4pex5vsknk084sn02q')$$, $$typeid_uuid(repeat('u', 1000))$$);
SELECT refusals($$typeid_text('User', next_uuidv7())$$, $$typeid_text('_', next_uuidv7())$$, $$typeid_text('user_', next_ulid())$$, $$typeid_text('us3r', next_ulid())$$,
                $$typeid_text(' ', next_ulid())$$, $$typeid_text('naïve', next_ulid())$$, $$typeid_text(repeat('z', 64), next_ulid())$$,
                $$typeid_text('user', 5)$$, $$typeid_text('user', next_ksuid())$$, $$typeid_text('user', 'x'::text)$$, $$typeid_text('user', ARRAY[next_uuidv7()])$$,
                $$typeid_text('user', 'x')$$, $$typeid_text('user', ROW(next_uuidv7()))$$);
\pset format aligned
\pset tuples_only off
DROP DOMAIN order_id;
DROP DOMAIN old_user_id;
DROP DOMAIN user_id;
