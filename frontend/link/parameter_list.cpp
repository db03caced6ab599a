#include "frontend/link/parameter_list.h"

#include "runtime/core/system/error.h"

namespace catena {

void ParameterList::add(std::string_view path, const Parameter& param) {
    if (path.starts_with('/')) path.remove_prefix(1);
    if (path.empty()) fail<ValueError>("ParameterList: a parameter needs a name, like l1/W");
    // It is listed before it becomes that parameter, which keeps a name of its own.
    Parameter& shared = shared_.emplace_back(param.initializer());
    try {
        add_param(std::string(path), shared);
    } catch (...) {
        shared_.pop_back();
        throw;
    }
    shared.share(param);
    in_order_.emplace_back("/" + std::string(path), &shared);
}

}  // namespace catena
