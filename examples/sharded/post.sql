CREATE TABLE post (
    id bigint PRIMARY KEY DEFAULT next_id(),
    author integer NOT NULL,
    body text NOT NULL,
    request uuid NOT NULL UNIQUE
);
