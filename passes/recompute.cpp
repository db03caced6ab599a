#include "passes/recompute.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "passes/analysis/bytes.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/analysis/sweep.h"
#include "passes/cse.h"
#include "passes/passes.h"
#include "runtime/core/system/counted.h"

namespace catena::passes {

#define GEN_PASS_DEF_RECOMPUTE
#include "passes/passes.h.inc"

namespace {

/// What is smaller stays in a cache between its writer and its readers.
constexpr int64_t fewest_bytes = 64 * 1024;
/// Arithmetic of one element that a sweep does while it waits for memory; a division counts as
/// several.
constexpr int most_arithmetic = 12, division = 4;
/// How large, as a share of the result, the arrays are that a formula may keep alive beside one as
/// large: statistics, scales.
constexpr int64_t small_recompute_share = 8;
/// As many inputs as fusion allows a group to read (fuse.cpp).
constexpr size_t max_recompute_inputs = 12;

/// The arithmetic of a map that any sweep can do on the side; nothing for others: exp, tanh and
/// their like.
std::optional<int> arithmetic_of(ir::MapOp map) {
    int count = 0;
    for (mlir::Operation& op : map.getBody().front().without_terminator()) {
        if (!llvm::isa<mlir::arith::ArithDialect>(op.getDialect())) return std::nullopt;
        if (llvm::isa<mlir::arith::ConstantOp>(op)) continue;
        count += llvm::isa<mlir::arith::DivFOp, mlir::arith::DivSIOp, mlir::arith::RemFOp,
                           mlir::arith::RemSIOp>(op)
                     ? division
                     : 1;
    }
    return count;
}

/// How a result of a group follows from values outside of the group, and from results of its
/// reductions.
struct Formula {
    llvm::SetVector<mlir::Operation*> operations;
    llvm::SetVector<mlir::Value> leaves;  ///< Arguments of the group's body, or values in it that
                                          ///< are smaller than its domain.
    int arithmetic = 0;
};

bool is_full_size(mlir::Value value, ir::GroupOp group) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    return type && aligned_shape(type.getShape()) == aligned_shape(group.getDomain());
}

/// False where that is not only a little arithmetic.
bool find_formula(mlir::Value value, ir::GroupOp group, Formula& formula) {
    mlir::Operation* op = value.getDefiningOp();
    if (!op || !is_full_size(value, group)) {
        formula.leaves.insert(value);
        return true;
    }
    if (formula.operations.contains(op)) return true;
    if (auto map = llvm::dyn_cast<ir::MapOp>(op)) {
        const std::optional<int> count = arithmetic_of(map);
        if (!count) return false;
        formula.arithmetic += *count;
    } else if (!llvm::isa<ir::ReshapeOp>(op)) {
        return false;
    }
    if (formula.arithmetic > most_arithmetic) return false;
    for (mlir::Value operand : op->getOperands())
        if (!find_formula(operand, group, formula)) return false;
    formula.operations.insert(op);  // After what it reads.
    return true;
}

/// A result of a group that readers could compute themselves.
struct Candidate {
    mlir::OpResult result;
    Formula formula;
    llvm::SetVector<ir::GroupOp> readers;
    bool stored = false;  ///< Whether the result is stored because others read it all the same.
};

/// The value outside of `group` that a leaf is; null for a value of its body.
mlir::Value outside(mlir::Value leaf, ir::GroupOp group) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(leaf);
    return argument ? group->getOperand(argument.getArgNumber()) : mlir::Value();
}

/// A state that the program assigns: its memory is reused for the new content once nobody reads the
/// old one.
bool is_overwritten(mlir::Value value) {
    return llvm::any_of(value.getUsers(), [&](mlir::Operation* user) {
        auto assign = llvm::dyn_cast<ir::AssignOp>(user);
        return assign && assign.getState() == value;
    });
}

/// The bytes that `reader` would read more if it computed the candidate; nothing if it cannot.
std::optional<int64_t> bytes_more(ir::GroupOp reader, const Candidate& candidate,
                                  ir::GroupOp group) {
    if (reader.getDomain() != group.getDomain()) return std::nullopt;
    int64_t bytes = 0;
    size_t inputs = reader.getInputs().size() - 1;
    for (mlir::Value leaf : candidate.formula.leaves) {
        if (!llvm::isa<mlir::RankedTensorType>(leaf.getType())) continue;
        const mlir::Value value = outside(leaf, group);
        if (value && llvm::is_contained(reader.getInputs(), value)) continue;
        if (value && is_full_size(leaf, group) && is_overwritten(value)) return std::nullopt;
        bytes += bytes_of(leaf);
        ++inputs;
    }
    if (inputs > max_recompute_inputs) return std::nullopt;
    return bytes;
}

/// The bytes of what the formula reads that would live longer, because not all readers read it now.
int64_t bytes_kept(const Candidate& candidate, ir::GroupOp group) {
    int64_t bytes = 0;
    for (mlir::Value leaf : candidate.formula.leaves) {
        if (!llvm::isa<mlir::RankedTensorType>(leaf.getType())) continue;
        const mlir::Value value = outside(leaf, group);
        const auto reads = [&](ir::GroupOp reader) {
            return llvm::is_contained(reader.getInputs(), value);
        };
        if (!value || !llvm::all_of(candidate.readers, reads)) bytes += bytes_of(leaf);
    }
    return bytes;
}

/// A candidate for only the readers that read all of the formula's large arrays anyway: each saves
/// reading the result, which is stored for others.
std::optional<Candidate> stored_for_others(Candidate candidate, ir::GroupOp group) {
    candidate.stored = true;
    candidate.readers.remove_if([&](ir::GroupOp reader) {
        const std::optional<int64_t> more = bytes_more(reader, candidate, group);
        return !more || *more > bytes_of(candidate.result) / small_recompute_share;
    });
    return candidate.readers.empty() ? std::nullopt : std::optional(std::move(candidate));
}

/// A candidate; nothing unless storing the result, or reading it, costs more memory traffic than
/// its readers have without it. The place in memory of a result that is not stored is free for what
/// its formula reads, which now lives as long: hardly more memory is needed.
std::optional<Candidate> candidate_of(mlir::OpResult result, ir::GroupOp group) {
    const mlir::Value inside = group.yield().getValues()[result.getResultNumber()];
    if (result.use_empty() || !is_full_size(result, group) || bytes_of(result) < fewest_bytes)
        return std::nullopt;
    Candidate candidate{.result = result, .formula = {}, .readers = {}};
    bool has_others = false;
    for (mlir::Operation* user : result.getUsers()) {
        auto reader = llvm::dyn_cast<ir::GroupOp>(user);
        if (reader)
            candidate.readers.insert(reader);
        else
            has_others = true;
    }
    if (!inside.getDefiningOp() || !find_formula(inside, group, candidate.formula))
        return std::nullopt;
    if (has_others) return stored_for_others(std::move(candidate), group);
    const int64_t kept_bytes = bytes_kept(candidate, group);
    int64_t saved = bytes_of(result);  // It is not written.
    for (ir::GroupOp reader : candidate.readers) {
        const std::optional<int64_t> more = bytes_more(reader, candidate, group);
        if (!more) return stored_for_others(std::move(candidate), group);
        saved += bytes_of(result) - *more;
    }
    if (saved <= 0 || kept_bytes > bytes_of(result) + bytes_of(result) / small_recompute_share)
        return stored_for_others(std::move(candidate), group);
    return candidate;
}

/// The group with other results: without those of the candidates, and with the smaller values that
/// these need.
ir::GroupOp with_other_results(ir::GroupOp group, llvm::ArrayRef<Candidate> candidates,
                               mlir::IRMapping& outsides) {
    llvm::SetVector<mlir::Value> kept;
    llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> old;  // Inside, outside.
    for (auto [result, value] : llvm::zip(group.getResults(), group.yield().getValues())) {
        if (llvm::any_of(candidates,
                         [&](const Candidate& c) { return c.result == result && !c.stored; }))
            continue;
        kept.insert(value);
        old.emplace_back(value, result);
    }
    for (const Candidate& candidate : candidates)
        for (mlir::Value leaf : candidate.formula.leaves)
            if (leaf.getDefiningOp()) kept.insert(leaf);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value value : kept) types.push_back(value.getType());
    mlir::OpBuilder b(group);
    auto fresh = ir::GroupOp::create(b, group.getLoc(), types, group.getLabel(), group.getInputs(),
                                     group.getScalars(), group.getDomain(), group.getReduced());
    fresh.getBody().takeBody(group.getBody());
    fresh.yield().getValuesMutable().assign(kept.getArrayRef());
    for (auto [value, result] : llvm::zip(kept, fresh.getResults())) outsides.map(value, result);
    for (auto [argument, operand] : llvm::zip(fresh.getBody().getArguments(), fresh->getOperands()))
        outsides.map(argument, operand);
    for (auto [inside, result] : old) result.replaceAllUsesWith(outsides.lookup(inside));
    return fresh;
}

/// The argument of the body that stands for `value`, which becomes an operand if it is none.
mlir::Value argument_for(ir::GroupOp group, mlir::Value value) {
    mlir::Block& body = group.getBody().front();
    for (auto [operand, argument] : llvm::zip(group->getOperands(), body.getArguments()))
        if (operand == value) return argument;
    if (!llvm::isa<mlir::RankedTensorType>(value.getType())) {
        group.getScalarsMutable().append(value);
        return body.addArgument(value.getType(), group.getLoc());
    }
    const unsigned place = unsigned(group.getInputs().size());
    group.getInputsMutable().append(value);
    return body.insertArgument(place, value.getType(), group.getLoc());
}

/// Makes `reader` compute the values that it read.
void compute_in(ir::GroupOp reader, mlir::Value read, mlir::Value inside, const Formula& formula,
                const mlir::IRMapping& outsides) {
    mlir::IRMapping mapping;
    for (mlir::Value leaf : formula.leaves)
        mapping.map(leaf, argument_for(reader, outsides.lookup(leaf)));
    mlir::Block& body = reader.getBody().front();
    mlir::OpBuilder b(&body, body.begin());
    for (mlir::Operation* op : formula.operations) b.clone(*op, mapping);
    for (unsigned i = unsigned(reader.getInputs().size()); i-- > 0;) {
        if (reader.getInputs()[i] != read) continue;
        body.getArgument(i).replaceAllUsesWith(mapping.lookup(inside));
        body.eraseArgument(i);
        reader.getInputsMutable().erase(i);
    }
    remove_common(body);
}

void remove_dead(mlir::Block& body) {
    for (mlir::Operation& op : llvm::make_early_inc_range(llvm::reverse(body)))
        if (mlir::isOpTriviallyDead(&op)) op.erase();
}

class RecomputePass : public impl::RecomputeBase<RecomputePass> {
public:
    using RecomputeBase::RecomputeBase;
    explicit RecomputePass(std::vector<std::string>* notes) : notes_(notes) {}

    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        // In program order: what is computed again may then be part of what a later group computes
        // again.
        for (ir::GroupOp group :
             llvm::to_vector(getOperation().getBody().front().getOps<ir::GroupOp>()))
            while (group) group = move_to_readers(group);
    }

private:
    /// The group as it is then, if something changed: readers that read x now may compute another
    /// result from it, too.
    ir::GroupOp move_to_readers(ir::GroupOp group) {
        llvm::SmallVector<Candidate> candidates;
        for (mlir::OpResult result : group->getResults()) {
            std::optional<Candidate> candidate = candidate_of(result, group);
            if (!candidate) continue;
            const std::string place =
                place_of(group.yield().getValues()[result.getResultNumber()].getDefiningOp());
            if (!ChangeLimit::instance().allows("recompute", [&] { return place; })) continue;
            if (notes_)
                notes_->push_back(place + " is computed again where it is read (by " +
                                  counted(int64_t(candidate->readers.size()), "operation") +
                                  "), which costs less than to " +
                                  (candidate->stored ? "read it" : "store it"));
            candidates.push_back(std::move(*candidate));
        }
        if (candidates.empty()) return {};
        llvm::SmallVector<mlir::Value> insides;
        for (const Candidate& c : candidates)
            insides.push_back(group.yield().getValues()[c.result.getResultNumber()]);
        mlir::IRMapping outsides;
        ir::GroupOp fresh = with_other_results(group, candidates, outsides);
        for (auto [candidate, inside] : llvm::zip(candidates, insides)) {
            const mlir::Value read =
                candidate.stored ? outsides.lookup(inside) : mlir::Value(candidate.result);
            for (ir::GroupOp reader : candidate.readers)
                compute_in(reader, read, inside, candidate.formula, outsides);
        }
        group.erase();
        remove_dead(fresh.getBody().front());
        return drop_unread_inputs(fresh);
    }

    /// A group that stores nothing is removed, and one that reads less has fewer operands.
    static ir::GroupOp drop_unread_inputs(ir::GroupOp group) {
        if (group.use_empty()) {
            group.erase();
            return {};
        }
        mlir::Block& body = group.getBody().front();
        for (unsigned i = unsigned(group.getInputs().size()); i-- > 0;) {
            if (!body.getArgument(i).use_empty()) continue;
            body.eraseArgument(i);
            group.getInputsMutable().erase(i);
        }
        return group;
    }

    std::vector<std::string>* notes_ = nullptr;
};

}  // namespace

std::unique_ptr<mlir::Pass> create_recompute_pass(std::vector<std::string>* notes) {
    return std::make_unique<RecomputePass>(notes);
}

}  // namespace catena::passes
