// How values are called in a printed program: by the user's function, x0 x1 ... inside.
#include "ir/dialect.h"

namespace catena::ir {

namespace {

using SetName = llvm::function_ref<void(mlir::Value, llvm::StringRef)>;

std::string numbered(llvm::StringRef letter, size_t i) { return (letter + llvm::Twine(i)).str(); }

void name_arguments(mlir::Region& region, size_t inputs, SetName set_name) {
    for (mlir::BlockArgument argument : region.getArguments()) {
        size_t i = argument.getArgNumber();
        set_name(argument, numbered(i < inputs ? "x" : "k", i < inputs ? i : i - inputs));
    }
}

}  // namespace

void ScalarOp::getAsmResultNames(SetName set_name) {
    bool named = getLabel() && !getLabel()->empty();
    set_name(getResult(), named ? getLabel()->str() : numbered("s", getIndex()));
}

void MapOp::getAsmBlockArgumentNames(mlir::Region& region, SetName set_name) {
    name_arguments(region, getInputs().size(), set_name);
}
void GroupOp::getAsmBlockArgumentNames(mlir::Region& region, SetName set_name) {
    name_arguments(region, getInputs().size(), set_name);
}
void GroupOp::getAsmResultNames(SetName set_name) {
    if (getNumResults() != 0) set_name(getResult(0), "group");
}

}  // namespace catena::ir
