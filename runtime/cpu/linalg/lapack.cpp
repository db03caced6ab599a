#include "runtime/cpu/linalg/lapack.h"

#include <string>

#include <dlfcn.h>

#include "runtime/core/environment.h"
#include "runtime/core/error.h"

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

template <class T>
Loaded<T> load() {
    Loaded<T> all;
    const std::string file = environment::text("CATENA_LAPACK_PATH").value_or("liblapack.so.3");
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        all.problem = dlerror();
        return all;
    }
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
