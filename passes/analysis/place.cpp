#include "passes/analysis/place.h"

#include "llvm/Support/Path.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace catena::passes {

std::string function_of(mlir::Operation* op) {
    if (auto called = op->getLoc()->findInstanceOf<mlir::NameLoc>()) return called.getName().str();
    auto name = op->getAttrOfType<mlir::StringAttr>("function");
    return (name ? name.getValue() : op->getName().getStringRef()).str();
}

std::string place_of(mlir::Operation* op) {
    std::string text = function_of(op);
    if (auto file = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
        text += " (" + llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" +
                std::to_string(file.getLine()) + ")";
    return text;
}

}  // namespace catena::passes
