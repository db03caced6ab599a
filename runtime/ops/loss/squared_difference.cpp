#include "runtime/ops/loss/squared_difference.h"

#include "runtime/ops/by_name/function.h"
#include "runtime/ops/loss/loss.h"

namespace catena {

Variable squared_difference(const Operand& x1, const Operand& x2) { return squared_error(x1, x2); }
static const FunctionDef& f_squared_difference = function(
    "squared_difference(x1, x2)", {"x1", "x2"},
    [](const FunctionArguments& a) { return squared_difference(a.array("x1"), a.array("x2")); });

}  // namespace catena
