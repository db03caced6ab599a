#include "ir/type_rule.h"

#include "mlir/IR/Diagnostics.h"

#include "runtime/core/system/error.h"

namespace catena::ir {

mlir::LogicalResult verify_type_rule(mlir::Operation* op, llvm::StringRef function,
                                     llvm::ArrayRef<Type> inputs, const Attributes& attributes,
                                     llvm::ArrayRef<Type> outputs) {
    const OpDef* definition = find_op(std::string_view(function));
    if (!definition) return op->emitOpError("names the unknown function \"") << function << '"';
    if (definition->input_count >= 0 && definition->input_count != int(inputs.size()))
        return op->emitOpError() << '"' << function << "\" takes " << definition->input_count
                                 << " tensors, got " << inputs.size();
    if (!definition->type) return mlir::success();
    Types right;
    try {
        right = definition->type({*definition, {inputs.data(), inputs.size()}, attributes});
    } catch (const std::exception& error) {
        return op->emitOpError() << error.what();
    }
    if (right.size() != outputs.size())
        return op->emitOpError() << '"' << function << "\" gives " << right.size()
                                 << " results, not " << outputs.size();
    for (size_t i = 0; i < outputs.size(); ++i)
        if (!(right[i] == outputs[i]))
            return op->emitOpError() << '"' << function << "\" gives " << to_string(right[i])
                                     << ", not " << to_string(outputs[i]);
    return mlir::success();
}

}  // namespace catena::ir
