#include "codegen/target.h"

namespace catena::codegen {

double Compilation::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace catena::codegen
