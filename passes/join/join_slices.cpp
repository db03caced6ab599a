#include "passes/join/join_slices.h"

#include <algorithm>
#include <optional>

#include "ir/dialect.h"
#include "ir/types.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/join/call_joint.h"
#include "passes/join/sums.h"
#include "runtime/ops/declare/placement.h"

namespace catena::passes {
namespace {

/// A term of a sum: elements [begin, end) of an axis, and zeros. In all other axes it is whole.
struct Placed {
    mlir::Value term;
    mlir::Operation* call = nullptr;
    int axis = 0;
    int64_t begin = 0, end = 0;

    bool is_beside(const Placed& other) const {
        return axis == other.axis && term.getType() == other.term.getType();
    }
};

/// The place of a term; nothing unless the call is used by the sum only.
std::optional<Placed> placed(mlir::Value term) {
    mlir::Operation* op = term.getDefiningOp();
    auto call = llvm::dyn_cast_if_present<ir::LibraryCall>(op);
    if (!call || !term.hasOneUse() || op->getNumOperands() != 1 || op->getNumResults() != 1)
        return std::nullopt;
    const OpDef* definition = find_op(std::string_view(call.getFunction()));
    const auto attributes = ir::to_attributes(call.getCallAttributes());
    if (!definition || mlir::failed(attributes)) return std::nullopt;
    const std::optional<Dims> begin = placement_of({*definition, *attributes});
    if (!begin) return std::nullopt;
    const mlir::RankedTensorType part = ir::tensor_type_of(op->getOperand(0)),
                                 whole = ir::tensor_type_of(term);
    std::optional<Placed> found;
    for (int axis = 0; axis < whole.getRank(); ++axis) {
        if (part.getDimSize(axis) == whole.getDimSize(axis)) continue;
        if (found) return std::nullopt;  // A block within two axes.
        found = Placed{term, op, axis, (*begin)[axis], (*begin)[axis] + part.getDimSize(axis)};
    }
    return found;
}

/// Terms that follow each other in a sum. If they do not overlap, each element is added to zeros
/// only, in any order.
using Run = llvm::SmallVector<Placed>;

bool overlap(const Run& sorted) {
    int64_t end = 0;
    for (const Placed& part : sorted) {
        if (part.begin < end) return true;
        end = part.end;
    }
    return false;
}

/// Joins slices of a run, of which those that touch become one.
void join(Run run, ir::MapOp sum, ReplacedTerms& replaced, std::vector<std::string>& notes) {
    llvm::stable_sort(run, [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    if (overlap(run)) return;
    mlir::OpBuilder builder(sum);
    for (size_t first = 0, end = 1; first < run.size(); first = end++) {
        while (end < run.size() && run[end].begin == run[end - 1].end) ++end;
        const auto text = [&] {
            return std::to_string(end - first) + " results of " + place_of(run[first].call) +
                   " are put side by side";
        };
        if (end - first < 2 || !ChangeLimit::instance().allows("join-calls", text)) continue;
        llvm::SmallVector<mlir::Value> parts;
        llvm::SmallVector<mlir::Location> locations;
        for (size_t i = first; i < end; ++i) {
            parts.push_back(run[i].call->getOperand(0));
            locations.push_back(run[i].call->getLoc());
            replaced[run[i].term] = {};
        }
        const mlir::Location location = builder.getFusedLoc(locations);
        mlir::Value joined = side_by_side(builder, location, parts, run[first].axis);
        if (joined.getType() != run[first].term.getType()) {
            mlir::Operation* call = builder.clone(*run[first].call);
            call->setLoc(location);
            call->setOperand(0, joined);
            joined = call->getResult(0);
        }
        replaced[run[first].term] = joined;
        notes.push_back(text());
    }
}

void join_terms(ir::MapOp sum, std::vector<std::string>& notes) {
    const llvm::SmallVector<mlir::Value> terms = terms_of(sum);
    ReplacedTerms replaced;
    Run run;
    for (mlir::Value term : terms) {
        const std::optional<Placed> next = placed(term);
        if (!run.empty() && !(next && next->is_beside(run[0]))) {
            join(std::move(run), sum, replaced, notes);
            run.clear();
        }
        if (next) run.push_back(*next);
    }
    join(std::move(run), sum, replaced, notes);
    if (!replaced.empty()) rebuild_sum(sum, terms, replaced);
}

}  // namespace

std::vector<std::string> join_slices(mlir::Block& block) {
    std::vector<std::string> notes;
    for (mlir::Operation& op : llvm::make_early_inc_range(block))
        if (is_sum(&op)) join_terms(llvm::cast<ir::MapOp>(op), notes);
    return notes;
}

}  // namespace catena::passes
