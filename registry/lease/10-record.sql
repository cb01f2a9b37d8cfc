-- What the server remembers of its numbers lies in a page of its own behind this sequence, which the server's own worker writes
-- before each claim. A dump does not carry it: a restored database is on another server, which takes other numbers.
CREATE SEQUENCE idgen_lease.record;

COMMENT ON SEQUENCE idgen_lease.record IS
    'behind it lies what this server remembers of the numbers that it holds from a registry; its value means nothing';
