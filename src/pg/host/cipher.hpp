// AES of libcrypto as the block cipher of core/cipher/ff1.hpp. Each backend keeps the contexts of the keys that it used
// last, so that a call does not expand its key again. A context and the copy of its key beside it live only in the
// backend's memory, and are wiped when another key takes their entry or wipe_ciphers() is called.
#pragma once

#include "core/cipher/ff1.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// The cipher under a key of is_key_size(size) bytes, good until the next call. Raises if libcrypto fails.
BlockCipher cipher_of(const uint8 *key, size_t size);

// Wipes all keys and contexts.
void wipe_ciphers() noexcept;

// libcrypto refused the cipher, or had no memory.
[[noreturn]] void report_cipher_failed();

}  // namespace idgen::pg
