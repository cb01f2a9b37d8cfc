# The core under ASan and UBSan, built once for the unit tests and the fuzz targets. Paths are relative, because make splits
# words at spaces.

CORE = ../../src/core
# With the rules of shards from a registry, and the kinds, which are those of houses.
CORE_OBJS = $(patsubst $(CORE)/%.cpp,../unit/build/core/%.o,$(wildcard $(CORE)/*/*.cpp)) $(HOUSE_OBJS)
HOUSE_OBJS = $(patsubst ../../%.cpp,../unit/build/%.o,$(wildcard ../../registry/node/rules/*.cpp ../../kinds/core/*.cpp))

SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
WARNINGS = -Wall -Wextra -Wconversion -Wsign-conversion -Werror
FLAGS = -std=c++17 -DIDGEN_CHECKED -gline-tables-only $(WARNINGS) $(SANITIZERS) -I../../src -I../..

# Core is compiled as in the module: without exceptions and RTTI.
COMPILE_CORE = @mkdir -p $(@D) && clang++ $(FLAGS) -MMD -MP -O1 -fsanitize=fuzzer-no-link -fno-exceptions -fno-rtti -c -o $@ $<
$(filter-out $(HOUSE_OBJS),$(CORE_OBJS)): ../unit/build/core/%.o: $(CORE)/%.cpp ../core.mk
	$(COMPILE_CORE)
$(HOUSE_OBJS): ../unit/build/%.o: ../../%.cpp ../core.mk
	$(COMPILE_CORE)

-include $(CORE_OBJS:.o=.d)
