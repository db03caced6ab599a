#include "passes/join/join_calls.h"

#include <map>

#include "ir/dialect.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/cluster_graph.h"
#include "passes/analysis/place.h"
#include "passes/analysis/sweep.h"
#include "passes/canonicalize.h"
#include "passes/cse.h"
#include "passes/join/call_joint.h"
#include "passes/join/join_rows.h"
#include "passes/join/join_scattered.h"
#include "passes/join/join_slices.h"
#include "passes/join/sums.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_JOINCALLS
#include "passes/passes.h.inc"

namespace {

/// The number of latest calls that are tried for joining.
constexpr size_t joints_tried = 4;

bool pays(const CallJoint& joint) {
    return joint.calls.size() > 1 && joint.bytes_to_copy() <= joint.bytes_saved();
}

std::string text_of(const CallJoint& joint) {
    return std::to_string(joint.calls.size()) + " calls of " + place_of(joint.calls[0]) +
           (joint.joining.output == Joining::sum ? " and their sum" : "") + " are one call";
}

/// Calls by key, in program order.
class Groups {
public:
    llvm::SmallVector<CallJoint>& of(mlir::Operation* op, const Joining& joining) {
        auto [found, is_new] = places_.try_emplace(CallJoint::key_of(op, joining), groups_.size());
        if (is_new) groups_.emplace_back();
        return groups_[found->second];
    }
    std::vector<llvm::SmallVector<CallJoint>>& all() { return groups_; }

private:
    std::map<std::vector<const void*>, size_t> places_;
    std::vector<llvm::SmallVector<CallJoint>> groups_;
};

/// Joins independent calls that share an operand into one; their results become slices of its
/// result.
class Siblings {
public:
    explicit Siblings(mlir::Block& block) : block_(block) {}

    std::vector<CallJoint> run() {
        std::vector<Candidate> candidates = find_candidates();
        if (candidates.empty()) return {};
        for (mlir::Operation& op : block_.without_terminator()) add(op);
        for (const Candidate& candidate : candidates) join(candidate.op, candidate.joining);
        return rewrite();
    }

private:
    struct Candidate {
        mlir::Operation* op;
        Joining joining;
    };

    /// Calls whose key occurs more than once; most programs have none.
    std::vector<Candidate> find_candidates() {
        std::vector<Candidate> candidates;
        std::map<std::vector<const void*>, int> count;
        for (mlir::Operation& op : block_.without_terminator())
            for (const Joining& joining : CallJoint::joinings_of(&op)) {
                if (joining.output == Joining::sum) continue;
                candidates.push_back({&op, joining});
                ++count[CallJoint::key_of(&op, joining)];
                break;  // One joining per call is enough; two could end in different joined calls.
            }
        std::erase_if(candidates, [&](const Candidate& c) {
            return count[CallJoint::key_of(c.op, c.joining)] < 2;
        });
        return candidates;
    }

    void add(mlir::Operation& op) {
        llvm::SmallVector<int> predecessors;
        for (mlir::Value operand : op.getOperands())
            if (mlir::Operation* producer = operand.getDefiningOp())
                predecessors.push_back(nodes_.lookup(producer));
        nodes_[&op] = graph_.add(predecessors);
        operations_.push_back(&op);
    }

    void join(mlir::Operation* op, const Joining& joining) {
        llvm::SmallVector<CallJoint>& joints = groups_.of(op, joining);
        size_t first = joints.size() - std::min(joints.size(), joints_tried);
        for (size_t i = joints.size(); i-- > first;) {
            CallJoint pair{{joints[i].calls.back(), op}, joining};
            pair.choose_order();
            auto text = [&] { return place_of(op) + " with " + place_of(joints[i].calls[0]); };
            if (!pays(pair) || needs(op, joints[i]) ||
                !ChangeLimit::instance().allows("join-calls", text))
                continue;
            if (!graph_.try_merge(nodes_[joints[i].calls[0]], nodes_[op])) continue;
            joints[i].calls.push_back(op);
            return;
        }
        joints.push_back({{op}, joining});
    }

    /// True when an operand of `op` is computed in the joint.
    bool needs(mlir::Operation* op, const CallJoint& joint) {
        int cluster = graph_.find(nodes_[joint.calls[0]]);
        return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
            mlir::Operation* producer = operand.getDefiningOp();
            return producer && graph_.find(nodes_[producer]) == cluster;
        });
    }

    std::vector<CallJoint> rewrite() {
        std::vector<CallJoint> joined;
        llvm::DenseMap<mlir::Operation*, CallJoint*> joint_of;
        for (llvm::SmallVector<CallJoint>& joints : groups_.all())
            for (CallJoint& joint : joints)
                if (joint.calls.size() > 1)
                    for (mlir::Operation* call : joint.calls) joint_of[call] = &joint;
        if (joint_of.empty()) return joined;
        mlir::Operation* end = block_.getTerminator();
        for (const std::vector<int>& cluster : graph_.clusters()) {
            CallJoint* joint = joint_of.lookup(operations_[cluster[0]]);
            if (!joint) {
                operations_[cluster[0]]->moveBefore(end);
                continue;
            }
            for (mlir::Operation* call : joint->calls) call->moveBefore(end);
            joint->choose_order();
            replace_by_slices(*joint, end);
            joined.push_back(*joint);
        }
        return joined;
    }

    static void replace_by_slices(const CallJoint& joint, mlir::Operation* end) {
        mlir::OpBuilder builder(end);
        mlir::Value all = joint.build(builder)->getResult(0);
        int64_t begin = 0;
        for (mlir::Operation* call : joint.calls) {
            auto type = llvm::cast<mlir::RankedTensorType>(call->getResult(0).getType());
            llvm::SmallVector<int64_t> begins(type.getRank(), 0), steps(type.getRank(), 1);
            begins[joint.joining.output] = begin;
            begin += type.getDimSize(joint.joining.output);
            auto function = call->getAttrOfType<mlir::StringAttr>("function");
            call->getResult(0).replaceAllUsesWith(
                ir::SliceOp::create(builder, call->getLoc(), type, function, all, begins, steps));
        }
    }

    mlir::Block& block_;
    ClusterGraph graph_;
    llvm::DenseMap<mlir::Operation*, int> nodes_;
    std::vector<mlir::Operation*> operations_;
    Groups groups_;
};

/// Additions of results of calls: sum_t f(a_t, b_t) becomes one call on the concatenated a_t and
/// b_t, if the op declares that.
class Sums {
public:
    explicit Sums(mlir::Block& block) : block_(block) {}

    std::vector<CallJoint> run() {
        std::vector<CallJoint> joined;
        for (mlir::Operation& op : llvm::make_early_inc_range(block_))
            if (is_sum(&op)) join_terms(llvm::cast<ir::MapOp>(op), joined);
        return joined;
    }

private:
    /// The call that computes `term` only for this sum, through a reshape that drops leading
    /// dimensions of size 1.
    static mlir::Operation* call_of(mlir::Value term) {
        if (!term.hasOneUse()) return nullptr;
        auto reshape = term.getDefiningOp<ir::ReshapeOp>();
        if (!reshape) return term.getDefiningOp();
        auto shape = [](mlir::Value v) {
            return aligned_shape(llvm::cast<mlir::RankedTensorType>(v.getType()).getShape());
        };
        mlir::Value source = reshape.getInput();
        return source.hasOneUse() && shape(source) == shape(term) ? source.getDefiningOp()
                                                                  : nullptr;
    }

    static void join_terms(ir::MapOp root, std::vector<CallJoint>& joined) {
        llvm::SmallVector<mlir::Value> terms = terms_of(root);
        Groups groups;
        llvm::DenseMap<mlir::Operation*, mlir::Value> term_of;
        for (mlir::Value term : terms) {
            mlir::Operation* op = call_of(term);
            if (!op) continue;
            term_of[op] = term;
            for (const Joining& joining : CallJoint::joinings_of(op)) {
                if (joining.output != Joining::sum) continue;
                llvm::SmallVector<CallJoint>& joints = groups.of(op, joining);
                if (joints.empty()) joints.push_back({{}, joining});
                joints[0].calls.push_back(op);
            }
        }
        ReplacedTerms replaced;
        mlir::OpBuilder builder(root);
        for (llvm::SmallVector<CallJoint>& joints : groups.all()) {
            CallJoint& joint = joints[0];
            if (joint.calls.size() < 2) continue;
            mlir::Value first = term_of[joint.calls[0]];
            joint.choose_order();
            if (!pays(joint) ||
                llvm::any_of(joint.calls, [&](auto* c) { return replaced.contains(term_of[c]); }))
                continue;
            if (!ChangeLimit::instance().allows("join-calls", [&] { return text_of(joint); }))
                continue;
            for (mlir::Operation* call : joint.calls) replaced[term_of[call]] = {};
            replaced[first] =
                with_type(first.getType(), joint.build(builder)->getResult(0), root, builder);
            joined.push_back(joint);
        }
        if (!replaced.empty()) rebuild_sum(root, terms, replaced);
    }

    mlir::Block& block_;
};

class JoinCallsPass : public impl::JoinCallsBase<JoinCallsPass> {
public:
    JoinCallsPass() = default;
    explicit JoinCallsPass(std::vector<std::string>* notes) : notes_(notes) {}

    mlir::LogicalResult initialize(mlir::MLIRContext* context) override {
        forms_ = canonical_forms(context);
        return mlir::success();
    }

    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        mlir::Block& block = getOperation().getBody().front();
        const std::vector<std::string> slices = join_slices(block);
        if (notes_) notes_->insert(notes_->end(), slices.begin(), slices.end());
        std::vector<CallJoint> siblings = Siblings(block).run();
        note(siblings);
        for (const CallJoint& joint : siblings)
            for (mlir::Operation* call : joint.calls) call->erase();
        // After siblings were joined, because sums can share their joined operands.
        std::vector<CallJoint> sums = Sums(block).run();
        note(sums);
        // After sums of calls, which leave fewer terms.
        const std::vector<std::string> scattered = join_scattered(block);
        if (notes_) notes_->insert(notes_->end(), scattered.begin(), scattered.end());
        // Cleans up: slices concatenated again, operands joined twice, and the calls that were
        // summed.
        if (!slices.empty() || !siblings.empty() || !sums.empty()) clean(block);
        // Last, because the rows of a loop's steps are one matrix only now.
        const std::vector<std::string> rows = join_rows(block);
        if (notes_) notes_->insert(notes_->end(), rows.begin(), rows.end());
        if (!rows.empty()) clean(block);
    }

private:
    void clean(mlir::Block& block) {
        canonicalize(block, forms_);
        remove_common(block);
    }
    void note(const std::vector<CallJoint>& joints) {
        for (const CallJoint& joint : joints)
            if (notes_) notes_->push_back(text_of(joint));
    }

    std::vector<std::string>* notes_ = nullptr;
    mlir::FrozenRewritePatternSet forms_;
};

}  // namespace

std::unique_ptr<mlir::Pass> create_join_calls_pass(std::vector<std::string>* notes) {
    return std::make_unique<JoinCallsPass>(notes);
}

}  // namespace catena::passes
