// adjtimex as a test wants it, for LD_PRELOAD: the file $KERNEL_CLOCK says what it returns, maxerror and esterror.
#include <sys/timex.h>

#include <cstdio>
#include <cstdlib>

extern "C" int adjtimex(timex *state) noexcept {
    int verdict = -1;
    std::FILE *file = std::fopen(std::getenv("KERNEL_CLOCK"), "r");
    if (file == nullptr) return verdict;
    if (std::fscanf(file, "%d %ld %ld", &verdict, &state->maxerror, &state->esterror) != 3) verdict = -1;
    std::fclose(file);
    return verdict;
}
