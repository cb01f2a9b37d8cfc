\echo Use "CREATE EXTENSION @EXTENSION@" to load this file. \quit
