# What reads IDs outside the server: make wasm, js, web call this. Run from the top of the tree; results are in build/.
#
#   build/idgen.wasm     the core's readers, compiled by clang for WebAssembly: no imports; from one compiler the same bytes everywhere
#   build/js             the package for JavaScript as it is published; build/idgen-reader-VERSION.tgz is what npm installs
#   build/web/index.html the page Read an ID, with all that it needs inside

CLANG ?= clang++

VERSION := $(shell sed -n "s/^default_version = '\(.*\)'$$/\1/p" idgen.control)
WASM_SOURCES = $(sort $(wildcard src/core/text/*.cpp src/core/layout/*.cpp kinds/core/*.cpp js/wasm/*/*.cpp))
WASM_HEADERS = $(wildcard src/core/*.hpp src/core/*/*.hpp kinds/core/*.hpp js/wasm/*/*.hpp)
WASM_FLAGS = --target=wasm32-wasi -std=c++17 -Oz -flto -ffunction-sections -fno-exceptions -fno-rtti -fvisibility=hidden \
	-Isrc -I. -Ijs -Wall -Wextra -Werror
WASM_LINK = -nostartfiles -Wl,--no-entry -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=16384
# Every function of the face is exported, and nothing else.
WASM_EXPORTS = $(addprefix -Wl$(comma)--export=,$(sort $(shell grep -ohw 'idgen_[a-z0-9_]*' js/wasm/face/*.cpp)))
comma = ,

.PHONY: wasm js web
wasm: build/idgen.wasm

build/idgen.wasm: $(WASM_SOURCES) $(WASM_HEADERS) js/build.mk
	@mkdir -p $(@D)
	$(CLANG) $(WASM_FLAGS) $(WASM_LINK) $(WASM_EXPORTS) -o $@ $(WASM_SOURCES)

# The package: its sources, the same as one CommonJS module for require(), the core as text, and the license; its version is that of
# idgen.control.
JS_SOURCES = $(sort $(wildcard js/package/*.js js/package/*.ts js/package/*.json js/package/*.md))
PACKAGE = build/idgen-reader-$(VERSION).tgz
js: $(PACKAGE)

build/wasm.js: build/idgen.wasm
	{ printf "export const wasmBase64 = '" && base64 -w 0 $< && printf "';\n"; } >$@

$(PACKAGE): js/inline $(JS_SOURCES) LICENSE build/wasm.js js/build.mk idgen.control
	rm -rf build/js build/idgen-reader-*.tgz && mkdir build/js && cp $(JS_SOURCES) LICENSE build/wasm.js build/js/
	cp js/package/index.d.ts build/js/index.d.cts
	perl js/inline js/package/index.js >build/js/index.cjs
	sed 's/"version": "0.0.0"/"version": "$(VERSION)"/' js/package/package.json >build/js/package.json
	cd build/js && npm pack --silent --pack-destination .. >/dev/null

# The page: what page.html names is put into it, so that it needs no other file.
WEB_SOURCES = $(wildcard js/page/*)
web: build/web/index.html
	@echo "Read an ID: file://$(abspath $<)"

build/web/index.html: js/inline $(WEB_SOURCES) $(JS_SOURCES) build/wasm.js
	@mkdir -p $(@D)
	perl js/inline js/page/page.html >$@ || { rm -f $@; exit 1; }
