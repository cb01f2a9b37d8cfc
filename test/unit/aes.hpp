// AES of libcrypto for the tests of what takes a block cipher.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <vector>

#include "core/cipher/ff1.hpp"

namespace idgen {

class Aes {
   public:
    explicit Aes(const std::vector<std::uint8_t> &key) : context_(EVP_CIPHER_CTX_new()) {
        const EVP_CIPHER *kind = key.size() == 16   ? EVP_aes_128_ecb()
                                 : key.size() == 24 ? EVP_aes_192_ecb()
                                                    : EVP_aes_256_ecb();
        EXPECT_EQ(EVP_EncryptInit_ex(context_, kind, nullptr, key.data(), nullptr), 1);
        EVP_CIPHER_CTX_set_padding(context_, 0);
    }
    ~Aes() { EVP_CIPHER_CTX_free(context_); }
    Aes(const Aes &) = delete;
    Aes &operator=(const Aes &) = delete;

    BlockCipher cipher() { return {encrypt, this}; }
    int calls = 0;
    int fails_at = 0;  // the call that fails; 0: none

   private:
    static bool encrypt(void *key, const std::uint8_t *in, std::uint8_t *out) noexcept {
        auto *aes = static_cast<Aes *>(key);
        int size = 0;
        return ++aes->calls != aes->fails_at && EVP_EncryptUpdate(aes->context_, out, &size, in, 16) == 1;
    }
    EVP_CIPHER_CTX *context_;
};

}  // namespace idgen
