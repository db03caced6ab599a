#include "runtime/graph/variable/scalar_operand.h"

#include "runtime/core/memory/out_of_memory.h"

namespace catena {

Cell::Cell(double value, const char* name) try : body_(make_ref<Body>(value, name)) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a number");
}
Cell::Cell(const Cell&) = default;
Cell::~Cell() = default;

}  // namespace catena
