#include "registry/node/etcd/json.hpp"

#include <algorithm>

#include "pg/host/server_locks.hpp"

namespace idgen::lease {
namespace {

struct Parse {
    const char *text;
    Json *json;
};

// More than a list of all numbers that a layout can have: parsed, a value takes many times the memory of its text.
constexpr ptrdiff_t most_values = ptrdiff_t{1} << 20;

// Whether it has no more; what begins or separates values counts, also within a text.
bool is_bounded(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; }) <=
           most_values;
}

// Extends if it is not JSON, or not of the database's encoding.
void parse(void *argument) {
    auto *work = static_cast<Parse *>(argument);
    char *text = pg_any_to_server(work->text, static_cast<int>(strlen(work->text)), PG_UTF8);
    work->json = &DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)))->root;
}

// A member of an object; null if there is none.
const JsonbValue *member(Json *json, std::string_view name, JsonbValue &value) {
    if (json == nullptr || !JsonContainerIsObject(json)) return nullptr;
    return getKeyJsonValueFromContainer(json, name.data(), static_cast<int>(name.size()), &value);
}

char *base64_of(std::string_view bytes) {
    int size = static_cast<int>(bytes.size());
    int room = pg_b64_enc_len(size) + 1;
    auto *text = static_cast<char *>(palloc(static_cast<size_t>(room)));
    text[pg::encode_base64(bytes.data(), size, text, room)] = '\0';
    return text;
}

}  // namespace

void JsonWriter::push_text(JsonbIteratorToken token, std::string_view text) {
    JsonbValue value;
    value.type = jbvString;
    value.val.string.val = pnstrdup(text.data(), text.size());
    value.val.string.len = static_cast<int>(text.size());
    maker_.push(token, &value);
}

void JsonWriter::flag(bool value) {
    JsonbValue token;
    token.type = jbvBool;
    token.val.boolean = value;
    maker_.push(WJB_VALUE, &token);
}

void JsonWriter::add(std::string_view name, std::string_view value) {
    key(name);
    text(value);
}

void JsonWriter::add(std::string_view name, int64 value) {
    add(name, psprintf(INT64_FORMAT, value));
}

void JsonWriter::add_flag(std::string_view name, bool value) {
    key(name);
    flag(value);
}

char *JsonWriter::print() {
    Jsonb *made = maker_.made();
    char *text = JsonbToCString(nullptr, &made->root, static_cast<int>(VARSIZE(made)));
    return pg_server_to_any(text, static_cast<int>(strlen(text)), PG_UTF8);
}

Json *parse_json(const char *text) {
    if (!is_bounded(text)) return nullptr;
    Parse work{text, nullptr};
    pg::attempt(parse, &work);
    return work.json != nullptr && JsonContainerIsScalar(work.json) ? nullptr : work.json;
}

Json *object_in(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    return value != nullptr && value->type == jbvBinary ? value->val.binary.data : nullptr;
}

uint32 count_of(Json *array) {
    return array != nullptr && JsonContainerIsArray(array) ? JsonContainerSize(array) : 0;
}

Json *element_of(Json *array, uint32 number) {
    if (number >= count_of(array)) return nullptr;
    const JsonbValue *value = getIthJsonbValueFromContainer(array, number);
    return value != nullptr && value->type == jbvBinary ? value->val.binary.data : nullptr;
}

std::string_view text_in(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    if (value == nullptr || value->type != jbvString) return {};
    return {value->val.string.val, static_cast<size_t>(value->val.string.len)};
}

int64 number_in(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    if (value != nullptr && value->type == jbvNumeric)
        return strtoll(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric))), nullptr,
                       10);
    std::string_view text = text_in(json, name);
    return strtoll(pnstrdup(text.data(), text.size()), nullptr, 10);
}

bool has_number(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    if (value != nullptr && value->type == jbvNumeric) return true;
    std::string_view text = text_in(json, name);
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool flag_in(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    return value != nullptr && value->type == jbvBool && value->val.boolean;
}

bool has_flag(Json *json, std::string_view name) {
    JsonbValue room;
    const JsonbValue *value = member(json, name, room);
    return value != nullptr && value->type == jbvBool;
}

EtcdTxn::EtcdTxn() {
    begin_comparison();
}

void EtcdTxn::begin_comparison() {
    json_.begin_object();
    json_.key("compare");
    json_.begin_array();
}

void EtcdTxn::expect(const char *key, int64 mod_revision) {
    json_.begin_object();
    json_.add("target", "MOD");
    json_.add("key", base64_of(key));
    json_.add("mod_revision", mod_revision);
    json_.end_object();
}

void EtcdTxn::begin_work() {
    json_.end_array();
    json_.key("success");
    json_.begin_array();
}

void EtcdTxn::begin_operation(const char *kind, const char *key) {
    json_.begin_object();
    json_.key(kind);
    json_.begin_object();
    json_.add("key", base64_of(key));
}

void EtcdTxn::end_operation() {
    json_.end_object();
    json_.end_object();
}

void EtcdTxn::read(const char *key) {
    begin_operation("request_range", key);
    end_operation();
}

void EtcdTxn::read_range(const char *first, const char *end, bool are_keys_enough) {
    begin_operation("request_range", first);
    json_.add("range_end", base64_of(end));
    json_.key("keys_only");
    json_.flag(are_keys_enough);
    end_operation();
}

void EtcdTxn::write(const char *key, const char *value, int64 lease) {
    begin_operation("request_put", key);
    json_.add("value", base64_of(value));
    if (lease != 0) json_.add("lease", lease);
    end_operation();
}

void EtcdTxn::remove(const char *key) {
    begin_operation("request_delete_range", key);
    end_operation();
}

void EtcdTxn::begin_inner() {
    json_.begin_object();
    json_.key("request_txn");
    begin_comparison();
}

void EtcdTxn::end_inner() {
    json_.end_array();
    end_operation();
}

char *EtcdTxn::print() {
    json_.end_array();
    json_.end_object();
    return json_.print();
}

Json *keys_read(Json *answer, uint32 operation) {
    Json *response = element_of(object_in(answer, "responses"), operation);
    return object_in(object_in(response, "response_range"), "kvs");
}

Json *key_read(Json *answer, uint32 operation) {
    return element_of(keys_read(answer, operation), 0);
}

bool has_succeeded(Json *answer) {
    return flag_in(answer, "succeeded");
}

bool has_succeeded(Json *answer, uint32 operation) {
    return has_succeeded(object_in(element_of(object_in(answer, "responses"), operation), "response_txn"));
}

char *bytes_of(std::string_view base64) {
    int room = pg_b64_dec_len(static_cast<int>(base64.size())) + 1;
    auto *bytes = static_cast<char *>(palloc(static_cast<size_t>(room)));
    int size = pg::decode_base64(base64.data(), static_cast<int>(base64.size()), bytes, room);
    if (size < 0) return nullptr;
    bytes[size] = '\0';
    return bytes;
}

}  // namespace idgen::lease
