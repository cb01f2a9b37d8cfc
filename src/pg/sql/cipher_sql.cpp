// The SQL face of encrypted and public IDs. The key is an argument, or one of idgen.keys.
#include "core/cipher/public_id.hpp"
#include "pg/host/cipher.hpp"
#include "pg/sql/arguments.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// A tweak is a name or a number; the standard needs some limit.
constexpr size_t max_tweak_size = 256;

// SQLSTATE and message.
int message_of(const TextError &error, std::string_view text) {
    switch (error.reason) {
        case TextReason::empty:
            errmsg("invalid public ID: it has no digit");
            break;
        case TextReason::too_short:
            errmsg("invalid public ID: it has fewer than 12 digits");
            break;
        case TextReason::bad_key_number:
            errmsg("invalid public ID: it does not begin with a key number");
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
            errmsg("invalid public ID: \"%s\" is not allowed in it as character %d", character_at(text, error.position),
                   static_cast<int>(error.position) + 1);
    }
    return errcode(ERRCODE_INVALID_TEXT_REPRESENTATION);
}

BlockCipher cipher_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view key = text_argument(fcinfo, number);
    if (!is_key_size(key.size()))
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("a key of %zu bytes is not an AES key", key.size()),
                errdetail("An AES key has 16, 24 or 32 bytes."),
                errhint("Make one of random bytes, such as those of: openssl rand -hex 32"));
    return cipher_of(reinterpret_cast<const uint8 *>(key.data()), key.size());
}

std::string_view tweak_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view tweak = text_argument(fcinfo, number);
    if (tweak.size() > max_tweak_size)
        ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                errmsg("a tweak of %zu bytes is too long", tweak.size()),
                errdetail("A tweak has at most %zu bytes.", max_tweak_size),
                errhint("Give the name of a table, or a hash of what is longer."));
    return tweak;
}

std::string_view prefix_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view prefix = text_argument(fcinfo, number);
    if (TextError error = check_id_prefix(prefix); error.reason != TextReason::none)
        report_prefix("public ID", error, prefix);
    return prefix;
}

int64 positive_argument(FunctionCallInfo fcinfo, int number) {
    int64 id = PG_GETARG_INT64(number);
    if (id < 0)
        ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                errmsg("%lld cannot be encrypted or decrypted as an ID", static_cast<long long>(id)),
                errdetail("IDs, and what they are encrypted to, lie between 0 and %lld.",
                          static_cast<long long>(PG_INT64_MAX)),
                errhint("Give a number that is not negative."));
    return id;
}

// `change` is encrypt_id or decrypt_id.
int64 changed(decltype(&encrypt_id) change, int64 id, const BlockCipher &cipher, std::string_view tweak) {
    if (!change(cipher, tweak, id)) report_cipher_failed();
    return id;
}

// That of the arguments: the ID, the key, the tweak.
int64 changed_argument(decltype(&encrypt_id) change, FunctionCallInfo fcinfo) {
    int64 id = positive_argument(fcinfo, 0);
    BlockCipher cipher = cipher_argument(fcinfo, 1);
    return changed(change, id, cipher, tweak_argument(fcinfo, 2));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_encrypt);
PG_FUNCTION_INFO_V1(idgen_decrypt);
PG_FUNCTION_INFO_V1(idgen_to_public);
PG_FUNCTION_INFO_V1(idgen_from_public);

Datum idgen_encrypt(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(changed_argument(encrypt_id, fcinfo));
}

Datum idgen_decrypt(PG_FUNCTION_ARGS) {
    PG_RETURN_INT64(changed_argument(decrypt_id, fcinfo));
}

Datum idgen_to_public(PG_FUNCTION_ARGS) {
    int64 id = positive_argument(fcinfo, 0);
    const CipherKey &key = key_of(PG_GETARG_INT32(1));
    std::string_view tweak = tweak_argument(fcinfo, 2);
    PublicId made{prefix_argument(fcinfo, 3), key.number,
                  changed(encrypt_id, id, cipher_of(key.bytes, key.size), tweak)};
    char text[max_public_id_size];
    return text_datum(text, print_public_id(made, text));
}

Datum idgen_from_public(PG_FUNCTION_ARGS) {
    std::string_view text = text_argument(fcinfo, 0);
    std::string_view tweak = tweak_argument(fcinfo, 1);
    std::string_view prefix = prefix_argument(fcinfo, 2);
    PublicId given{};
    TextError error = parse_public_id(text, given);
    if (given.prefix != prefix)
        ereport(
            ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
            errmsg("invalid public ID: its prefix is \"%s\", not \"%s\"", clip_text(given.prefix), copy_text(prefix)),
            errdetail("The text was \"%s\".", clip_text(text)),
            errhint("Give the prefix that id_to_public was given."));
    if (error.reason != TextReason::none)
        ereport(
            ERROR, message_of(error, text), errdetail("The text was \"%s\".", clip_text(text)),
            errhint(
                "A public ID is a prefix and \"_\" if it was made with one, the number of a key, and 11 digits of 0-9, A-Z and a-z, as id_to_public writes it."));
    const CipherKey &key = key_of(static_cast<int32>(given.key_number));
    PG_RETURN_INT64(changed(decrypt_id, given.number, cipher_of(key.bytes, key.size), tweak));
}

}  // extern "C"
}  // namespace idgen::pg
