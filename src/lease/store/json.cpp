#include "lease/store/json.hpp"

#include <algorithm>

#include "pg/host/attempt.hpp"

namespace idgen::lease {
namespace {

struct Parse {
    const char *text;
    Json *json;
};

// More than a list of all numbers that a layout can have: parsed, a value takes many times the memory of its
// text.
constexpr ptrdiff_t most_values = ptrdiff_t{1} << 20;

// Whether it has no more; what begins or separates values counts, also within a text.
bool is_bounded(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; }) <=
           most_values;
}

// Extends where it is no JSON, or not of the database's encoding.
void parse(void *argument) {
    auto *work = static_cast<Parse *>(argument);
    char *text = pg_any_to_server(work->text, static_cast<int>(strlen(work->text)), PG_UTF8);
    work->json = &DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)))->root;
}

// A member of an object; null where there is none.
const JsonbValue *member(Json *json, std::string_view name, JsonbValue &value) {
    if (json == nullptr || !JsonContainerIsObject(json)) return nullptr;
    return getKeyJsonValueFromContainer(json, name.data(), static_cast<int>(name.size()), &value);
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

}  // namespace idgen::lease
