#include "pg/report/report_cipher.hpp"

#include "pg/report/message_text.hpp"

namespace idgen::pg {
namespace {

void explain_key(const KeysError &error) {
    switch (error.reason) {
        case KeysReason::no_number:
            GUC_check_errdetail("Key %u of the list has no number and colon in front.", error.item);
            break;
        case KeysReason::bad_number:
            GUC_check_errdetail("The number of key %u of the list is not from 1 to %u.", error.item, max_key_number);
            break;
        case KeysReason::repeated_number:
            GUC_check_errdetail("Key %u of the list has the number of another one.", error.item);
            break;
        case KeysReason::bad_digit:
            GUC_check_errdetail("Key %u of the list has a character that is no hexadecimal digit.", error.item);
            break;
        case KeysReason::too_many:
            GUC_check_errdetail("The list has more than %u keys.", max_keys);
            break;
        case KeysReason::bad_size:
        case KeysReason::none:
            GUC_check_errdetail("Key %u of the list has not 32, 48 or 64 hexadecimal digits.", error.item);
    }
}

// SQLSTATE and message.
int message_of(const TextError &error, std::string_view text) {
    switch (error.reason) {
        case TextReason::empty:
            errmsg("invalid public ID: it has no characters");
            break;
        case TextReason::too_short:
            errmsg("invalid public ID: it has less than 12 characters");
            break;
        case TextReason::bad_key_number:
            errmsg("invalid public ID: it begins with no key number");
            break;
        case TextReason::too_large:
            errmsg("invalid public ID: its last 11 digits are too large");
            return errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
        case TextReason::bad_character:
        case TextReason::too_long:
        case TextReason::wrong_check:
        case TextReason::prefix_bad_character:
        case TextReason::prefix_too_long:
        case TextReason::none:
            errmsg("invalid public ID: \"%s\" cannot stand in it as character %d", character_at(text, error.position),
                   static_cast<int>(error.position) + 1);
    }
    return errcode(ERRCODE_INVALID_TEXT_REPRESENTATION);
}

}  // namespace

void explain_bad_keys(const KeysError &error) {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    // The server's own message would print the keys.
    GUC_check_errmsg("invalid value for parameter \"%s\"", "idgen.keys");
    explain_key(error);
    GUC_check_errhint("Write a list of numbers and AES keys in hexadecimal: 'number:key' or 'number:key,number:key'.");
}

void explain_open_catalog() {
    GUC_check_errcode(ERRCODE_INVALID_PARAMETER_VALUE);
    GUC_check_errmsg("\"%s\" cannot be set for a database, a role or a function", "idgen.keys");
    GUC_check_errdetail("Everybody can read such settings in the catalogs.");
    GUC_check_errhint("Set it in a file of the server's configuration or by ALTER SYSTEM, and reload.");
}

void report_key_size(size_t size, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a key of %zu bytes is no AES key", size),
                errdetail("An AES key has 16, 24 or 32 bytes."),
                errhint("Make one of random bytes, such as those of: openssl rand -hex 32")));
}

void report_tweak_size(size_t size, size_t most, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a tweak of %zu bytes is too long", size),
                errdetail("A tweak has at most %zu bytes.", most),
                errhint("Give the name of a table, or a hash of what is longer.")));
}

void report_negative_id(int64 id, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld is no ID to encrypt or decrypt", static_cast<long long>(id)),
                errdetail("IDs, and what they are encrypted to, lie between 0 and %lld.",
                          static_cast<long long>(PG_INT64_MAX)),
                errhint("Give a number that is not negative.")));
}

void report_no_keys(bool is_defined, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("idgen.keys is not set"),
         errdetail("Public IDs are made and read with a key of the server."),
         is_defined ? errhint("Let a superuser make a key (openssl rand -hex 32) and set it: ALTER SYSTEM SET "
                              "idgen.keys = '1:...'; SELECT pg_reload_conf()")
                    : errhint("Add idgen to shared_preload_libraries and restart: without that, the server would "
                              "show the keys to everybody. Then set idgen.keys.")));
}

void report_unknown_key(int32 number, Location at) {
    ereport_at(at, ERROR,
               (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("there is no key %d", number),
                errdetail("idgen.keys has none of that number; which it has is no affair of every role."),
                errhint("Ask for the number of a key, or let a superuser add it to idgen.keys.")));
}

void report_public_id(const TextError &error, std::string_view text, Location at) {
    ereport_at(at, ERROR,
               (message_of(error, text), errdetail("The text was \"%s\".", clip_text(text)),
                errhint("A public ID is the number of a key and 11 digits of 0-9, A-Z and a-z, as "
                        "id_to_public writes it.")));
}

}  // namespace idgen::pg
