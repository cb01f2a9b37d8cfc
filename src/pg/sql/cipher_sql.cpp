// The SQL face of encrypted and public IDs. The key is an argument, or one of idgen.keys.
#include "core/cipher/public_id.hpp"
#include "pg/host/cipher.hpp"
#include "pg/report/report_cipher.hpp"
#include "pg/report/report_host.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// A tweak is a name or a number; the standard needs some limit.
constexpr size_t max_tweak_size = 256;

std::string_view bytes_argument(FunctionCallInfo fcinfo, int number) {
    const bytea *argument = PG_GETARG_BYTEA_PP(number);
    return {VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument)};
}

BlockCipher cipher_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view key = bytes_argument(fcinfo, number);
    if (!is_key_size(key.size())) report_key_size(key.size());
    return cipher_of(reinterpret_cast<const uint8 *>(key.data()), key.size());
}

std::string_view tweak_argument(FunctionCallInfo fcinfo, int number) {
    std::string_view tweak = bytes_argument(fcinfo, number);
    if (tweak.size() > max_tweak_size) report_tweak_size(tweak.size(), max_tweak_size);
    return tweak;
}

int64 positive_argument(FunctionCallInfo fcinfo, int number) {
    int64 id = PG_GETARG_INT64(number);
    if (id < 0) report_negative_id(id);
    return id;
}

int64 encrypted(int64 id, const BlockCipher &cipher, std::string_view tweak) {
    if (!encrypt_id(cipher, tweak, id)) report_cipher_failed();
    return id;
}

int64 decrypted(int64 id, const BlockCipher &cipher, std::string_view tweak) {
    if (!decrypt_id(cipher, tweak, id)) report_cipher_failed();
    return id;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(idgen_encrypt);
PG_FUNCTION_INFO_V1(idgen_decrypt);
PG_FUNCTION_INFO_V1(idgen_to_public);
PG_FUNCTION_INFO_V1(idgen_from_public);

Datum idgen_encrypt(PG_FUNCTION_ARGS) {
    int64 id = positive_argument(fcinfo, 0);
    BlockCipher cipher = cipher_argument(fcinfo, 1);
    PG_RETURN_INT64(encrypted(id, cipher, tweak_argument(fcinfo, 2)));
}

Datum idgen_decrypt(PG_FUNCTION_ARGS) {
    int64 id = positive_argument(fcinfo, 0);
    BlockCipher cipher = cipher_argument(fcinfo, 1);
    PG_RETURN_INT64(decrypted(id, cipher, tweak_argument(fcinfo, 2)));
}

Datum idgen_to_public(PG_FUNCTION_ARGS) {
    int64 id = positive_argument(fcinfo, 0);
    const CipherKey &key = key_of(PG_GETARG_INT32(1));
    std::string_view tweak = tweak_argument(fcinfo, 2);
    PublicId made{key.number, encrypted(id, cipher_of(key.bytes, key.size), tweak)};
    char text[max_public_id_size];
    size_t size = print_public_id(made, text);
    PG_RETURN_TEXT_P(cstring_to_text_with_len(text, static_cast<int>(size)));
}

Datum idgen_from_public(PG_FUNCTION_ARGS) {
    std::string_view text = bytes_argument(fcinfo, 0);
    std::string_view tweak = tweak_argument(fcinfo, 1);
    PublicId given{};
    TextError error = parse_public_id(text, given);
    if (error.reason != TextReason::none) report_public_id(error, text);
    const CipherKey &key = key_of(static_cast<int32>(given.key_number));
    PG_RETURN_INT64(decrypted(given.number, cipher_of(key.bytes, key.size), tweak));
}

}  // extern "C"
}  // namespace idgen::pg
