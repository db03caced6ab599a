#include "runtime/cpu/blocks/block_program.h"

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"

namespace catena {

namespace {

/// Estimated costs on one core, to choose the number of threads.
double cost_of(Intrinsic op, Compute compute) {
    switch (op) {
        case Intrinsic::exp:
        case Intrinsic::expm1:
        case Intrinsic::log:
        case Intrinsic::log1p:
        case Intrinsic::sin:
        case Intrinsic::cos:
        case Intrinsic::tanh:
        case Intrinsic::erf:
        case Intrinsic::erfc:
            return compute == Compute::float32 ? 0.5 : 8;
        case Intrinsic::pow:
        case Intrinsic::fmod:
            return 12;
        case Intrinsic::div:
        case Intrinsic::sqrt:
        case Intrinsic::rsqrt:
            return compute == Compute::int64 ? 4 : 0.3;
        default:
            return compute == Compute::float32 ? 0.04 : 0.08;
    }
}

class ProgramMaker {
public:
    ProgramMaker(const OpDef& op, Compute compute) : formula_(op.formula) {
        program_.op = &op;
        program_.compute = compute;
        program_.kernels = &block_kernels();
        program_.slot_count = int(formula_.nodes.size());
    }

    BlockProgram make() {
        find_uses();
        for (int32_t id = 0; id < program_.slot_count; ++id) add(id);
        assign_buffers();
        add_outputs();
        program_.nanoseconds += 0.1 * double(program_.inputs.size() + program_.outputs.size());
        return std::move(program_);
    }

private:
    /// last_use_[id]: the last node that reads it, slot_count when an output does, -1 when nobody
    /// does.
    void find_uses() {
        last_use_.assign(formula_.nodes.size(), -1);
        for (int32_t output : formula_.outputs) last_use_[size_t(output)] = program_.slot_count;
        for (int32_t id = program_.slot_count - 1; id >= 0; --id) {
            const Formula::Node& node = formula_.nodes[size_t(id)];
            if (node.leaf != Formula::Leaf::none || last_use_[size_t(id)] < 0) continue;
            for (int k = 0; k < info_of(node.op).arity; ++k) {
                int32_t& last = last_use_[size_t(node.args[size_t(k)])];
                last = std::max(last, id);
            }
        }
    }

    void add(int32_t id) {
        const Formula::Node& node = formula_.nodes[size_t(id)];
        uniform_.push_back(node.leaf == Formula::Leaf::scalar ||
                           node.leaf == Formula::Leaf::literal);
        if (last_use_[size_t(id)] < 0) return;
        switch (node.leaf) {
            case Formula::Leaf::input:
                program_.inputs.push_back({id, node.args[0]});
                return;
            case Formula::Leaf::scalar:
                program_.scalars.push_back({id, node.args[0]});
                return;
            case Formula::Leaf::literal:
                program_.literals.push_back({id, literal_bits(node.literal, program_.compute)});
                return;
            case Formula::Leaf::none:
                break;
        }
        const int arity = info_of(node.op).arity;
        BlockProgram::Instruction instruction{
            .kernel = program_.kernels->operation[int(program_.compute)][int(node.op)],
            .to = id,
            .args = {node.args[0], node.args[arity > 1 ? 1 : 0], node.args[arity > 2 ? 2 : 0]},
            .arity = arity};
        bool uniform = true;
        for (int k = 0; k < arity; ++k) uniform = uniform && uniform_[size_t(node.args[size_t(k)])];
        uniform_.back() = uniform;
        (uniform ? program_.prologue : program_.body).push_back(instruction);
        if (!uniform) program_.nanoseconds += cost_of(node.op, program_.compute);
    }

    /// A buffer is free again after the last use; an instruction may write where it reads.
    void assign_buffers() {
        program_.buffer_of.assign(formula_.nodes.size(), -1);
        std::vector<int32_t> free;
        for (const BlockProgram::Instruction& instruction : program_.body) {
            for (int k = 0; k < instruction.arity; ++k) {
                const int32_t arg = instruction.args[k];
                const int32_t buffer = program_.buffer_of[size_t(arg)];
                const bool repeated =
                    (k > 0 && instruction.args[0] == arg) || (k > 1 && instruction.args[1] == arg);
                if (buffer >= 0 && !repeated && last_use_[size_t(arg)] == instruction.to)
                    free.push_back(buffer);
            }
            if (free.empty()) free.push_back(program_.buffer_count++);
            program_.buffer_of[size_t(instruction.to)] = free.back();
            free.pop_back();
        }
    }

    void add_outputs() {
        for (int32_t id : formula_.outputs) {
            bool computed = program_.buffer_of[size_t(id)] >= 0;
            for (const BlockProgram::Output& earlier : program_.outputs)
                computed = computed && earlier.slot != id;
            program_.outputs.push_back({id, formula_.nodes[size_t(id)].is_bool, computed});
        }
    }

    const Formula& formula_;
    BlockProgram program_;
    std::vector<int32_t> last_use_;
    std::vector<bool> uniform_;
};

/// Programs of registered ops by their dense id, read without a lock.
class ProgramTable {
public:
    ProgramTable() { taken_by_forks(mutex_); }
    const BlockProgram* find(const OpDef& op, Compute compute) const {
        if (op.id >= capacity) return nullptr;
        const BlockProgram* program =
            slots_[op.id][size_t(compute)].load(std::memory_order_acquire);
        return program && program->op == &op ? program : nullptr;
    }

    /// The program of an op that is added to the table; null when the op is not a registered one,
    /// whose address could come to mean another op.
    const BlockProgram* add(const OpDef& op, Compute compute) {
        if (op.id >= capacity || find_op(op.name) != &op) return nullptr;
        const std::lock_guard lock(mutex_);
        if (const BlockProgram* present = find(op, compute)) return present;
        const auto* program = new BlockProgram(ProgramMaker(op, compute).make());
        slots_[op.id][size_t(compute)].store(program, std::memory_order_release);
        return program;
    }

private:
    static constexpr size_t capacity = 4096;
    std::array<std::array<std::atomic<const BlockProgram*>, compute_count>, capacity> slots_{};
    std::mutex mutex_;
};

ProgramTable programs;

}  // namespace

uint64_t literal_bits(double value, Compute compute) {
    switch (compute) {
        case Compute::float32:
            return std::bit_cast<uint32_t>(float(value));
        case Compute::float64:
            return std::bit_cast<uint64_t>(value);
        default:
            return uint64_t(int64_t(value));
    }
}

const BlockProgram& block_program(const OpDef& op, Compute compute) {
    if (const BlockProgram* program = programs.find(op, compute)) return *program;
    if (const BlockProgram* program = programs.add(op, compute)) return *program;
    static constinit PerThread<std::unique_ptr<BlockProgram>> unregistered;
    return *(unregistered.get() = std::make_unique<BlockProgram>(ProgramMaker(op, compute).make()));
}

}  // namespace catena
