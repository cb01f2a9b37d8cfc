# What reads IDs outside the server: goals of the Makefile at the top, which includes this. build.mk makes them.

.PHONY: wasm js web
wasm js web:
	@./tools/packages outside && $(MAKE) -s -f js/build.mk $@

test-js:
	@HOUSES=js ./tools/test web neighbors
