#include "passes/fuse/fuse.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/DenseSet.h"

#include "passes/analysis/change_limit.h"
#include "passes/analysis/cluster_graph.h"
#include "passes/analysis/place.h"
#include "passes/analysis/sweep.h"
#include "passes/fuse/group_builder.h"
#include "passes/fuse/levels.h"
#include "passes/passes.h"

namespace catena::passes {

#define GEN_PASS_DEF_FUSE
#include "passes/passes.h.inc"

namespace {

/// Larger kernels compile slowly without benefit.
constexpr size_t max_members = 512;
/// A group keeps all its inputs alive until it runs: a sum over the steps of a loop would keep
/// every step's term. So a group reads at most this many arrays.
constexpr size_t max_inputs = 12;
/// The number of latest operations sharing an input that are tried as siblings.
constexpr size_t siblings_tried = 4;

/// Gathers the operations of one block into clusters, in one walk in program order: each operation
/// joins the clusters that produce its operands where that is allowed, then clusters that read the
/// same values.
class Fusion {
public:
    explicit Fusion(mlir::Block& block) : levels_(block) {
        for (mlir::Operation& op : block)
            if (takes_part(op)) add(op);
        for (int node = 0; node < graph_.size(); ++node)
            if (sweep(node)) gather(node);
    }

    /// Leaves the block with a group for each cluster, in an order that respects the dependences.
    void rewrite(mlir::Operation* insertion_point) {
        for (const std::vector<int>& cluster : graph_.clusters()) {
            llvm::SmallVector<mlir::Operation*> members;
            for (int node : cluster) members.push_back(operations_[node]);
            if (sweep(cluster[0]))
                build_group(members, *sweep(cluster[0]), insertion_point);
            else
                members[0]->moveBefore(insertion_point);
        }
    }

    /// Why an operation is not fused with the producer of its operand.
    struct Note {
        mlir::Operation* op;
        std::string text;
    };
    std::vector<Note> notes() {
        std::vector<Note> result;
        for (const Refusal& refusal : refusals_) {
            if (graph_.find(refusal.producer) == graph_.find(refusal.consumer)) continue;
            mlir::Operation* op = operations_[refusal.consumer];
            const std::string place = place_of(op),
                              producer = place_of(operations_[refusal.producer]);
            result.push_back(
                {op, place == producer
                         ? "parts of " + place + " are not fused: " + refusal.reason
                         : place + " is not fused with " + producer + ": " + refusal.reason});
        }
        return result;
    }

private:
    struct Refusal {
        int producer, consumer;
        std::string reason;
    };

    /// Scalars stay at the front; assignments and the terminator at the end.
    static bool takes_part(mlir::Operation& op) {
        return !llvm::isa<ir::ScalarOp, ir::AssignOp>(op) &&
               !op.hasTrait<mlir::OpTrait::IsTerminator>();
    }

    void add(mlir::Operation& op) {
        llvm::SmallVector<int> predecessors;
        for (mlir::Value operand : op.getOperands())
            if (int p = node_of(operand.getDefiningOp()); p >= 0) predecessors.push_back(p);
        int node = graph_.add(predecessors);
        nodes_[&op] = node;
        operations_.push_back(&op);
        sweeps_.push_back(Sweep::of(&op));
        members_.push_back({node});
        llvm::DenseSet<mlir::Value>& inputs = inputs_.emplace_back();
        for (mlir::Value operand : op.getOperands())
            if (llvm::isa<mlir::RankedTensorType>(operand.getType())) inputs.insert(operand);
    }

    int node_of(mlir::Operation* op) const {
        auto found = nodes_.find(op);
        return found == nodes_.end() ? -1 : found->second;
    }
    std::optional<Sweep>& sweep(int node) { return sweeps_[graph_.find(node)]; }

    void gather(int node) {
        mlir::Operation* op = operations_[node];
        for (mlir::Value operand : op->getOperands()) {
            int producer = node_of(operand.getDefiningOp());
            if (producer >= 0 && sweep(producer)) join_producer(producer, node);
        }
        for (mlir::Value operand : op->getOperands()) join_siblings(operand, node);
    }

    void join_producer(int producer, int node) {
        std::string reason = "it is computed later, with the operations that read it";
        bool waits = levels_.is_late(operations_[node]) &&
                     levels_.of(operations_[producer]) < levels_.of(operations_[node]);
        if (waits || !join(producer, node, reason))
            refusals_.push_back({producer, node, std::move(reason)});
    }

    void join_siblings(mlir::Value operand, int node) {
        auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
        // Reading a small operand twice costs less than a wider group.
        if (!type || aligned_shape(type.getShape()) != sweep(node)->domain) return;
        llvm::SmallVector<int>& readers = readers_[operand];
        std::string reason;
        for (int reader : llvm::reverse(llvm::ArrayRef(readers).take_back(siblings_tried)))
            if (levels_.of(operations_[reader]) == levels_.of(operations_[node]) &&
                sweep(reader)->domain == sweep(node)->domain)
                join(reader, node, reason);
        readers.push_back(node);
    }

    bool join(int a, int b, std::string& reason) {
        a = graph_.find(a), b = graph_.find(b);
        if (a == b) return true;
        std::optional<Sweep> merged = merge(*sweeps_[a], *sweeps_[b], reason);
        if (!merged) return false;
        if (members_[a].size() + members_[b].size() > max_members) {
            reason = "the group would exceed " + std::to_string(max_members) + " operations";
            return false;
        }
        llvm::DenseSet<mlir::Value> inputs = merged_inputs(a, b);
        if (inputs.size() > max_inputs) {
            reason = "the group would read more than " + std::to_string(max_inputs) + " arrays";
            return false;
        }
        if (!merged->may_read_back() && reads_back(*merged, a, b)) {
            reason = "a reduced value would be read before its reduction has finished";
            return false;
        }
        if (merged->columns && !columns_end(*merged, a, b)) {
            reason = "a column reduction finishes only after the last row";
            return false;
        }
        auto text = [&] { return place_of(operations_[a]) + " with " + place_of(operations_[b]); };
        if (!ChangeLimit::instance().allows("fuse", text)) {
            reason = "CATENA_PASS_LIMIT";
            return false;
        }
        if (!graph_.try_merge(a, b)) {
            reason = "an operation between them, which cannot be fused, depends on the first";
            return false;
        }
        unite(a, b, std::move(*merged), std::move(inputs));
        return true;
    }

    /// The outside inputs of the two clusters when merged.
    llvm::DenseSet<mlir::Value> merged_inputs(int a, int b) {
        llvm::DenseSet<mlir::Value> inputs;
        for (auto [from, other] : {std::pair(a, b), std::pair(b, a)})
            for (mlir::Value input : inputs_[from])
                if (!in_cluster(input.getDefiningOp(), other)) inputs.insert(input);
        return inputs;
    }

    void unite(int a, int b, Sweep merged, llvm::DenseSet<mlir::Value> inputs) {
        int kept = graph_.find(a), absorbed = kept == a ? b : a;
        sweeps_[kept] = std::move(merged);
        inputs_[kept] = std::move(inputs);
        std::vector<int>& members = members_[kept];
        members.insert(members.end(), members_[absorbed].begin(), members_[absorbed].end());
        members_[absorbed] = {};
    }

    /// True when an edge between the two clusters leads from a reduced value to work over the
    /// domain.
    bool reads_back(const Sweep& merged, int a, int b) {
        if (merged.reduced == 0) return false;
        if (members_[a].size() > members_[b].size()) std::swap(a, b);
        for (int node : members_[a]) {
            mlir::Operation* op = operations_[node];
            for (mlir::Value operand : op->getOperands())
                if (in_cluster(operand.getDefiningOp(), b) && reads_back(merged, operand, op))
                    return true;
            for (mlir::OpOperand& use : op->getUses())
                if (in_cluster(use.getOwner(), b) && reads_back(merged, use.get(), use.getOwner()))
                    return true;
        }
        return false;
    }

    /// True when nothing in the two clusters reads a column reduction of the merged sweep.
    bool columns_end(const Sweep& merged, int a, int b) {
        for (int cluster : {a, b})
            for (int node : members_[cluster]) {
                auto reduce = llvm::dyn_cast<ir::ReduceOp>(operations_[node]);
                if (!reduce || Sweep::of(reduce)->reduced != merged.kept()) continue;
                for (mlir::Operation* user : reduce->getUsers())
                    if (in_cluster(user, a) || in_cluster(user, b)) return false;
            }
        return true;
    }
    bool in_cluster(mlir::Operation* op, int cluster) {
        int node = node_of(op);
        return node >= 0 && graph_.find(node) == cluster;
    }
    static bool reads_back(const Sweep& merged, mlir::Value value, mlir::Operation* reader) {
        auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
        return aligned_shape(type.getShape()) != merged.domain &&
               Sweep::of(reader)->domain == merged.domain;
    }

    Levels levels_;
    ClusterGraph graph_;
    llvm::DenseMap<mlir::Operation*, int> nodes_;
    // By node:
    std::vector<mlir::Operation*> operations_;
    // By representative of a cluster:
    std::vector<std::optional<Sweep>> sweeps_;
    std::vector<std::vector<int>> members_;
    std::vector<llvm::DenseSet<mlir::Value>> inputs_;  ///< Arrays read from outside.
    llvm::DenseMap<mlir::Value, llvm::SmallVector<int>> readers_;
    std::vector<Refusal> refusals_;
};

class FusePass : public impl::FuseBase<FusePass> {
public:
    using FuseBase::FuseBase;
    explicit FusePass(std::vector<std::string>* notes) : notes_(notes) {}

    void runOnOperation() override {
        mlir::func::FuncOp function = getOperation();
        if (function.isExternal()) return;
        mlir::Block& block = function.getBody().front();
        Fusion fusion(block);
        llvm::StringSet<> told;  // Unrolled loops would repeat each note.
        for (const Fusion::Note& note : fusion.notes()) {
            if (remarks) note.op->emitRemark(note.text);
            if (notes_ && told.insert(note.text).second) notes_->push_back(note.text);
        }
        mlir::Operation* end = block.getTerminator();
        fusion.rewrite(end);
        // Assignments read values of groups, which have just been moved after them.
        for (ir::AssignOp assign : llvm::to_vector(block.getOps<ir::AssignOp>()))
            assign->moveBefore(end);
    }

private:
    std::vector<std::string>* notes_ = nullptr;
};

}  // namespace

std::unique_ptr<mlir::Pass> create_fuse_pass(std::vector<std::string>* notes) {
    return std::make_unique<FusePass>(notes);
}

}  // namespace catena::passes
