#include "registry.hpp"

namespace idgen::sim {

std::optional<Letter> Wire::pick(Random &random, unsigned worlds) noexcept {
    std::int64_t left = std::count_if(letters_, letters_ + count_,
                                      [worlds](const Letter &letter) { return (letter.worlds & worlds) != 0; });
    if (left == 0) return std::nullopt;
    left = random.between(0, left - 1);
    Letter *found = letters_;
    while ((found->worlds & worlds) == 0 || left-- > 0) found++;
    Letter letter = *found;
    if (random.one_in(10)) return letter;
    found->worlds &= ~worlds;
    if (found->worlds == 0) *found = letters_[--count_];
    return letter;
}

void Registry::begin() noexcept {
    clock = {};
    rows_ = kept_ = {};
    was_clock_wrong_ = false;
    calls_.clear();
    answers_.clear();
    std::fill_n(made_ms_, max_numbers, 0);
    std::fill_n(highest_ms_, max_numbers, 0);
}

bool Registry::execute_some(Random &random, std::int64_t lost_one_in, std::int64_t true_ms,
                            const RegistryTerms &terms) {
    std::optional<Letter> picked = calls_.pick(random, ~0u);
    if (!picked || random.one_in(lost_one_in)) return false;
    Letter letter = *picked;
    std::int64_t number = letter.call.number;
    std::optional<RegistryRow> &row = rows_.of[number];
    if (!row) row = rows_.unheld;
    letter.answer = execute(*row, letter.call, {clock.read(true_ms), terms.ttl_ms, terms.max_ahead_ms});
    highest_ms_[number] = std::max(highest_ms_[number], row->horizon_ms);
    answers_.add(letter);
    return row->horizon_ms < made_ms_[number];
}

std::optional<Letter> Registry::answer(Random &random, std::int64_t lost_one_in, int world) noexcept {
    std::optional<Letter> letter = answers_.pick(random, 1u << world);
    if (letter && random.one_in(lost_one_in)) return std::nullopt;
    return letter;
}

NumberList Registry::list(ListedNumber (&rows)[max_numbers], std::int64_t true_ms) const noexcept {
    std::int64_t now_ms = clock.read(true_ms);
    std::size_t count = 0;
    for (std::int64_t number = 0; number < max_numbers; number++) {
        const std::optional<RegistryRow> &row = rows_.of[number];
        if (!row) continue;
        rows[count++] = {number, row->horizon_ms, row->incarnation == 0 || row->lease_end_ms <= now_ms};
    }
    return {rows, count, rows_.unheld.horizon_ms};
}

void Registry::put_back(bool is_new, std::int64_t true_ms, std::int64_t longest_ahead_ms) noexcept {
    std::int64_t now_ms = clock.read(true_ms);
    rows_ = is_new ? Rows{} : kept_;
    if (rows_.max_ahead_ms == 0) rows_.max_ahead_ms = longest_ahead_ms;
    std::int64_t known_ms = rows_.unheld.horizon_ms;
    for (const std::optional<RegistryRow> &row : rows_.of)
        if (row) known_ms = std::max(known_ms, row->horizon_ms);
    std::int64_t to_ms = instant_above_all({now_ms, rows_.max_ahead_ms, longest_ahead_ms, known_ms});
    if (to_ms == 0 || was_clock_wrong_)
        to_ms = std::max(known_ms, *std::max_element(highest_ms_, highest_ms_ + max_numbers));
    advance(rows_.unheld, to_ms);
    for (std::int64_t number = 0; number < max_numbers; number++) {
        if (rows_.of[number]) advance(*rows_.of[number], to_ms);
        highest_ms_[number] = to_ms;
    }
}

}  // namespace idgen::sim
