-- ULID and uuid are both 16 bytes.

CREATE CAST (ulid AS uuid) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION AS ASSIGNMENT;

COMMENT ON CAST (ulid AS uuid) IS 'the same 16 bytes';
COMMENT ON CAST (uuid AS ulid) IS 'the same 16 bytes';
