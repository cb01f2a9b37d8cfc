// JSON by the server's own jsonb: written token by token, and read without an error if it is broken or is not what was
// looked for. Numbers of 64 bits are strings, as in etcd's.
#pragma once

#include "pg/postgres.hpp"

#include <string_view>

namespace idgen::lease {

// Writes one value.
class JsonWriter {
   public:
    void begin_object() { maker_.push(WJB_BEGIN_OBJECT, nullptr); }
    void end_object() { maker_.push(WJB_END_OBJECT, nullptr); }
    void begin_array() { maker_.push(WJB_BEGIN_ARRAY, nullptr); }
    void end_array() { maker_.push(WJB_END_ARRAY, nullptr); }
    void key(std::string_view name) { push_text(WJB_KEY, name); }
    void text(std::string_view value) { push_text(WJB_VALUE, value); }
    void flag(bool value);
    // A member of an object.
    void add(std::string_view name, std::string_view value);
    void add(std::string_view name, int64 value);
    void add_flag(std::string_view name, bool value);
    // What was written, in UTF-8, by palloc.
    char *print();

   private:
    void push_text(JsonbIteratorToken token, std::string_view text);
    pg::JsonbMaker maker_;
};

// An object or array; null stands for what is not there, and has nothing in it.
using Json = JsonbContainer;

// Parses UTF-8. Null if it is not an object or array, or has more values than an answer can have.
Json *parse_json(const char *text);

Json *object_in(Json *json, std::string_view name);
Json *element_of(Json *array, uint32 number);
uint32 count_of(Json *array);
// Empty if there is none.
std::string_view text_in(Json *json, std::string_view name);
// 0 if there is none.
int64 number_in(Json *json, std::string_view name);
// False if there is none.
bool flag_in(Json *json, std::string_view name);
// Whether there is a whole number, or a flag.
bool has_number(Json *json, std::string_view name);
bool has_flag(Json *json, std::string_view name);

// A transaction of etcd as a request: what is compared, and what is done if all of it holds. Keys and values go as
// base64.

// Put together in this order: expect() each, then begin_work(), then what is done, then print().
class EtcdTxn {
   public:
    EtcdTxn();
    // The key has not been written since; 0: there is none.
    void expect(const char *key, int64 mod_revision);
    void begin_work();
    void read(const char *key);
    // All keys from one on, up to another, which is not among them.
    void read_range(const char *first, const char *end, bool are_keys_enough);
    // With a lease of etcd's, whose end removes the key; 0: none.
    void write(const char *key, const char *value, int64 lease);
    void remove(const char *key);
    // A transaction of its own within the work: begin_inner(), expect() each, begin_work(), what is done, end_inner(). If
    // what it compares does not hold, only it is not done.
    void begin_inner();
    void end_inner();
    char *print();

   private:
    void begin_comparison();
    void begin_operation(const char *kind, const char *key);
    void end_operation();
    JsonWriter json_;
};

// What one read gave: its keys in order.
Json *keys_read(Json *answer, uint32 operation);
// Null if there is none.
Json *key_read(Json *answer, uint32 operation);
// Whether what a transaction compared was so; of one within, too.
bool has_succeeded(Json *answer);
bool has_succeeded(Json *answer, uint32 operation);

// Decodes base64, by palloc; null if it is not base64.
char *bytes_of(std::string_view base64);

}  // namespace idgen::lease
