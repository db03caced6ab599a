#include "runtime/cpu/blocks/map_kernel.h"

#include <algorithm>
#include <cstddef>

#include "runtime/core/array/loop_nest.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/cpu/blocks/across.h"
#include "runtime/cpu/blocks/block_program.h"

namespace catena {

namespace {

/// The work that is worth a thread, in nanoseconds.
constexpr double worthwhile_nanoseconds = 30'000;
constexpr int64_t longest_block = 1024;
constexpr size_t cache_bytes = size_t(20)
                               << 10;  ///< Of the first-level cache, for intermediate results.
/// Intermediate results of so many bytes lie on the stack: memory costs more than a short map.
constexpr size_t bytes_on_stack = 4096;
constexpr int64_t shortest_row = 96;  ///< Shorter rows are gathered into blocks.

std::byte* address_of(const Array& array) {
    const ArrayBody& body = *array.body();
    return static_cast<std::byte*>(body.storage->data) +
           body.offset * int64_t(size_of(body.type.dtype));
}

/// Whether elements of the dtype are stored in the compute type.
bool is_stored_as(Dtype dtype, Compute compute) {
    switch (compute) {
        case Compute::float32:
            return dtype == Dtype::float32;
        case Compute::float64:
            return dtype == Dtype::float64;
        default:
            return dtype == Dtype::int64;
    }
}

/// The memory of a running program's slots. One frame per thread.
struct Frame {
    const void** at;   ///< The address of each slot's elements.
    uint64_t* values;  ///< Room for a single element of each slot.
    bool* uniform;     ///< Whether a single element of a slot stands for all.

    void* value(int32_t slot) { return &values[slot]; }
    void set_uniform(int32_t slot) {
        at[slot] = &values[slot];
        uniform[slot] = true;
    }
};

#define CATENA_FRAME(frame, slots)                                                      \
    Frame frame {                                                                       \
        static_cast<const void**>(__builtin_alloca(sizeof(void*) * size_t(slots))),     \
            static_cast<uint64_t*>(__builtin_alloca(sizeof(uint64_t) * size_t(slots))), \
            static_cast<bool*>(__builtin_alloca(size_t(slots)))                         \
    }

/// Scalars, literals and values that depend only on them.
void run_prologue(const BlockProgram& program, std::span<const double> scalars, Frame& frame) {
    for (const BlockProgram::Literal& literal : program.literals) {
        frame.values[literal.slot] = literal.bits;
        frame.set_uniform(literal.slot);
    }
    for (const BlockProgram::Leaf& scalar : program.scalars) {
        frame.values[scalar.slot] = literal_bits(scalars[size_t(scalar.number)], program.compute);
        frame.set_uniform(scalar.slot);
    }
    for (const BlockProgram::Instruction& each : program.prologue) {
        each.kernel(frame.value(each.to), frame.at[each.args[0]], frame.at[each.args[1]],
                    frame.at[each.args[2]], 1, 0);
        frame.set_uniform(each.to);
    }
}

void store(const BlockProgram& program, const BlockProgram::Output& output, Dtype dtype,
           const Frame& frame, std::byte* to, int64_t n, bool uniform) {
    const auto& table = output.is_bool ? program.kernels->store_truth : program.kernels->store;
    table[size_t(program.compute)][size_t(dtype)](to, frame.at[output.slot], n, uniform);
}

/// Runs a map of one element, which needs no loops, no blocks and no threads.
void run_single(const BlockProgram& program, const KernelCall& call) {
    CATENA_FRAME(frame, program.slot_count);
    run_prologue(program, call.scalars, frame);
    for (const BlockProgram::Leaf& input : program.inputs) {
        const Array& array = call.inputs[size_t(input.number)];
        const void* from = address_of(array);
        if (!is_stored_as(array.dtype(), program.compute)) {
            program.kernels->load[size_t(program.compute)][size_t(array.dtype())](
                frame.value(input.slot), from, 1, 1);
            from = frame.value(input.slot);
        }
        frame.at[input.slot] = from;
    }
    for (const BlockProgram::Instruction& each : program.body) {
        frame.at[each.to] = frame.value(each.to);
        each.kernel(frame.value(each.to), frame.at[each.args[0]], frame.at[each.args[1]],
                    frame.at[each.args[2]], 1, 0);
    }
    for (size_t i = 0; i < program.outputs.size(); ++i)
        store(program, program.outputs[i], call.outputs[i].dtype(), frame,
              address_of(call.outputs[i]), 1, false);
}

/// How the kernels read the elements of an input.
enum class Access : uint8_t {
    in_place,      ///< Dense in the order of the output, and of the right type.
    converted,     ///< Dense in the order of the output.
    single,        ///< The operand is one element for all.
    row_in_place,  ///< Dense within a row.
    row_single,    ///< The operand has one element for each row.
    row_strided,
    gathered,  ///< The operand's rows are too short to stop at each of them.
};

class MapRun {
public:
    MapRun(const BlockProgram& program, const KernelCall& call)
        : program_(program), call_(call), shape_(call.outputs[0].shape()) {}

    void run(int64_t count) {
        plan_inputs(count);
        const size_t buffers = size_t(program_.buffer_count) + staged_;
        const size_t element = size_of(program_.compute);
        block_ = std::clamp<int64_t>(
            int64_t(cache_bytes / (element * (buffers + 1))) & ~int64_t(63), 64, longest_block);
        const auto grain = std::max(int64_t(worthwhile_nanoseconds / program_.nanoseconds), block_);
        block_ = std::min(block_, (count + 63) & ~int64_t(63));
        parallel_for(count, grain, [&](int64_t begin, int64_t end) { run_range(begin, end); });
    }

private:
    struct Input {
        Access access;
        int32_t slot;
        int32_t buffer;  ///< The buffer in which the input is staged, -1 when it is not.
        size_t operand;  ///< The index of the input in the nest.
        const std::byte* data;
        int64_t element;  ///< The size of an element in bytes.
        BlockKernels::Load load;
    };

    bool is_dense(const Array& array) const {
        return array.contiguous() && array.shape() == shape_;
    }

    void plan_inputs(int64_t count) {
        SmallVector<Strides, 6> strides;
        for (const BlockProgram::Leaf& leaf : program_.inputs) {
            const Array& given = call_.inputs[size_t(leaf.number)];
            // A copy, which is transposed in tiles, costs less than elements that are gathered from
            // all over the memory.
            if (lies_across(given)) copies_.push_back(given.as_contiguous());
            const Array& array = lies_across(given) ? copies_.back() : given;
            Input input{
                .access = Access::in_place,
                .slot = leaf.slot,
                .buffer = -1,
                .operand = strides.size(),
                .data = address_of(array),
                .element = int64_t(size_of(array.dtype())),
                .load = program_.kernels->load[size_t(program_.compute)][size_t(array.dtype())]};
            const bool in_place = is_stored_as(array.dtype(), program_.compute);
            if (array.size() == 1)
                input.access = Access::single;
            else if (is_dense(array))
                input.access = in_place ? Access::in_place : Access::converted;
            else {
                input.access = in_place ? Access::row_in_place : Access::row_strided;
                strides.push_back(broadcast_strides(array.shape(), array.strides(), shape_));
            }
            inputs_.push_back(input);
        }
        if (!strides.empty()) plan_rows(strides, count);
        for (Input& input : inputs_)
            if (input.access == Access::converted || input.access == Access::row_strided ||
                input.access == Access::gathered)
                input.buffer = program_.buffer_count + int(staged_++);
    }

    void plan_rows(std::span<const Strides> strides, int64_t count) {
        nest_ = make_loop_nest(shape_, strides);
        by_rows_ = nest_.inner() >= std::min(shortest_row, count);
        for (Input& input : inputs_) {
            if (input.access != Access::row_in_place && input.access != Access::row_strided)
                continue;
            const int64_t step = nest_.inner_stride(input.operand);
            if (!by_rows_)
                input.access = Access::gathered;
            else if (step == 0)
                input.access = Access::row_single;
            else if (step != 1)
                input.access = Access::row_strided;
        }
    }

    void run_range(int64_t begin, int64_t end) const {
        CATENA_FRAME(frame, program_.slot_count);
        run_prologue(program_, call_.scalars, frame);
        const size_t buffer_bytes = size_t(block_) * size_of(program_.compute);
        const size_t bytes = buffer_bytes * (size_t(program_.buffer_count) + staged_);
        alignas(64) std::byte on_stack[bytes_on_stack];
        const bool is_large = bytes > sizeof(on_stack);
        const MemoryBlock scratch = is_large ? allocate_memory(bytes) : MemoryBlock{on_stack};
        auto* const buffers = static_cast<std::byte*>(scratch.data);
        auto* const masks = static_cast<uint8_t*>(__builtin_alloca(program_.body.size()));
        auto* const targets =
            static_cast<std::byte**>(__builtin_alloca(sizeof(void*) * program_.outputs.size()));
        place_results(frame, buffers, buffer_bytes, masks, targets);

        for (int64_t i = begin; i < end;) {
            int64_t n = std::min(block_, end - i);
            int64_t row = 0, column = 0;
            if (by_rows_) {
                row = i / nest_.inner();
                column = i - row * nest_.inner();
                n = std::min(n, nest_.inner() - column);
            }
            for (const Input& input : inputs_)
                bring(input, frame, buffers, buffer_bytes, i, n, row, column);
            for (size_t k = 0; k < targets_count(); ++k)
                if (targets[k])
                    frame.at[program_.outputs[k].slot] =
                        targets[k] + i * int64_t(size_of(program_.compute));
            for (size_t k = 0; k < program_.body.size(); ++k) {
                const BlockProgram::Instruction& each = program_.body[k];
                each.kernel(const_cast<void*>(frame.at[each.to]), frame.at[each.args[0]],
                            frame.at[each.args[1]], frame.at[each.args[2]],
                            frame.uniform[each.to] ? 1 : n, masks[k]);
            }
            for (size_t k = 0; k < targets_count(); ++k) {
                if (targets[k]) continue;
                const BlockProgram::Output& output = program_.outputs[k];
                const Array& array = call_.outputs[k];
                store(program_, output, array.dtype(), frame,
                      address_of(array) + i * int64_t(size_of(array.dtype())), n,
                      frame.uniform[output.slot]);
            }
            i += n;
        }
        if (is_large) free_memory(scratch, bytes);
    }

    size_t targets_count() const { return program_.outputs.size(); }

    /// Decides which values are single elements, allocates results, and chooses the outputs written
    /// in place.
    void place_results(Frame& frame, std::byte* buffers, size_t buffer_bytes, uint8_t* masks,
                       std::byte** targets) const {
        for (const Input& input : inputs_) {
            frame.uniform[input.slot] =
                input.access == Access::single || input.access == Access::row_single;
            if (input.access == Access::single) {
                input.load(frame.value(input.slot), input.data, 1, 1);
                frame.at[input.slot] = frame.value(input.slot);
            }
        }
        for (size_t k = 0; k < program_.body.size(); ++k) {
            const BlockProgram::Instruction& each = program_.body[k];
            uint8_t mask = 0;
            for (int a = 0; a < each.arity; ++a)
                if (frame.uniform[each.args[a]]) mask |= uint8_t(1 << a);
            masks[k] = mask;
            frame.uniform[each.to] = mask == (1 << each.arity) - 1;
            frame.at[each.to] =
                frame.uniform[each.to]
                    ? frame.value(each.to)
                    : buffers + size_t(program_.buffer_of[size_t(each.to)]) * buffer_bytes;
        }
        for (size_t k = 0; k < program_.outputs.size(); ++k) {
            const BlockProgram::Output& output = program_.outputs[k];
            const Array& array = call_.outputs[k];
            const bool in_place = output.computed && !output.is_bool &&
                                  !frame.uniform[output.slot] &&
                                  is_stored_as(array.dtype(), program_.compute);
            targets[k] = in_place ? address_of(array) : nullptr;
        }
    }

    void bring(const Input& input, Frame& frame, std::byte* buffers, size_t buffer_bytes, int64_t i,
               int64_t n, int64_t row, int64_t column) const {
        std::byte* const buffer =
            input.buffer < 0 ? nullptr : buffers + size_t(input.buffer) * buffer_bytes;
        switch (input.access) {
            case Access::single:
                return;
            case Access::in_place:
                frame.at[input.slot] = input.data + i * input.element;
                return;
            case Access::converted:
                input.load(buffer, input.data + i * input.element, n, 1);
                break;
            case Access::gathered:
                gather(input, buffer, i, n);
                break;
            default: {
                const int64_t step = nest_.inner_stride(input.operand);
                const int64_t offset = nest_.row_offset(input.operand, row) + column * step;
                const std::byte* from = input.data + offset * input.element;
                if (input.access == Access::row_in_place) {
                    frame.at[input.slot] = from;
                    return;
                }
                if (input.access == Access::row_single) {
                    input.load(frame.value(input.slot), from, 1, 1);
                    frame.at[input.slot] = frame.value(input.slot);
                    return;
                }
                input.load(buffer, from, n, step);
            }
        }
        frame.at[input.slot] = buffer;
    }

    /// Elements [i, i + n) of the nest, piece of a row by piece of a row.
    void gather(const Input& input, std::byte* buffer, int64_t i, int64_t n) const {
        const LoopNest::Steps& strides = nest_.strides[input.operand];
        const int outer =
            nest_.rank - 2;  // The innermost of the dimensions around a row; none when negative.
        const int64_t inner = nest_.inner(), step = nest_.inner_stride(input.operand);
        const int64_t width = int64_t(size_of(program_.compute));
        int64_t position[max_rank], offset = 0, row = i / inner, column = i - row * inner;
        for (int d = outer; d >= 0; --d) {
            position[d] = row % nest_.sizes[d];
            row /= nest_.sizes[d];
            offset += position[d] * strides[size_t(d)];
        }
        for (int64_t done = 0; done < n; column = 0) {
            const int64_t length = std::min(n - done, inner - column);
            input.load(buffer + done * width, input.data + (offset + column * step) * input.element,
                       length, step);
            done += length;
            for (int d = outer; d >= 0; --d) {
                offset += strides[size_t(d)];
                if (++position[d] < nest_.sizes[d]) break;
                offset -= nest_.sizes[d] * strides[size_t(d)];
                position[d] = 0;
            }
        }
    }

    const BlockProgram& program_;
    const KernelCall& call_;
    const Shape& shape_;
    LoopNest nest_;
    SmallVector<Input, 6> inputs_;
    SmallVector<Array, 1> copies_;  ///< Copies of inputs that lie across the memory.
    size_t staged_ = 0;
    int64_t block_ = longest_block;
    bool by_rows_ = false;
};

/// The compute type of a call, which map_compute_dtype() gives for types; here from arrays and
/// without a list.
Compute compute_of_call(const KernelCall& call) {
    const Dtype output = call.outputs[0].dtype();
    if (call.inputs.empty()) return compute_of(output);
    Dtype inputs = call.inputs[0].dtype();
    for (size_t i = 1; i < call.inputs.size(); ++i)
        if (call.inputs[i].dtype() != inputs) inputs = promote(inputs, call.inputs[i].dtype());
    if (is_float(inputs) || !is_float(output)) return compute_of(inputs);
    return compute_of(output);
}

}  // namespace

Dtype map_compute_dtype(std::span<const Type> inputs, std::span<const Type> outputs) {
    const Dtype output = outputs[0].dtype;
    if (inputs.empty()) return compute_dtype(output);
    Dtype input = inputs[0].dtype;
    for (const Type& each : inputs.subspan(1)) input = promote(input, each.dtype);
    if (is_float(input) || !is_float(output)) return compute_dtype(input);
    return compute_dtype(output);
}

void run_map(const KernelCall& call) {
    const int64_t count = call.outputs[0].size();
    if (count == 0) return;
    const BlockProgram& program = block_program(call.op, compute_of_call(call));
    if (count == 1) return run_single(program, call);
    MapRun(program, call).run(count);
}

}  // namespace catena
