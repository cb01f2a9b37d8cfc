# The core under ASan and UBSan, built once for the unit tests and the fuzz targets. Paths are relative, because make splits
# words at spaces.

CORE = ../../src/core
CORE_OBJS = $(patsubst $(CORE)/%.cpp,../unit/build/core/%.o,$(wildcard $(CORE)/*/*.cpp))

SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
WARNINGS = -Wall -Wextra -Wconversion -Wsign-conversion -Werror
FLAGS = -std=c++17 -DIDGEN_CHECKED -gline-tables-only $(WARNINGS) $(SANITIZERS) -I../../src

# Core is compiled as in the module: without exceptions and RTTI.
$(CORE_OBJS): ../unit/build/core/%.o: $(CORE)/%.cpp ../core.mk
	@mkdir -p $(@D)
	clang++ $(FLAGS) -MMD -MP -O1 -fsanitize=fuzzer-no-link -fno-exceptions -fno-rtti -c -o $@ $<

-include $(CORE_OBJS:.o=.d)
