-- A dump carries the numbers. Restored, they are an older state: the first call says so.
SELECT pg_extension_config_dump('idgen_registry.registry', '');
SELECT pg_extension_config_dump('idgen_registry.lease', '');
SELECT pg_extension_config_dump('idgen_registry.counter', '');
