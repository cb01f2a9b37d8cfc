-- idgen_lease @VERSION@: what this server remembers of the numbers that it holds from a registry, and calls for whoever looks after them.
\echo Use "CREATE EXTENSION idgen_lease" to load this file. \quit
