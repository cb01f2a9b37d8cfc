// A transaction of etcd as a request: what is compared, and what is done where all of it holds. Keys and
// values go as base64.
#pragma once

#include "lease/store/json.hpp"

namespace idgen::lease {

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
    char *print();

   private:
    void begin_operation(const char *kind, const char *key);
    void end_operation();
    JsonWriter json_;
};

// What one read gave: its keys in order.
Json *keys_read(Json *answer, uint32 operation);
// Null where there is none.
Json *key_read(Json *answer, uint32 operation);

// Decodes base64, by palloc; null where it is none.
char *bytes_of(std::string_view base64);

}  // namespace idgen::lease
