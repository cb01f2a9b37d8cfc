#include "pg/draw/decimal_draw.hpp"

#include "core/kinds/decimal_id.hpp"
#include "pg/draw/take_or_wait.hpp"
#include "pg/draw/tally.hpp"
#include "pg/horizon/generators.hpp"
#include "pg/horizon/horizon.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

struct DecimalDraw {
    static constexpr Record record = Record::generator;
    static constexpr bool has_ticks = false;

    GeneratorCount taken = {};

    Next try_once(const Wait &) noexcept {
        return self.database->generators.counter.take(taken) ? Next::issue : Next::renew;
    }
    Outcome renew() { return renew_generator(); }
};

}  // namespace

int64 draw_decimal() {
    attach_backend();
    DecimalDraw drawing;
    take_or_wait(drawing);
    require_postmaster();
    auto launch = static_cast<uint32>(settings.decimal_launch);
    int64 id = pack_decimal({drawing.taken.counter, drawing.taken.generator, launch});
    count_made(1, id, no_slot_tag);
    return id;
}

}  // namespace idgen::pg
