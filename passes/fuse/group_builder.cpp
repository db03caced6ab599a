#include "passes/fuse/group_builder.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "ir/dialect.h"

namespace catena::passes {

namespace {

using Operations = llvm::SmallVector<mlir::Operation*>;

llvm::StringRef function_of(mlir::Operation* op) {
    auto name = op->getAttrOfType<mlir::StringAttr>("function");
    return name ? name.getValue() : "";
}

/// "max_sub_exp_sum_and_3": the first few functions and how many more.
std::string label_of(llvm::ArrayRef<mlir::Operation*> members) {
    constexpr size_t spelled = 4;
    std::string label;
    size_t count = 0;
    for (mlir::Operation* op : members) {
        if (llvm::isa<ir::ReshapeOp>(op) || ++count > spelled) continue;
        if (!label.empty()) label += "_";
        label += function_of(op);
    }
    if (count > spelled) label += "_and_" + std::to_string(count - spelled);
    return label;
}

/// Removes trailing reshapes that no other member reads.
Operations take_trailing_reshapes(Operations& members) {
    llvm::DenseSet<mlir::Operation*> inside(members.begin(), members.end());
    Operations trailing;
    for (size_t i = members.size(); i-- > 0;) {
        mlir::Operation* op = members[i];
        auto reads = [&](mlir::Operation* user) { return inside.contains(user); };
        if (!llvm::isa<ir::ReshapeOp>(op) || llvm::any_of(op->getUsers(), reads)) continue;
        inside.erase(op);
        trailing.push_back(op);
        members.erase(members.begin() + i);
    }
    std::reverse(trailing.begin(), trailing.end());
    return trailing;
}

/// Values that cross the border of the group.
struct Border {
    llvm::SetVector<mlir::Value> inputs, scalars, results;
    llvm::DenseSet<mlir::Operation*> inside;

    explicit Border(llvm::ArrayRef<mlir::Operation*> members)
        : inside(members.begin(), members.end()) {
        for (mlir::Operation* op : members) {
            for (mlir::Value operand : op->getOperands()) {
                if (inside.contains(operand.getDefiningOp())) continue;
                bool tensor = llvm::isa<mlir::RankedTensorType>(operand.getType());
                (tensor ? inputs : scalars).insert(operand);
            }
            for (mlir::Value result : op->getResults())
                if (llvm::any_of(result.getUsers(),
                                 [&](mlir::Operation* u) { return !inside.contains(u); }))
                    results.insert(result);
        }
    }
};

void set_domain(ir::GroupOp group, llvm::ArrayRef<mlir::Operation*> members, const Sweep& sweep) {
    // The highest rank inside, so that no value has more dimensions than the domain.
    size_t rank = sweep.domain.size();
    auto consider = [&](mlir::Value value) {
        if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType()))
            rank = std::max(rank, size_t(type.getRank()));
    };
    for (mlir::Operation* op : members) {
        llvm::for_each(op->getOperands(), consider);
        llvm::for_each(op->getResults(), consider);
    }
    llvm::SmallVector<int64_t> domain(rank, 1), reduced;
    for (size_t i = 0; i < rank; ++i) {
        size_t from_last = rank - 1 - i;
        if (from_last < sweep.domain.size()) domain[i] = sweep.domain[from_last];
        if (sweep.reduced >> from_last & 1) reduced.push_back(int64_t(i));
    }
    group.setDomain(domain);
    group.setReduced(reduced);
}

}  // namespace

void build_group(llvm::ArrayRef<mlir::Operation*> all_members, const Sweep& sweep,
                 mlir::Operation* insertion_point) {
    Operations members(all_members);
    Operations trailing = take_trailing_reshapes(members);
    if (!members.empty()) {
        Border border(members);
        mlir::OpBuilder b(insertion_point);
        llvm::SmallVector<mlir::Type> results;
        llvm::SmallVector<mlir::Location> locations;
        for (mlir::Value result : border.results) results.push_back(result.getType());
        for (mlir::Operation* op : members) locations.push_back(op->getLoc());
        mlir::Location location = b.getFusedLoc(locations);
        auto group = ir::GroupOp::create(b, location, results, label_of(members),
                                         border.inputs.getArrayRef(), border.scalars.getArrayRef(),
                                         llvm::ArrayRef<int64_t>(), llvm::ArrayRef<int64_t>());
        set_domain(group, members, sweep);

        mlir::Block* block = b.createBlock(&group.getBody());
        for (mlir::Operation* op : members) op->moveBefore(block, block->end());
        // By the members' operands: an outside value may have very many other users.
        mlir::IRMapping arguments;
        for (mlir::Value operand : group.getOperands())
            arguments.map(operand, block->addArgument(operand.getType(), location));
        for (mlir::Operation* op : members)
            for (mlir::OpOperand& operand : op->getOpOperands())
                operand.set(arguments.lookupOrDefault(operand.get()));
        for (auto [value, outside] : llvm::zip(border.results, group.getResults())) {
            mlir::Value inside = value;
            inside.replaceUsesWithIf(
                outside, [&](mlir::OpOperand& use) { return use.getOwner()->getBlock() != block; });
        }
        b.setInsertionPointToEnd(block);
        ir::YieldOp::create(b, location, border.results.getArrayRef());
    }
    for (mlir::Operation* op : trailing) op->moveBefore(insertion_point);
}

}  // namespace catena::passes
