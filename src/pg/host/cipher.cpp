#include "pg/host/cipher.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include "core/cipher/public_id.hpp"

namespace idgen::pg {
namespace {

struct KeptCipher {
    EVP_CIPHER_CTX *context;  // null: the entry is free
    size_t key_size;
    uint8 key[max_key_size];
};

constexpr int most_kept = 8;
KeptCipher kept[most_kept];
int next_entry = 0;  // for the next key that is new
int last_used = 0;

bool encrypt_block(void *context, const uint8 *in, uint8 *out) noexcept {
    int size = 0;
    return EVP_EncryptUpdate(static_cast<EVP_CIPHER_CTX *>(context), out, &size, in, cipher_block_size) == 1 &&
           size == static_cast<int>(cipher_block_size);
}

void wipe(KeptCipher &cipher) noexcept {
    EVP_CIPHER_CTX_free(cipher.context);
    explicit_bzero(&cipher, sizeof(cipher));
}

bool is_for(const KeptCipher &cipher, const uint8 *key, size_t size) noexcept {
    return cipher.context != nullptr && cipher.key_size == size && memcmp(cipher.key, key, size) == 0;
}

const EVP_CIPHER *aes(size_t key_size) noexcept {
    if (key_size == 16) return EVP_aes_128_ecb();
    return key_size == 24 ? EVP_aes_192_ecb() : EVP_aes_256_ecb();
}

// Fills a free entry; false, and free as before, if libcrypto fails.
bool keep(KeptCipher &cipher, const uint8 *key, size_t size) noexcept {
    cipher.context = EVP_CIPHER_CTX_new();
    if (cipher.context == nullptr || EVP_EncryptInit_ex(cipher.context, aes(size), nullptr, key, nullptr) != 1 ||
        EVP_CIPHER_CTX_set_padding(cipher.context, 0) != 1) {
        wipe(cipher);
        // What stays in its queue would be taken for an error of the connection's TLS.
        ERR_clear_error();
        return false;
    }
    cipher.key_size = size;
    memcpy(cipher.key, key, size);
    return true;
}

// The entry of a key that is kept, or -1.
int find(const uint8 *key, size_t size) noexcept {
    for (int i = 0; i < most_kept; i++)
        if (is_for(kept[i], key, size)) return i;
    return -1;
}

}  // namespace

BlockCipher cipher_of(const uint8 *key, size_t size) {
    if (unlikely(!is_for(kept[last_used], key, size))) {
        int entry = find(key, size);
        if (entry < 0) {
            entry = next_entry;
            next_entry = (next_entry + 1) % most_kept;
            wipe(kept[entry]);
            if (!keep(kept[entry], key, size)) report_cipher_failed();
        }
        last_used = entry;
    }
    return {encrypt_block, kept[last_used].context};
}

void wipe_ciphers() noexcept {
    for (KeptCipher &cipher : kept) wipe(cipher);
}

void report_cipher_failed() {
    ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("AES failed in libcrypto"),
            errdetail("The library refused the cipher, or had no memory."),
            errhint("See whether the OpenSSL of this machine is configured without AES."));
}

}  // namespace idgen::pg
