CREATE EXTENSION idgen_registry;
CREATE ROLE node LOGIN IN ROLE idgen_node;
