// Only for tests: the calls of a registry's store, as nodes make them, as SQL functions. A session keeps the store
// open between calls, as a node does; another address opens another.
//
//      store_identity(address text, answer_ms int), store_list(address text, answer_ms int),
//      store_release(address text, answer_ms int, number bigint), store_call(address text, answer_ms int,
//      identity text, kind text, number bigint, incarnation bigint, proposed bigint, life bigint, from_ms
//      bigint, to_ms bigint, ttl_ms bigint, name text),
//      store_fetch(address text, answer_ms int, identity text, names text[], counts bigint[], least_counts bigint[],
//      sinces bigint[]), store_give_back(address text, answer_ms int, identity text, names text[], firsts bigint[],
//      versions bigint[]), store_manage(address text, answer_ms int, act text, name text, first bigint, largest
//      bigint, block bigint, max_block bigint), store_counters(address text, answer_ms int),
//      store_administer(address text, answer_ms int, act text, a bigint, b bigint, c bigint), each RETURNS text
//
// They give the reply and what came with it, or the trouble's sentence.
#include "registry/node/store/registry.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

Registry registry;
char *open_address = nullptr;
int32 open_answer_ms = 0;
const char *const reply_words[] = {"answered", "silent", "foreign", "denied", "limited", "locked"};

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

const char *word_of(CounterOutcome outcome) {
    const char *const words[] = {"done", "missing", "awaits advance", "too few", "too long", "refused", "locked"};
    return words[static_cast<int>(outcome)];
}

CounterAct act_of(const char *word) {
    const char *const words[] = {"create", "drop", "forget", "advance", "set_max", "set_block"};
    int act = 0;
    while (strcmp(word, words[act]) != 0) act++;
    return static_cast<CounterAct>(act);
}

const int64 *numbers_argument(FunctionCallInfo fcinfo, int number) {
    return reinterpret_cast<const int64 *>(ARR_DATA_PTR(PG_GETARG_ARRAYTYPE_P(number)));
}

// Calls of the counters whose names are an argument.
template <typename NodeCall>
NodeCall *calls_of(FunctionCallInfo fcinfo, int number, int &count) {
    Datum *names = nullptr;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), TEXTOID, -1, false, TYPALIGN_INT, &names, nullptr, &count);
    auto *calls = static_cast<NodeCall *>(palloc0(static_cast<size_t>(Max(count, 1)) * sizeof(NodeCall)));
    for (int i = 0; i < count; i++) calls[i].name = TextDatumGetCString(names[i]);
    return calls;
}

}  // namespace

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(store_identity);
PG_FUNCTION_INFO_V1(store_call);
PG_FUNCTION_INFO_V1(store_list);
PG_FUNCTION_INFO_V1(store_release);
PG_FUNCTION_INFO_V1(store_fetch);
PG_FUNCTION_INFO_V1(store_give_back);
PG_FUNCTION_INFO_V1(store_manage);
PG_FUNCTION_INFO_V1(store_counters);
PG_FUNCTION_INFO_V1(store_administer);

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

Datum store_fetch(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    int count = 0;
    auto *calls = calls_of<FetchCall>(fcinfo, 3, count);
    for (int i = 0; i < count; i++)
        calls[i].fetch = {numbers_argument(fcinfo, 4)[i], numbers_argument(fcinfo, 5)[i],
                          numbers_argument(fcinfo, 6)[i]};
    Reply reply = registry.fetch(registry.self, parse_random_id(text_argument(fcinfo, 2)), calls,
                                 static_cast<size_t>(count), trouble);
    StringInfoData text;
    initStringInfo(&text);
    for (int i = 0; i < count; i++) {
        const CounterAnswer &answer = calls[i].answer;
        appendStringInfo(&text, "%s%s", i == 0 ? "" : "; ", word_of(answer.outcome));
        if (answer.outcome != CounterOutcome::done) continue;
        for (int64 value : {answer.first, answer.last, answer.version, answer.block, answer.max_block, answer.identity,
                            answer.largest})
            appendStringInfo(&text, " " INT64_FORMAT, value);
    }
    return answer_of(reply, trouble, text.data);
}

Datum store_give_back(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    int count = 0;
    auto *calls = calls_of<GiveBackCall>(fcinfo, 3, count);
    for (int i = 0; i < count; i++) calls[i].unused = {numbers_argument(fcinfo, 4)[i], numbers_argument(fcinfo, 5)[i]};
    Reply reply = registry.give_back(registry.self, parse_random_id(text_argument(fcinfo, 2)), calls,
                                     static_cast<size_t>(count), trouble);
    StringInfoData text;
    initStringInfo(&text);
    for (int i = 0; i < count; i++) appendStringInfo(&text, "%s%s", i == 0 ? "" : "; ", word_of(calls[i].outcome));
    return answer_of(reply, trouble, text.data);
}

// Of an advance, `first` is where the counter goes on.
Datum store_manage(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    char *name = text_argument(fcinfo, 3);
    CounterCall call{act_of(text_argument(fcinfo, 2)),
                     name,
                     {PG_GETARG_INT64(4), PG_GETARG_INT64(5), PG_GETARG_INT64(6), PG_GETARG_INT64(7)},
                     PG_GETARG_INT64(4)};
    Reply reply = registry.manage_counter(registry.self, call, trouble);
    return answer_of(reply, trouble, "");
}

Datum store_counters(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    CounterList list{};
    Reply reply = registry.list_counters(registry.self, list, trouble);
    StringInfoData text;
    initStringInfo(&text);
    for (size_t i = 0; i < list.count; i++) {
        const ListedCounter &row = list.rows[i];
        appendStringInfo(&text, "%s%s " INT64_FORMAT " " INT64_FORMAT " " INT64_FORMAT " " INT64_FORMAT "%s",
                         i == 0 ? "" : "; ", row.name, row.next, row.largest, row.block, row.max_block,
                         row.awaits_advance ? " awaits" : "");
    }
    return answer_of(reply, trouble, text.data);
}

// advance: longest_ahead_ms, at_ms. limit: max_ahead_ms, largest_number, longest_ttl_ms. forget: unused_ms.
Datum store_administer(PG_FUNCTION_ARGS) {
    Trouble trouble{Reply::denied, ""};
    if (!open(fcinfo, trouble)) return answer_of(trouble.reply, trouble, "");
    const char *act = text_argument(fcinfo, 2);
    int64 a = PG_GETARG_INT64(3), b = PG_GETARG_INT64(4), c = PG_GETARG_INT64(5), result = 0;
    Reply reply = strcmp(act, "advance") == 0 ? registry.advance(registry.self, {a, b}, result, trouble)
                  : strcmp(act, "limit") == 0 ? registry.limit(registry.self, {a, b, c}, trouble)
                                              : registry.forget(registry.self, a, result, trouble);
    return answer_of(reply, trouble, psprintf(INT64_FORMAT, result));
}

}  // extern "C"
}  // namespace idgen::lease
