COMMENT ON SCHEMA idgen_registry IS 'the registry from which nodes with idgen claim their numbers';
COMMIT;
