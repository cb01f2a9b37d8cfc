// Only for tests: the calls of a registry's store, as nodes make them, as SQL functions. A session keeps the store
// open between calls, as a node does; another address opens another.
//
//      store_identity(address text, answer_ms int), store_list(address text, answer_ms int),
//      store_release(address text, answer_ms int, number bigint), store_call(address text, answer_ms int,
//      identity text, kind text, number bigint, incarnation bigint, proposed bigint, life bigint, from_ms
//      bigint, to_ms bigint, ttl_ms bigint, name text), each RETURNS text
//
// They give the reply and what came with it, or the trouble's sentence.
#include "lease/keep/open_registry.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

Registry registry;
char *open_address = nullptr;
int32 open_answer_ms = 0;
const char *const reply_words[] = {"answered", "silent", "foreign", "denied", "limited"};

char *text_argument(FunctionCallInfo fcinfo, int number) {
    return text_to_cstring(PG_GETARG_TEXT_PP(number));
}

bool open(FunctionCallInfo fcinfo, Trouble &trouble) {
    const char *address = text_argument(fcinfo, 0);
    int32 answer_ms = PG_GETARG_INT32(1);
    if (open_address != nullptr && strcmp(open_address, address) == 0 && open_answer_ms == answer_ms) return true;
    if (open_address != nullptr) registry.close(registry.self);
    open_address = nullptr;
    MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);
    bool is_open = open_registry(address, answer_ms, registry, trouble);
    if (is_open) open_address = pstrdup(address);
    open_answer_ms = answer_ms;
    MemoryContextSwitchTo(caller);
    return is_open;
}

Datum answer_of(Reply reply, const Trouble &trouble, const char *answer) {
    CHECK_FOR_INTERRUPTS();
    const char *what = reply == Reply::answered ? answer : trouble.sentence;
    return CStringGetTextDatum(psprintf("%s %s", reply_words[static_cast<int>(reply)], what));
}

CallKind kind_of(const char *word) {
    return strcmp(word, "claim") == 0    ? CallKind::claim
           : strcmp(word, "extend") == 0 ? CallKind::extend
                                         : CallKind::stop;
}

const char *word_of(CallOutcome outcome) {
    const char *const words[] = {"granted", "refused", "too far"};
    return words[static_cast<int>(outcome)];
}

}  // namespace

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(store_identity);
PG_FUNCTION_INFO_V1(store_call);
PG_FUNCTION_INFO_V1(store_list);
PG_FUNCTION_INFO_V1(store_release);

Datum store_identity(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    RegistryIdentity identity{};
    Reply reply = registry.identify(registry.self, identity, trouble);
    return answer_of(reply, trouble, print_identity(identity));
}

Datum store_call(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    LeaseCall call{kind_of(text_argument(fcinfo, 3)),
                   PG_GETARG_INT64(4),
                   PG_GETARG_INT64(5),
                   PG_GETARG_INT64(6),
                   PG_GETARG_INT64(7),
                   PG_GETARG_INT64(8),
                   PG_GETARG_INT64(9)};
    Holder holder{text_argument(fcinfo, 11), 1000 + call.proposed, 1};
    CallAnswer answer{};
    Reply reply = registry.call(registry.self, parse_random_id(text_argument(fcinfo, 2)), call, PG_GETARG_INT64(10),
                                holder, answer, trouble);
    return answer_of(reply, trouble, psprintf("%s " INT64_FORMAT, word_of(answer.outcome), answer.horizon_ms));
}

Datum store_release(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    bool had_owner = false;
    Reply reply = registry.release(registry.self, PG_GETARG_INT64(2), had_owner, trouble);
    return answer_of(reply, trouble, had_owner ? "had an owner" : "had none");
}

Datum store_list(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    Registration registration{};
    Reply reply = registry.list(registry.self, all_numbers, registration, trouble);
    StringInfoData text;
    initStringInfo(&text);
    appendStringInfo(&text, "floor " INT64_FORMAT, registration.floor_ms);
    for (size_t i = 0; i < registration.count; i++) {
        const RegisteredNumber &row = registration.rows[i];
        appendStringInfo(&text, "; " INT64_FORMAT " " INT64_FORMAT " %s %s %s", row.listed.number,
                         row.listed.horizon_ms, row.listed.is_free ? "free" : "held",
                         row.lease_left_ms < 0    ? "for ever"
                         : row.lease_left_ms == 0 ? "past"
                                                  : "left",
                         row.name);
    }
    return answer_of(reply, trouble, text.data);
}

}  // extern "C"
}  // namespace idgen::lease
