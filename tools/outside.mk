# What reads IDs outside the server: make wasm calls this. Run from the top of the tree; results are in build/.
#
#   build/idgen.wasm     the core's readers, compiled by clang for WebAssembly: no imports, the same bytes wherever it is built

CLANG ?= clang++

WASM_SOURCES = $(sort $(wildcard src/core/text/*.cpp src/core/layout/*.cpp src/core/kinds/*.cpp src/wasm/*/*.cpp))
WASM_HEADERS = $(wildcard src/core/*.hpp src/core/*/*.hpp src/wasm/*/*.hpp)
WASM_FLAGS = --target=wasm32-wasi -std=c++17 -Oz -flto -ffunction-sections -fno-exceptions -fno-rtti -fvisibility=hidden -Isrc \
	-Wall -Wextra -Werror
WASM_LINK = -nostartfiles -Wl,--no-entry -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=16384
# Every function of the face is exported, and nothing else.
WASM_EXPORTS = $(addprefix -Wl$(comma)--export=,$(sort $(shell grep -ohw 'idgen_[a-z0-9_]*' src/wasm/face/*.cpp)))
comma = ,

.PHONY: wasm
wasm: build/idgen.wasm

build/idgen.wasm: $(WASM_SOURCES) $(WASM_HEADERS) tools/outside.mk
	@mkdir -p $(@D)
	$(CLANG) $(WASM_FLAGS) $(WASM_LINK) $(WASM_EXPORTS) -o $@ $(WASM_SOURCES)
