-- Which 0.9.0 does not have.
REVOKE EXECUTE ON FUNCTION idgen_registry.refuse_controls, idgen_registry.check_untold, idgen_registry.size_of, idgen_registry.check_lists, idgen_registry.keep_own, idgen_registry.commands_to_keep, idgen_registry.keep_again FROM PUBLIC;
