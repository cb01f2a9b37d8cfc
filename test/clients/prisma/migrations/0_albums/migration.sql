CREATE EXTENSION IF NOT EXISTS idgen;
CREATE EXTENSION IF NOT EXISTS idgen_kinds;
CREATE TABLE album (id id64 PRIMARY KEY DEFAULT next_id(), title text, pictures id64[]);
CREATE TABLE visit (id ulid PRIMARY KEY DEFAULT next_ulid(), album_id id64 NOT NULL REFERENCES album, before ulid[]);
