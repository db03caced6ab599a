#include "runtime/ops/by_name/function_def.h"

#include <algorithm>

namespace catena {

const FunctionParameter* FunctionDef::find(std::string_view parameter) const {
    for (const FunctionParameter& p : parameters)
        if (p.name == parameter) return &p;
    return nullptr;
}

std::string_view FunctionDef::family() const {
    constexpr std::string_view families = "runtime/ops/";
    std::string_view path = source.file;
    if (const size_t at = path.rfind(families); at != path.npos) {
        path.remove_prefix(at + families.size());
        return path.substr(0, path.find('/'));
    }
    path = path.substr(0, std::min(path.rfind('/'), path.size()));
    return path.substr(path.rfind('/') + 1);
}

}  // namespace catena
