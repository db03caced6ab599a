#include "ir/step_location.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace catena::ir {

mlir::Location at_step(mlir::Location place, size_t number) {
    mlir::MLIRContext* context = place.getContext();
    return mlir::FusedLoc::get(
        context, {place},
        mlir::IntegerAttr::get(mlir::IntegerType::get(context, 64), int64_t(number)));
}

void add_steps(mlir::Location location, llvm::SetVector<int>& steps) {
    location->walk([&](mlir::Location at) {
        auto fused = mlir::dyn_cast<mlir::FusedLoc>(at);
        if (auto number = fused ? mlir::dyn_cast_if_present<mlir::IntegerAttr>(fused.getMetadata())
                                : mlir::IntegerAttr())
            steps.insert(int(number.getInt()));
        return mlir::WalkResult::advance();
    });
}

}  // namespace catena::ir
