#include "runtime/cpu/linalg/lapack.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

template <class T>
struct Loaded {
    Lapack<T> routines{};
    std::string problem;  ///< Why they are not there.
};

template <class F>
void find(void* library, char precision, const char* name, F*& routine, std::string& problem) {
    const std::string symbol = std::string(1, precision) + name + "_";
    routine = reinterpret_cast<F*>(dlsym(library, symbol.c_str()));
    if (!routine) problem = "the library has no " + symbol;
}

bool processor_has_avx2() {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/// OpenBLAS takes a processor that is younger than itself for one that has SSE3 alone, whose
/// threaded symv reads beyond its matrix (0.3.21, which Debian 12 has: eigenvalues end the
/// process). Then it is loaded once more and told by its own variable, which it reads while it is
/// loaded.
void* open_library(const std::string& file) {
    void* library = load_library(file.c_str());
    if (!library || std::getenv("OPENBLAS_CORETYPE") || !processor_has_avx2()) return library;
    const auto core = reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
    if (!core || std::string_view(core()) != "Prescott") return library;
    dlclose(library);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    try {
        library = load_library(file.c_str());
    } catch (const std::bad_alloc&) {
        unsetenv("OPENBLAS_CORETYPE");
        throw;
    }
    unsetenv("OPENBLAS_CORETYPE");
    return library;
}

struct Opened {
    void* library;
    std::string problem;  ///< Why there is none.
};

/// The opened library, one for both types.
const Opened& opened() {
    static const Opened& once = *new Opened([] {
        void* library =
            open_library(environment::text("CATENA_LAPACK_PATH").value_or("liblapack.so.3"));
        return Opened{library, library ? "" : dlerror()};
    }());
    return once;
}

template <class T>
Loaded<T> load() {
    Loaded<T> all;
    all.problem = opened().problem;
    if (!all.problem.empty()) return all;
    void* const library = opened().library;
    const char precision = sizeof(T) == 4 ? 's' : 'd';
    find(library, precision, "getrf", all.routines.getrf, all.problem);
    find(library, precision, "getri", all.routines.getri, all.problem);
    find(library, precision, "getrs", all.routines.getrs, all.problem);
    find(library, precision, "potrf", all.routines.potrf, all.problem);
    find(library, precision, "syevd", all.routines.syevd, all.problem);
    find(library, precision, "gesdd", all.routines.gesdd, all.problem);
    find(library, precision, "geqrf", all.routines.geqrf, all.problem);
    find(library, precision, "orgqr", all.routines.orgqr, all.problem);
    return all;
}

}  // namespace

template <class T>
const Lapack<T>& lapack(const std::string& op) {
    static const Loaded<T> all = load<T>();
    if (!all.problem.empty())
        fail<DeviceError>(
            "{}: cpu: no LAPACK: {}; install one (Debian: libopenblas0), or set CATENA_LAPACK_PATH",
            op, all.problem);
    return all.routines;
}

template const Lapack<float>& lapack<float>(const std::string&);
template const Lapack<double>& lapack<double>(const std::string&);

}  // namespace catena
