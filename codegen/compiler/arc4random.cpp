#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

// glibc has arc4random() since version 2.36, and LLVM's archives call it where they were built with
// that (for the names of temporary files). With this one in its place the compiler can be loaded
// where glibc is older.
extern "C" uint32_t arc4random() noexcept {
    uint32_t bits = 0;
    while (getrandom(&bits, sizeof bits, 0) != ssize_t(sizeof bits)) {
    }
    return bits;
}
