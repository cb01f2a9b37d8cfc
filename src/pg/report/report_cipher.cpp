// Refusals of keys and public IDs. No message tells a key, or a part of the text that should have been one.
#include "core/text/base62.hpp"
#include "pg/report/message_text.hpp"
#include "pg/report/report.hpp"

namespace idgen::pg {
namespace {

const char *why_bad_keys(const KeysError &error) {
    switch (error.reason) {
        case Reason::keys_no_number:
            return psprintf("Key %u of the list has no number and colon in front.", error.item);
        case Reason::keys_bad_number:
            return psprintf("The number of key %u of the list is not from 1 to %u.", error.item,
                            max_key_number);
        case Reason::keys_repeated_number:
            return psprintf("Key %u of the list has the number of another one.", error.item);
        case Reason::keys_bad_digit:
            return psprintf("Key %u of the list has a character that is no hexadecimal digit.", error.item);
        case Reason::keys_too_many:
            return psprintf("The list has more than %u keys.", max_keys);
        default:
            return psprintf("Key %u of the list has not 32, 48 or 64 hexadecimal digits.", error.item);
    }
}

const char *why_no_public_id(const TextError &error, std::string_view text) {
    switch (error.reason) {
        case Reason::text_empty:
            return "it has no characters";
        case Reason::text_too_short:
            return "it has less than 12 characters";
        case Reason::text_bad_key_number:
            return "it begins with no key number";
        case Reason::text_too_large:
            return "its last 11 digits are too large";
        default:
            return psprintf("\"%s\" cannot stand in it as character %d", character_at(text, error.position),
                            static_cast<int>(error.position) + 1);
    }
}

}  // namespace

void explain_bad_keys(const KeysError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    // The server's own message would print the keys.
    GUC_check_errmsg("invalid value for parameter \"%s\"", "idgen.keys");
    GUC_check_errdetail("%s", why_bad_keys(error));
    GUC_check_errhint(
        "Write a list of numbers and AES keys in hexadecimal: 'number:key' or 'number:key,number:key'.");
}

void explain_open_catalog() {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    GUC_check_errmsg("\"%s\" cannot be set for a database, a role or a function", "idgen.keys");
    GUC_check_errdetail("Everybody can read such settings in the catalogs.");
    GUC_check_errhint("Set it in a file of the server's configuration or by ALTER SYSTEM, and reload.");
}

void report_cipher_failed() {
    ereport(ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("AES failed in libcrypto"),
                    errdetail("The library refused the cipher, or had no memory."),
                    errhint("See whether the OpenSSL of this machine is configured without AES.")));
}

void report_key_size(size_t size) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a key of %zu bytes is no AES key", size),
             errdetail("An AES key has 16, 24 or 32 bytes."),
             errhint("Make one of random bytes, such as those of: openssl rand -hex 32")));
}

void report_tweak_size(size_t size, size_t most) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a tweak of %zu bytes is too long", size),
             errdetail("A tweak has at most %zu bytes.", most),
             errhint("Give the name of a table, or a hash of what is longer.")));
}

void report_negative_id(int64 id) {
    ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                    errmsg("%lld is no ID to encrypt or decrypt", static_cast<long long>(id)),
                    errdetail("IDs, and what they are encrypted to, lie between 0 and %lld.",
                              static_cast<long long>(PG_INT64_MAX)),
                    errhint("Give a number that is not negative.")));
}

void report_no_keys(bool is_defined) {
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.keys is not set"),
         errdetail("Public IDs are made and read with a key of the server."),
         is_defined
             ? errhint("Let a superuser make a key (openssl rand -hex 32) and set it: ALTER SYSTEM SET "
                       "idgen.keys = '1:...'; SELECT pg_reload_conf()")
             : errhint("Add idgen to shared_preload_libraries and restart: without that, the server would "
                       "show the keys to everybody. Then set idgen.keys.")));
}

void report_unknown_key(int32 number) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no key %d", number),
                    errdetail("idgen.keys has none of that number; which it has is no affair of every role."),
                    errhint("Ask for the number of a key, or let a superuser add it to idgen.keys.")));
}

void report_public_id(const TextError &error, std::string_view text) {
    ereport(ERROR,
            (errcode(error.reason == Reason::text_too_large ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE
                                                            : ERRCODE_INVALID_TEXT_REPRESENTATION),
             errmsg("invalid public ID: %s", why_no_public_id(error, text)),
             errdetail("The text was \"%s\".", clip_text(text)),
             errhint("A public ID is the number of a key and 11 digits of 0-9, A-Z and a-z, as id_to_public "
                     "writes it.")));
}

}  // namespace idgen::pg
