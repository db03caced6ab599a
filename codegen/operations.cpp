#include "codegen/operations.h"

#include <algorithm>

#include "mlir/IR/Location.h"

#include "ir/dialect.h"
#include "ir/step_location.h"
#include "passes/analysis/place.h"

namespace catena::codegen {

SourceLoc source_of(mlir::Location location) {
    SourceLoc found;
    location->walk([&](mlir::Location at) {
        if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(at)) {
            found.file = intern(std::string_view(file.getFilename().strref()));
            found.line = file.getLine();
            return mlir::WalkResult::interrupt();
        }
        return mlir::WalkResult::advance();
    });
    return found;
}

std::vector<program::Operation> operations_of(mlir::Operation& op) {
    std::vector<program::Operation> operations;
    auto add = [&](mlir::Operation& each) {
        program::Operation made{passes::function_of(&each), source_of(each.getLoc())};
        if (std::ranges::find(operations, made) == operations.end())
            operations.push_back(std::move(made));
    };
    auto group = mlir::dyn_cast<ir::GroupOp>(op);
    if (!group)
        add(op);
    else
        for (mlir::Operation& inner : group.getBody().front())
            if (mlir::isa<ir::MapOp, ir::ReduceOp>(inner)) add(inner);
    return operations;
}

std::vector<int> steps_of(mlir::Operation& op) {
    llvm::SetVector<int> steps;
    if (auto group = mlir::dyn_cast<ir::GroupOp>(op))
        for (mlir::Operation& inner : group.getBody().front().without_terminator())
            ir::add_steps(inner.getLoc(), steps);
    else
        ir::add_steps(op.getLoc(), steps);
    return {steps.begin(), steps.end()};
}

}  // namespace catena::codegen
