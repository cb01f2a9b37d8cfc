CREATE TABLE post (id bigint PRIMARY KEY, author integer NOT NULL, body text NOT NULL);
CREATE TABLE position (shard text PRIMARY KEY, next bigint NOT NULL DEFAULT 0);
INSERT INTO position (shard) VALUES ('a'), ('b');
