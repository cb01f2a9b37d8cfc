COMMENT ON SCHEMA idgen_registry IS 'the registry from which nodes with idgen take their numbers';
COMMIT;
