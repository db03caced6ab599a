#include "ir/dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "ir/dialect.cpp.inc"
#include "ir/enums.cpp.inc"
#include "ir/interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/attributes.cpp.inc"
namespace catena::ir {

void CatenaDialect::initialize() {
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/attributes.cpp.inc"
        >();
    registerCatenaDialectOperations(this);
}

llvm::ArrayRef<int64_t> MapOp::shape() {
    return llvm::cast<mlir::RankedTensorType>(getResultTypes().front()).getShape();
}

mlir::Type MapOp::compute_type() {
    mlir::Block& block = getBody().front();
    if (block.getNumArguments() != 0) return block.getArgument(0).getType();
    return block.getTerminator()->getNumOperands() ? block.getTerminator()->getOperand(0).getType()
                                                   : mlir::Type();
}

YieldOp MapOp::yield() { return llvm::cast<YieldOp>(getBody().front().getTerminator()); }
YieldOp GroupOp::yield() { return llvm::cast<YieldOp>(getBody().front().getTerminator()); }

bool GroupOp::reduces_rows() {
    llvm::ArrayRef<int64_t> domain = getDomain();
    for (int64_t i = 0, end = domain.size(); i < end; ++i) {
        if (!llvm::is_contained(getReduced(), i)) continue;
        for (int64_t later = i + 1; later < end; ++later)
            if (domain[later] != 1 && !llvm::is_contained(getReduced(), later)) return false;
        return true;
    }
    return true;
}

}  // namespace catena::ir
