# What reads IDs outside the server: make wasm, js, web call this. Run from the top of the tree; results are in build/.
#
#   build/idgen.wasm     the core's readers, compiled by clang for WebAssembly: no imports; from one compiler the same bytes everywhere
#   build/js             the package for JavaScript as it is published; build/idgen-reader-VERSION.tgz is what npm installs
#   build/web/index.html the page Read an ID, with all that it needs inside

CLANG ?= clang++

VERSION := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" idgen.control)
WASM_SOURCES = $(sort $(wildcard src/core/text/*.cpp src/core/layout/*.cpp src/core/kinds/*.cpp src/wasm/*/*.cpp))
WASM_HEADERS = $(wildcard src/core/*.hpp src/core/*/*.hpp src/wasm/*/*.hpp)
WASM_FLAGS = --target=wasm32-wasi -std=c++17 -Oz -flto -ffunction-sections -fno-exceptions -fno-rtti -fvisibility=hidden -Isrc \
	-Wall -Wextra -Werror
WASM_LINK = -nostartfiles -Wl,--no-entry -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=16384
# Every function of the face is exported, and nothing else.
WASM_EXPORTS = $(addprefix -Wl$(comma)--export=,$(sort $(shell grep -ohw 'idgen_[a-z0-9_]*' src/wasm/face/*.cpp)))
comma = ,

.PHONY: wasm js web
wasm: build/idgen.wasm

build/idgen.wasm: $(WASM_SOURCES) $(WASM_HEADERS) tools/outside.mk
	@mkdir -p $(@D)
	$(CLANG) $(WASM_FLAGS) $(WASM_LINK) $(WASM_EXPORTS) -o $@ $(WASM_SOURCES)

# The package: its sources, the core as text, and the license; its version is that of idgen.control.
JS_SOURCES = $(sort $(wildcard packages/js/*.js packages/js/*.ts packages/js/*.json packages/js/*.md))
PACKAGE = build/idgen-reader-$(VERSION).tgz
js: $(PACKAGE)

build/wasm.js: build/idgen.wasm
	{ printf "export const wasmBase64 = '" && base64 -w 0 $< && printf "';\n"; } >$@

$(PACKAGE): $(JS_SOURCES) LICENSE build/wasm.js tools/outside.mk idgen.control
	rm -rf build/js build/idgen-reader-*.tgz && mkdir build/js && cp $(JS_SOURCES) LICENSE build/wasm.js build/js/
	sed 's/"version": "0.0.0"/"version": "$(VERSION)"/' packages/js/package.json >build/js/package.json
	cd build/js && npm pack --silent --ignore-scripts --pack-destination .. >/dev/null

# The page: what page.html names is put into it, so that it needs no other file.
WEB_SOURCES = $(wildcard web/*)
web: build/web/index.html

build/web/index.html: $(WEB_SOURCES) $(JS_SOURCES) build/wasm.js
	@mkdir -p $(@D)
	perl web/inline web/page.html >$@ || { rm -f $@; exit 1; }
