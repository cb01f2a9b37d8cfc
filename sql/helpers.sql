-- refusals('call', ...): how each call is refused, as lines: the call; SQLSTATE and message; DETAIL; HINT.
CREATE FUNCTION refusals(VARIADIC calls text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    call text;
    result text;
    state text;
    message text;
    detail text;
    hint text;
BEGIN
    FOREACH call IN ARRAY calls LOOP
        RETURN NEXT call;
        BEGIN
            EXECUTE 'SELECT (' || call || ')::text' INTO result;
            RETURN NEXT '    NOT REFUSED: ' || coalesce(result, 'null');
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                                    detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            RETURN NEXT '    ' || state || ' ' || message;
            RETURN NEXT '    DETAIL: ' || coalesce(nullif(detail, ''), 'none');
            RETURN NEXT '    HINT: ' || coalesce(nullif(hint, ''), 'none');
        END;
    END LOOP;
END
$$;

-- result_of('call'): its result, or the SQLSTATE of its error.
CREATE FUNCTION result_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT (' || call || ')::text' INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;

-- plan_of('query'): its plan, as lines, without those that tell only from 19 on what a constant stands for.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        CONTINUE WHEN line ~ '^ *Replaces: ';
        RETURN NEXT line;
    END LOOP;
END
$$;
