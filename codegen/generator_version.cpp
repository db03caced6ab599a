#include "codegen/generator_version.h"

#include "runtime/core/system/code_identity.h"

namespace catena::codegen {

const std::string& generator_version() {
    static const std::string& version =
        *new std::string(build_of(reinterpret_cast<const void*>(&generator_version)));
    return version;
}

}  // namespace catena::codegen
