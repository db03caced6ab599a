#include "runtime/graph/scalar_operand.h"

namespace catena {

Cell::Cell(double value, const char* name) : body_(make_ref<Body>(value, name)) {}
Cell::Cell(const Cell&) = default;
Cell::~Cell() = default;

}  // namespace catena
