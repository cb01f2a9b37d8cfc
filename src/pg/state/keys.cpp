#include "pg/state/keys.hpp"

#include "pg/host/cipher.hpp"
#include "pg/report/report_cipher.hpp"

namespace idgen::pg {
namespace {

char *keys_text = nullptr;
KeyRing ring;
bool is_defined = false;
emit_log_hook_type next_log_hook = nullptr;

// Whether a value comes from a catalog, or is about to go into one: then its source is the server's test.
bool is_from_catalog(GucSource source) noexcept {
    return source == PGC_S_TEST || source == PGC_S_GLOBAL || source == PGC_S_DATABASE || source == PGC_S_USER ||
           source == PGC_S_DATABASE_USER;
}

bool check_keys(char **value, void **, GucSource source) {
    if (*value == nullptr || **value == '\0') return true;
    if (is_from_catalog(source)) {
        explain_open_catalog();
        return false;
    }
    KeyRing parsed;
    KeysError error = parse_keys(*value, parsed);
    explicit_bzero(&parsed, sizeof(parsed));
    if (error.reason != KeysReason::none) explain_bad_keys(error);
    return error.reason == KeysReason::none;
}

// Takes a value that check_keys found right.
void assign_keys(const char *value, void *) {
    explicit_bzero(&ring, sizeof(ring));
    forget_ciphers();
    parse_keys(value == nullptr ? "" : value, ring);
}

// Overwrites the keys in what is about to be logged: a reload logs the new value of each setting that
// changed.
void mask_keys(ErrorData *report) {
    bool has_keys = keys_text != nullptr && *keys_text != '\0';
    if (char *found = has_keys && report->message != nullptr ? strstr(report->message, keys_text) : nullptr)
        memset(found, '*', strlen(keys_text));
    if (next_log_hook != nullptr) next_log_hook(report);
}

}  // namespace

void define_keys() {
    is_defined = true;
    next_log_hook = emit_log_hook;
    emit_log_hook = mask_keys;
    DefineCustomStringVariable("idgen.keys", "Sets the keys of public IDs.",
                               "A list of numbers and AES keys in hexadecimal, such as "
                               "1:000102030405060708090a0b0c0d0e0f; the key of "
                               "the highest number is used unless another is asked for.",
                               &keys_text, "", PGC_SUSET, GUC_SUPERUSER_ONLY, check_keys, assign_keys, nullptr);
}

const CipherKey &key_of(int32 number) {
    const CipherKey *key = number == 0 ? ring.highest() : ring.find(static_cast<uint32>(number));
    if (ring.count == 0) report_no_keys(is_defined);
    if (key == nullptr) report_unknown_key(number);
    return *key;
}

}  // namespace idgen::pg
