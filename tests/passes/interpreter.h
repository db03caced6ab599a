#pragma once

#include <map>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace catena::passes {

using Elements = std::vector<double>;

/// What a float64 program gives, the slow and plain way: its results, then what is assigned to each
/// state.
struct Outcome {
    std::vector<Elements> results;
    std::map<int, Elements> assigned;  ///< By number of the argument.
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Every value has elements of its own. Library calls give their first input plus one.
Outcome interpret(mlir::func::FuncOp function, const std::vector<Elements>& arguments);

}  // namespace catena::passes
