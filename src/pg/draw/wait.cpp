#include "pg/draw/wait.hpp"

#include "pg/host/clock.hpp"

namespace idgen::pg {

int64 waited_ms(const Wait &wait) noexcept {
    return wait.began_ms == 0 ? 0 : monotonic_ms() - wait.began_ms;
}

void sleep_in(Wait &wait, int64 us) {
    if (wait.began_ms == 0) {
        wait.began_wall_ms = wall_ms();
        wait.began_ms = monotonic_ms();
    }
    sleep_us(us);
}

}  // namespace idgen::pg
