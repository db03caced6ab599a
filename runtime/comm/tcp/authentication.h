#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// 32 bytes: a key, a number that is used once, or an HMAC-SHA256.
using Digest = std::array<uint8_t, 32>;

/// HMAC-SHA256 (RFC 2104) by OpenSSL's libcrypto, which is loaded at the first call;
/// CommunicationError where there is none.
Digest hmac_sha256(std::string_view key, std::string_view message);
/// Whether both are equal, in a time that does not depend on where they differ.
bool equal(const Digest& a, const Digest& b);
/// Random bytes from the system's generator, which nobody can predict.
Digest random_digest();

/// The bytes of a plain value.
template <class T>
std::string_view bytes_of(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string hexadecimal(const Digest& digest);

}  // namespace catena
