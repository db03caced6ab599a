#include "mlir/IR/Builders.h"

#include "ir/types.h"
#include "passes/in_place.h"
#include "passes/liveness.h"
#include "passes/memory_planner.h"
#include "passes/passes.h"
#include "passes/plan.h"

namespace catena::passes {

#define GEN_PASS_DEF_PLANMEMORY
#include "passes/passes.h.inc"

namespace {

/// Buffers that share memory because each is written over the one before it.
class Chains {
public:
    explicit Chains(const std::vector<Buffer>& buffers) : head_(buffers.size()) {
        for (size_t i = 0; i < buffers.size(); ++i) {
            head_[i] = int(i);
            lifetimes_.push_back({buffers[i].first, buffers[i].last, buffers[i].bytes});
        }
    }
    void append(int buffer, int over) {
        head_[buffer] = head_[over];
        Lifetime& whole = lifetimes_[head_[over]];
        whole.last = std::max(whole.last, lifetimes_[buffer].last);
    }
    int head(int buffer) const { return head_[buffer]; }
    const Lifetime& lifetime(int buffer) const { return lifetimes_[buffer]; }

private:
    std::vector<int> head_;
    std::vector<Lifetime> lifetimes_;
};

class PlanMemoryPass : public impl::PlanMemoryBase<PlanMemoryPass> {
public:
    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        Liveness liveness(getOperation());
        Chains chains(liveness.buffers());
        for (mlir::Operation& op : getOperation().getBody().front()) note_in_place(op, liveness, chains);
        place(liveness, chains);
    }

private:
    void note_in_place(mlir::Operation& op, const Liveness& liveness, Chains& chains) {
        llvm::SmallVector<int64_t> operands = in_place_operands(&op, liveness);
        if (llvm::all_of(operands, [](int64_t operand) { return operand < 0; })) return;
        op.setAttr(in_place_attribute, mlir::DenseI64ArrayAttr::get(&getContext(), operands));
        for (auto [i, operand] : llvm::enumerate(operands)) {
            if (operand < 0) continue;
            int result = liveness.look(op.getResult(i)).buffer;
            int over = liveness.look(op.getOperand(operand)).buffer;
            if (liveness.buffers()[result].place == Buffer::Place::temporary) chains.append(result, over);
        }
    }

    void place(const Liveness& liveness, const Chains& chains) {
        const std::vector<Buffer>& buffers = liveness.buffers();
        std::vector<Lifetime> lifetimes;
        std::vector<int> slot(buffers.size(), -1);
        for (int i = 0; i < int(buffers.size()); ++i) {
            if (buffers[i].place != Buffer::Place::temporary || chains.head(i) != i) continue;
            slot[i] = int(lifetimes.size());
            lifetimes.push_back(chains.lifetime(i));
        }
        MemoryPlan plan = plan_memory(lifetimes);
        llvm::DenseMap<mlir::Operation*, llvm::SmallVector<int64_t>> offsets;
        for (int i = 0; i < int(buffers.size()); ++i) {
            mlir::Operation* op = buffers[i].root.getDefiningOp();
            if (!op) continue;
            int head = slot[chains.head(i)];
            offsets[op].push_back(head < 0 ? -1 : plan.offsets[head]);
        }
        for (auto& [op, list] : offsets)
            op->setAttr(offsets_attribute, mlir::DenseI64ArrayAttr::get(&getContext(), list));
        getOperation()->setAttr(arena_attribute,
                                mlir::IntegerAttr::get(mlir::IntegerType::get(&getContext(), 64), plan.bytes));
    }
};

}  // namespace

}  // namespace catena::passes
