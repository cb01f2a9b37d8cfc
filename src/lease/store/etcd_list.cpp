#include "lease/store/etcd_list.hpp"

#include "lease/store/answer_range.hpp"
#include "lease/store/etcd_txn.hpp"
#include "lease/store/etcd_view.hpp"
#include "lease/store/foreign_text.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

// The number at the end of a key.
int64 number_of(Json *key) {
    const char *text = bytes_of(text_in(key, "key"));
    const char *digits = text == nullptr ? nullptr : strrchr(text, '/');
    return digits == nullptr ? -1 : strtoll(digits + 1, nullptr, 10);
}

// Whether a number is among the keys, which ascend as the numbers that are asked for do.
bool has_holder(Json *holders, uint32 &next, int64 number) {
    while (next < count_of(holders) && number_of(element_of(holders, next)) < number) next++;
    return next < count_of(holders) && number_of(element_of(holders, next)) == number;
}

int64 lease_left_ms(const EtcdNumber &number, bool is_free, int64 now_ms) noexcept {
    if (is_free) return 0;
    if (number.ttl_ms == 0) return -1;
    return Max(number.lease_end_ms - now_ms, 1);
}

RegisteredNumber listed(int64 key, const EtcdNumber &number, int64 now_ms) {
    bool is_free = number.row.incarnation == 0 || number.row.lease_end_ms <= now_ms;
    RegisteredNumber row{};
    row.listed = {key, number.row.horizon_ms, is_free};
    copy_foreign_text(number.name, row.name, sizeof(row.name));
    row.system_identifier = number.system_identifier;
    row.timeline = number.timeline;
    row.since_ms = number.since_ms;
    row.lease_left_ms = lease_left_ms(number, is_free, now_ms);
    return row;
}

Reply take_rows(const EtcdAnswer &answer, const EtcdView &view, Registration &registration, Trouble &trouble) {
    Json *numbers = keys_read(answer.json, 1);
    Json *holders = keys_read(answer.json, 2);
    uint32 next_holder = 0;
    for (uint32 i = 0; i < count_of(numbers); i++) {
        Json *key = element_of(numbers, i);
        int64 number = number_of(key);
        EtcdNumber row;
        bool has_lease = has_holder(holders, next_holder, number);
        if (!is_number(number) || !read_number(key, has_lease, view.registry, row))
            return put_trouble(trouble, Reply::denied, "a number's key holds something else");
        registration.rows[registration.count++] = listed(number, row, view.now_ms);
    }
    return Reply::answered;
}

}  // namespace

Reply list_numbers(EtcdClient &client, const NumberRange &range, const Deadline &deadline, MemoryContext caller,
                   Registration &registration, Trouble &trouble) {
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    txn.read_range(number_key(client, range.first), number_key(client, range.last + 1), false);
    txn.read_range(holder_key(client, range.first), holder_key(client, range.last + 1), true);
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    EtcdView view{};
    if (reply == Reply::answered) reply = take_registry(answer, true, view, trouble);
    if (reply != Reply::answered) return reply;
    size_t size = Max(count_of(keys_read(answer.json, 1)), 1) * sizeof(RegisteredNumber);
    registration = {static_cast<RegisteredNumber *>(MemoryContextAlloc(caller, size)), 0, view.registry.floor_ms};
    return take_rows(answer, view, registration, trouble);
}

}  // namespace idgen::lease
