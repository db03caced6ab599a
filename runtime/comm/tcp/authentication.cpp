#include "runtime/comm/tcp/authentication.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <sys/random.h>

#include "runtime/comm/collectives/communication_error.h"
#include "runtime/core/plugin/load_library.h"

namespace catena {
namespace {

/// What is used of libcrypto: of OpenSSL 1.1 and 3, with the types of openssl/hmac.h. Opened here
/// and not linked, so that a machine without OpenSSL can load Catena.
struct Crypto {
    const void* (*EVP_sha256)() = nullptr;
    unsigned char* (*HMAC)(const void* method, const void* key, int key_bytes,
                           const unsigned char* data, size_t bytes, unsigned char* result,
                           unsigned int* result_bytes) = nullptr;
    int (*CRYPTO_memcmp)(const void* a, const void* b, size_t bytes) = nullptr;
    std::string problem;
};

template <class F>
void bind(void* library, F*& function, const char* name, std::string& problem) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (!function) problem = std::string("the library has no ") + name;
}

Crypto load_crypto() {
    Crypto crypto;
    for (const char* name : {"libcrypto.so.3", "libcrypto.so.1.1"}) {
        void* const library = load_library(name);
        if (!library) {
            if (crypto.problem.empty()) crypto.problem = dlerror();
            continue;
        }
        crypto.problem.clear();
        bind(library, crypto.EVP_sha256, "EVP_sha256", crypto.problem);
        bind(library, crypto.HMAC, "HMAC", crypto.problem);
        bind(library, crypto.CRYPTO_memcmp, "CRYPTO_memcmp", crypto.problem);
        break;
    }
    return crypto;
}

const Crypto& crypto() {
    static const Crypto& once = *new Crypto(load_crypto());
    if (!once.problem.empty())
        fail<CommunicationError>(
            "ranks over TCP prove to each other that they belong together by OpenSSL's libcrypto, "
            "which is not found: {}; install it (Debian: libssl3)",
            once.problem);
    return once;
}

}  // namespace

Digest hmac_sha256(std::string_view key, std::string_view message) {
    const Crypto& library = crypto();
    Digest result;
    // OpenSSL takes a null key for the one of the call before.
    const char* const begin = key.empty() ? "" : key.data();
    if (!library.HMAC(library.EVP_sha256(), begin, int(key.size()),
                      reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                      result.data(), nullptr))
        fail<CommunicationError>("libcrypto computes no HMAC-SHA256");
    return result;
}

bool equal(const Digest& a, const Digest& b) {
    return crypto().CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Digest random_digest() {
    Digest result;
    ssize_t got = -1;
    do {
        got = getrandom(result.data(), result.size(), 0);
    } while (got < 0 && errno == EINTR);
    if (got != ssize_t(result.size()))
        fail<CommunicationError>("the system has no random numbers: {}", std::strerror(errno));
    return result;
}

std::string hexadecimal(const Digest& digest) {
    std::string text;
    for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace catena
