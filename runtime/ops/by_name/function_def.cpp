#include "runtime/ops/by_name/function_def.h"

#include <algorithm>

namespace catena {

const FunctionParameter* FunctionDef::find(std::string_view parameter) const {
    for (const FunctionParameter& p : parameters)
        if (p.name == parameter) return &p;
    return nullptr;
}

std::string_view FunctionDef::family() const {
    std::string_view path = source.file;
    path = path.substr(0, std::min(path.rfind('/'), path.size()));
    return path.substr(path.rfind('/') + 1);
}

}  // namespace catena
