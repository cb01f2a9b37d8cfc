-- Which 0.9.0 does not have.
REVOKE EXECUTE ON FUNCTION idgen_registry.refuse_controls, idgen_registry.check_untold, idgen_registry.size_of, idgen_registry.check_lists, idgen_registry.keep_own FROM PUBLIC;
