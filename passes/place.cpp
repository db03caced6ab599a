#include "passes/place.h"

#include "llvm/Support/Path.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace catena::passes {

std::string place_of(mlir::Operation* op) {
    auto name = op->getAttrOfType<mlir::StringAttr>("function");
    std::string text = (name ? name.getValue() : op->getName().getStringRef()).str();
    if (auto file = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
        text += " (" + llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" +
                std::to_string(file.getLine()) + ")";
    return text;
}

}  // namespace catena::passes
