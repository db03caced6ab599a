#include "runtime/core/system/class_name.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace catena {

std::string class_name(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
    const std::string name = status == 0 ? demangled.get() : type.name();
    const size_t colons = name.rfind("::", name.find('<'));
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace catena
