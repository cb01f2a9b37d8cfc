#include "lease/store/etcd_txn.hpp"

namespace idgen::lease {
namespace {

char *base64_of(std::string_view bytes) {
    int size = static_cast<int>(bytes.size());
    int room = pg_b64_enc_len(size) + 1;
    auto *text = static_cast<char *>(palloc(static_cast<size_t>(room)));
    text[pg::encode_base64(bytes.data(), size, text, room)] = '\0';
    return text;
}

}  // namespace

EtcdTxn::EtcdTxn() {
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

char *bytes_of(std::string_view base64) {
    int room = pg_b64_dec_len(static_cast<int>(base64.size())) + 1;
    auto *bytes = static_cast<char *>(palloc(static_cast<size_t>(room)));
    int size = pg::decode_base64(base64.data(), static_cast<int>(base64.size()), bytes, room);
    if (size < 0) return nullptr;
    bytes[size] = '\0';
    return bytes;
}

}  // namespace idgen::lease
