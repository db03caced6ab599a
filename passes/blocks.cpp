#include <optional>

#include "mlir/IR/Builders.h"

#include "ir/types.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"
#include "runtime/ops/declare/block.h"
#include "runtime/ops/declare/tail.h"

namespace catena::passes {

#define GEN_PASS_DEF_BLOCKS
#include "passes/passes.h.inc"

namespace {

/// A tailed call as a part of a block.
struct Part {
    mlir::Operation* call;
    const OpDef* op;
    llvm::SmallVector<mlir::Value> inputs;
    llvm::SmallVector<Type> types;
    Attributes attributes;

    static std::optional<Part> of(mlir::Value y) {
        auto call = y.getDefiningOp<ir::LibraryCall>();
        const OpDef* const op = call ? find_op(std::string_view(call.getFunction())) : nullptr;
        if (!op || !is_tailed_form(*op) || call->getResult(0) != y) return std::nullopt;
        const auto attributes = ir::to_attributes(call.getCallAttributes());
        if (mlir::failed(attributes)) return std::nullopt;
        Part part{call, op, llvm::SmallVector<mlir::Value>(call.getInputs()), {}, *attributes};
        for (mlir::Value input : part.inputs) part.types.push_back(ir::type_of(input));
        return part;
    }
    TypeCall type_call() const { return {*op, types, attributes}; }
};

/// Drops what a part is told of the range of its input 0, if `before` tells it.
void forget_range(Part& part, mlir::Operation* before) {
    for (size_t i = 1; i < part.inputs.size(); ++i) {
        if (part.inputs[i] != before->getResult(1)) continue;
        part.attributes = without_range(part.attributes);
        part.inputs.erase(part.inputs.begin() + i);
        part.types.erase(part.types.begin() + i);
        return;
    }
}

bool is_read_by(mlir::Operation* before, mlir::Operation* call) {
    return before->getResult(0).hasOneUse() &&
           llvm::all_of(before->getResult(1).getUsers(),
                        [&](mlir::Operation* user) { return user == call; });
}

/// The calls that end with `last`; fewer where others read what is between them.
llvm::SmallVector<Part> parts_before(mlir::Operation& last) {
    llvm::SmallVector<Part> parts;
    for (mlir::Value y = last.getNumResults() > 0 ? last.getResult(0) : mlir::Value();
         y && parts.size() < block_calls;) {
        std::optional<Part> part = Part::of(y);
        if (!part || (!parts.empty() && !is_read_by(part->call, parts.front().call))) break;
        if (!parts.empty()) forget_range(parts.front(), part->call);
        y = part->inputs[0];
        parts.insert(parts.begin(), std::move(*part));
    }
    return parts;
}

void make_block(llvm::ArrayRef<Part> parts, const OpDef& form) {
    mlir::Operation* const last = parts.back().call;
    mlir::OpBuilder b(last);
    llvm::SmallVector<mlir::Value> inputs;
    llvm::SmallVector<mlir::Location> locations;
    llvm::SmallVector<Attributes> attributes;
    for (const Part& part : parts) {
        inputs.append(part.inputs.begin() + (inputs.empty() ? 0 : 1), part.inputs.end());
        locations.push_back(part.call->getLoc());
        attributes.push_back(part.attributes);
    }
    const Attributes all =
        block_attributes(std::span<const Attributes, block_calls>(attributes.data(), block_calls));
    auto made = ir::WindowOp::create(b, b.getFusedLoc(locations), last->getResultTypes(),
                                     b.getStringAttr(form.name), inputs, mlir::ValueRange(),
                                     ir::to_dictionary(all, b.getContext()));
    last->replaceAllUsesWith(made->getResults());
    for (const Part& part : llvm::reverse(parts)) part.call->erase();
}

class BlocksPass : public impl::BlocksBase<BlocksPass> {
public:
    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        // In order, so that a call is a part of the first block that it can end.
        llvm::SmallVector<mlir::Operation*> calls;
        for (mlir::Operation& op : getOperation().getBody().front())
            if (llvm::isa<ir::LibraryCall>(op)) calls.push_back(&op);
        for (mlir::Operation* call : calls) {
            const llvm::SmallVector<Part> parts = parts_before(*call);
            if (parts.size() < block_calls) continue;
            const std::array<TypeCall, block_calls> types{
                parts[0].type_call(), parts[1].type_call(), parts[2].type_call()};
            const OpDef* const form = block_form(types);
            if (form && ChangeLimit::instance().allows("blocks", [&] { return place_of(call); }))
                make_block(parts, *form);
        }
    }
};

}  // namespace

}  // namespace catena::passes
