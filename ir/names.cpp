// Names of values in printed programs: the user's function; x0 x1 k0 inside a map, in0 in1 s0
// inside a group.
#include "ir/dialect.h"

namespace catena::ir {

namespace {

using SetName = llvm::function_ref<void(mlir::Value, llvm::StringRef)>;

std::string numbered(llvm::StringRef letter, size_t i) { return (letter + llvm::Twine(i)).str(); }

void name_arguments(mlir::Region& region, llvm::StringRef input, size_t inputs,
                    llvm::StringRef scalar, SetName set_name) {
    for (mlir::BlockArgument argument : region.getArguments()) {
        size_t i = argument.getArgNumber();
        set_name(argument, i < inputs ? numbered(input, i) : numbered(scalar, i - inputs));
    }
}

}  // namespace

void ScalarOp::getAsmResultNames(SetName set_name) {
    bool named = getLabel() && !getLabel()->empty();
    set_name(getResult(), named ? getLabel()->str() : numbered("s", getIndex()));
}

void MapOp::getAsmBlockArgumentNames(mlir::Region& region, SetName set_name) {
    name_arguments(region, "x", getInputs().size(), "k", set_name);
}
void GroupOp::getAsmBlockArgumentNames(mlir::Region& region, SetName set_name) {
    name_arguments(region, "in", getInputs().size(), "s", set_name);
}
void GroupOp::getAsmResultNames(SetName set_name) {
    if (getNumResults() != 0) set_name(getResult(0), "group");
}

}  // namespace catena::ir
