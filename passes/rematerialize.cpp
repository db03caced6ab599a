#include "passes/rematerialize.h"

#include <fmt/format.h>

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/types.h"
#include "passes/analysis/bytes.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/channels_last.h"
#include "passes/analysis/memory_model.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"
#include "runtime/ops/declare/border.h"
#include "runtime/ops/declare/message.h"
#include "runtime/ops/declare/work.h"

namespace catena::passes {

#define GEN_PASS_DEF_REMATERIALIZE
#include "passes/passes.h.inc"

namespace {

// Rough times, of which only the ratios count: bytes and operations that a processor with two cores
// does in a second.
constexpr double bytes_a_second = 3e10, operations_a_second = 4e11, seconds_a_step = 3e-6;

bool is_step(mlir::Operation& op) {
    return llvm::isa<ir::GroupOp, ir::MapOp, ir::ReduceOp, ir::LibraryCall>(op);
}

/// The value whose memory `value` is a view of.
mlir::Value root_of(mlir::Value value) {
    while (mlir::Operation* op = value.getDefiningOp()) {
        if (is_step(*op) || op->getNumOperands() == 0) break;
        value = op->getOperand(0);
    }
    return value;
}

double call_operations(ir::LibraryCall call, const OpDef& op) {
    auto attributes = ir::to_attributes(call.getCallAttributes());
    if (mlir::failed(attributes)) return 0;
    SmallVector<Type, 4> inputs, outputs;
    for (mlir::Value input : call.getInputs()) inputs.push_back(ir::type_of(input));
    for (mlir::Value output : call->getResults()) outputs.push_back(ir::type_of(output));
    return product_operations(TypeCall{op, inputs, *attributes}, outputs);
}

/// The function as a MemoryModel, and what its steps and values are.
struct Program {
    explicit Program(mlir::func::FuncOp function) {
        for (mlir::BlockArgument argument : function.getArguments()) add_value(argument, 0, -1);
        for (mlir::Operation& op : function.getBody().front()) {
            if (is_step(op))
                add_step(op);
            else if (op.getNumResults() == 0)
                add_results(op);
        }
    }

    MemoryModel model;
    std::vector<mlir::Operation*> operations;  ///< The operation of each step.
    std::vector<std::vector<unsigned>>
        operands;  ///< For each step, the operand that each value read comes from.

private:
    void add_value(mlir::Value value, int64_t bytes, int maker) {
        numbers_[value] = int(model.values.size());
        model.values.push_back({bytes, maker});
    }

    /// The number of the value whose memory this is; what no step makes is an input.
    int number_of(mlir::Value value) {
        value = root_of(value);
        if (!numbers_.contains(value)) add_value(value, 0, -1);
        return numbers_.at(value);
    }

    void add_step(mlir::Operation& op) {
        MemoryModel::Step step;
        std::vector<unsigned> from;
        double bytes = 0;
        for (mlir::OpOperand& operand : op.getOpOperands()) {
            if (!llvm::isa<mlir::RankedTensorType>(operand.get().getType())) continue;
            step.reads.push_back(number_of(operand.get()));
            from.push_back(operand.getOperandNumber());
            bytes += double(bytes_of(operand.get()));
        }
        for (mlir::Value result : op.getResults()) {
            step.makes.push_back(int(model.values.size()));
            add_value(result, bytes_of(result), int(model.steps.size()));
            bytes += double(bytes_of(result));
        }
        step.seconds = seconds_a_step + bytes / bytes_a_second;
        if (auto call = llvm::dyn_cast<ir::LibraryCall>(op)) {
            const OpDef* def = find_op(call.getFunction().str());
            step.is_repeatable = def && !is_message(*def) && def != &border_op();
            if (def == &border_op())  // Its results are what the program is given.
                for (int made : step.makes) model.values[size_t(made)].bytes = 0;
            if (def) step.seconds += call_operations(call, *def) / operations_a_second;
        }
        model.steps.push_back(std::move(step));
        operations.push_back(&op);
        operands.push_back(std::move(from));
    }

    /// What is returned or assigned has memory of its own, which stays.
    void add_results(mlir::Operation& op) {
        for (mlir::Value operand : op.getOperands())
            if (llvm::isa<mlir::RankedTensorType>(operand.getType()))
                model.values[size_t(number_of(operand))].bytes = 0;
    }

    llvm::DenseMap<mlir::Value, int> numbers_;  ///< The number of each root.
};

/// Brings a function into the order of a plan.
class Rewriter {
public:
    Rewriter(const Program& program, const MemoryPlan& plan) : program_(program), plan_(plan) {}

    void run() {
        std::vector<bool> seen(program_.operations.size(), false), is_copy;
        for (const PlannedStep& step : plan_.order) {
            is_copy.push_back(seen[size_t(step.step)]);
            seen[size_t(step.step)] = true;
        }
        mlir::Operation* next = program_.operations.back()->getBlock()->getTerminator();
        std::vector<mlir::Operation*> before(plan_.order.size());
        for (size_t p = plan_.order.size(); p-- > 0;) {
            before[p] = next;
            if (!is_copy[p]) next = program_.operations[size_t(plan_.order[p].step)];
        }
        for (size_t p = 0; p < plan_.order.size(); ++p)
            place(plan_.order[p], is_copy[p], before[p]);
        mlir::Block& block = *next->getBlock();
        for (mlir::Operation* op : llvm::reverse(placed_)) drop_unread(op);
        for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(block)))
            if (mlir::isOpTriviallyDead(&op) && op.getNumOperands() > 0) op.erase();
    }

private:
    void place(const PlannedStep& step, bool is_copy, mlir::Operation* before) {
        mlir::Operation* op = program_.operations[size_t(step.step)];
        if (is_copy) op = mlir::OpBuilder(before).clone(*op);
        const std::vector<unsigned>& operands = program_.operands[size_t(step.step)];
        for (size_t i = 0; i < operands.size(); ++i) {
            if (step.read_from[i] < 0) continue;
            const mlir::OpResult original =
                llvm::cast<mlir::OpResult>(root_of(original_operand(step.step, operands[i])));
            const mlir::Value version =
                placed_[size_t(step.read_from[i])]->getResult(original.getResultNumber());
            const mlir::Value operand = original_operand(step.step, operands[i]);
            op->setOperand(operands[i],
                           version == original ? operand : view_on(operand, version, op));
        }
        placed_.push_back(op);
    }

    /// The operand as it was before anything was changed.
    mlir::Value original_operand(int step, unsigned number) {
        auto [found, is_new] = originals_.try_emplace(step);
        if (is_new)
            found->second.assign(program_.operations[size_t(step)]->operand_begin(),
                                 program_.operations[size_t(step)]->operand_end());
        return found->second[number];
    }

    /// `value`, which is a view of one version of its root, as a view of another.
    static mlir::Value view_on(mlir::Value value, mlir::Value version, mlir::Operation* before) {
        if (value == root_of(value)) return version;
        mlir::Operation* view = value.getDefiningOp();
        mlir::IRMapping mapping;
        mapping.map(view->getOperand(0), view_on(view->getOperand(0), version, before));
        return mlir::OpBuilder(before).clone(*view, mapping)->getResult(0);
    }

    /// Whether a result of the group that is read depends on a reduction within.
    static bool reads_reductions(ir::GroupOp group) {
        llvm::SmallVector<mlir::Value> pending;
        for (auto [result, value] : llvm::zip(group.getResults(), group.yield().getValues()))
            if (!result.use_empty()) pending.push_back(value);
        llvm::SmallPtrSet<mlir::Operation*, 16> seen;
        while (!pending.empty()) {
            mlir::Operation* made = pending.pop_back_val().getDefiningOp();
            if (!made || !seen.insert(made).second) continue;
            if (llvm::isa<ir::ReduceOp>(made)) return true;
            llvm::append_range(pending, made->getOperands());
        }
        return false;
    }

    /// Removes an operation that nobody reads, or the results of a group that nobody reads. The
    /// order of a kernel's sums depends on what else it computes (KernelValues::unroll_of), so a
    /// group whose sums are read stays whole: they have the bits that they have without a budget.
    static void drop_unread(mlir::Operation* op) {
        if (op->use_empty() && op->getNumResults() > 0) return op->erase();
        auto group = llvm::dyn_cast<ir::GroupOp>(op);
        if (!group || llvm::none_of(group->getResults(),
                                    [](mlir::Value result) { return result.use_empty(); }))
            return;
        if (reads_reductions(group)) return;
        llvm::SmallVector<mlir::Value> inside, outside;
        llvm::SmallVector<mlir::Type> types;
        for (auto [result, value] : llvm::zip(group.getResults(), group.yield().getValues())) {
            if (result.use_empty()) continue;
            inside.push_back(value);
            outside.push_back(result);
            types.push_back(result.getType());
        }
        mlir::OpBuilder b(group);
        auto fresh =
            ir::GroupOp::create(b, group.getLoc(), types, group.getLabel(), group.getInputs(),
                                group.getScalars(), group.getDomain(), group.getReduced());
        llvm::SmallVector<mlir::OpResult> last;
        for (auto [value, result] : llvm::zip(outside, fresh->getResults()))
            if (is_channels_last(llvm::cast<mlir::OpResult>(value))) last.push_back(result);
        if (!last.empty()) set_channels_last(last);
        fresh.getBody().takeBody(group.getBody());
        fresh.yield().getValuesMutable().assign(inside);
        for (auto [value, result] : llvm::zip(outside, fresh.getResults()))
            value.replaceAllUsesWith(result);
        group.erase();
        for (mlir::Operation& inner :
             llvm::make_early_inc_range(llvm::reverse(fresh.getBody().front())))
            if (mlir::isOpTriviallyDead(&inner)) inner.erase();
    }

    const Program& program_;
    const MemoryPlan& plan_;
    /// The operations that were placed, in the plan's order.
    std::vector<mlir::Operation*> placed_;
    llvm::DenseMap<int, llvm::SmallVector<mlir::Value>> originals_;
};

/// Updates come as soon as what they read is there, as they will in the schedule
/// (codegen/batch_kernels.h); in the recorded order they wait for all of the backward pass, and so
/// do the gradients.
void run_updates_early(mlir::Block& block) {
    for (mlir::Operation& op : llvm::make_early_inc_range(block)) {
        if (!llvm::isa<ir::GroupOp>(op) || llvm::any_of(op.getUsers(), [](mlir::Operation* user) {
                return user->getNumResults() > 0;
            }))
            continue;
        mlir::Operation* latest = nullptr;
        for (mlir::Value operand : op.getOperands())
            if (mlir::Operation* made = operand.getDefiningOp();
                made && (!latest || latest->isBeforeInBlock(made)))
                latest = made;
        if (latest) op.moveAfter(latest);
    }
}

double megabytes(int64_t bytes) { return double(bytes) / (1 << 20); }

/// What budgets would cost, as shares of what the program takes without one.
std::string curve(const MemoryModel& model, int64_t without) {
    std::string text = "memory_budget: by an estimate of all budgets,";
    for (const int percent : {80, 60, 40, 20}) {
        const MemoryPlan plan = plan_within(model, without * percent / 100);
        text += fmt::format("{} {:.1f} MB cost {:.1f} ms", percent == 80 ? "" : ",",
                            megabytes(plan.bytes), 1e3 * plan.more_seconds);
    }
    return text;
}

class RematerializePass : public impl::RematerializeBase<RematerializePass> {
public:
    using RematerializeBase::RematerializeBase;
    RematerializePass(int64_t bytes, std::vector<std::string>* notes) : notes_(notes) {
        budget = bytes;
        from = saves_memory_from;
    }

    void runOnOperation() override {
        if (getOperation().isExternal() || !is_wanted()) return;
        run_updates_early(getOperation().getBody().front());
        const Program program(getOperation());
        const int64_t without = plan_in_order(program.model).bytes;
        if (budget <= 0 && without < from) return;
        constexpr double cheap = 0.02;
        const MemoryPlan plan =
            budget > 0 ? plan_within(program.model, budget) : plan_cheaply(program.model, cheap);
        // Hardly worth it where the program's inputs, its parameters and their moments, take most
        // of the memory.
        if (budget <= 0 && plan.bytes > without - (without + bytes_of_inputs()) / 8) return;
        const size_t more = plan.order.size() - program.model.steps.size();
        if (notes_ && (budget > 0 || more > 0))
            notes_->push_back(
                fmt::format("{}: {:.1f} instead of {:.1f} MB of intermediate results at a time; {} "
                            "launches are made "
                            "again, about {:.1f} ms",
                            budget > 0 ? "memory_budget" : "saved memory", megabytes(plan.bytes),
                            megabytes(without), more, 1e3 * plan.more_seconds));
        if (notes_ && budget > 0) notes_->push_back(curve(program.model, without));
        if (more == 0 || !ChangeLimit::instance().allows(
                             "rematerialize", [&] { return fmt::format("{} launches", more); }))
            return;
        Rewriter(program, plan).run();
    }

private:
    int64_t bytes_of_inputs() {
        int64_t bytes = 0;
        for (mlir::Value argument : getOperation().getArguments()) bytes += bytes_of(argument);
        return bytes;
    }

    /// Whether blocks are wanted: not where all results of all steps together would be too few.
    bool is_wanted() {
        if (budget > 0 || from <= 0) return budget > 0;
        int64_t bytes = 0;
        for (mlir::Operation& op : getOperation().getBody().front())
            if (is_step(op))
                for (mlir::Value result : op.getResults()) bytes += bytes_of(result);
        return bytes >= from;
    }

    std::vector<std::string>* notes_ = nullptr;
};

}  // namespace

std::unique_ptr<mlir::Pass> create_rematerialize_pass(int64_t budget,
                                                      std::vector<std::string>* notes) {
    return std::make_unique<RematerializePass>(budget, notes);
}

}  // namespace catena::passes
