#include "runtime/program/executable.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>

#include "runtime/core/device.h"
#include "runtime/core/parallel.h"

namespace catena::program {

namespace {

// A second thread costs a few microseconds to wake.
constexpr double threading_nanoseconds = 30'000;
constexpr double chunk_nanoseconds = 5'000;
constexpr int64_t most_chunks = 256;

/// Memory of the calling thread, at least `bytes`, aligned for vectors; what was in it may be gone.
void* thread_scratch(int64_t bytes) {
    struct Free {
        void operator()(void* block) const { std::free(block); }
    };
    thread_local std::unique_ptr<void, Free> block;
    thread_local int64_t size = 0;
    if (bytes > size) {
        size = (bytes + 4095) / 4096 * 4096;
        block.reset(std::aligned_alloc(64, size_t(size)));
        if (!block) throw std::bad_alloc();
    }
    return block.get();
}

}  // namespace

ScheduledExecutable::ScheduledExecutable(Schedule schedule) : schedule_(std::move(schedule)) {
    size_t buffers = schedule_.buffers.size();
    addresses_.assign(buffers, nullptr);
    storages_.resize(buffers);
    input_buffers_.assign(schedule_.input_types.size(), -1);
    for (size_t b = 0; b < buffers; ++b)
        if (schedule_.buffers[b].place == Buffer::Place::input)
            input_buffers_[size_t(schedule_.buffers[b].index)] = int(b);
    copies_.resize(input_buffers_.size());
    bind_kernels();
    bind_library_calls();
    bind_launches();
}

void ScheduledExecutable::bind_kernels() {
    for (const KernelLaunch& kernel : schedule_.kernels) {
        for (const KernelLaunch::Operand& operand : kernel.operands)
            patches_.push_back({operand.buffer, operand.byte_offset});
        scalar_indices_.insert(scalar_indices_.end(), kernel.scalars.begin(), kernel.scalars.end());
    }
    pointers_.resize(patches_.size());
    scalar_values_.resize(scalar_indices_.size());
    size_t pointer = 0, scalar = 0;
    for (const KernelLaunch& kernel : schedule_.kernels) {
        arguments_.push_back({pointers_.data() + pointer, scalar_values_.data() + scalar, kernel.numbers.data()});
        pointer += kernel.operands.size();
        scalar += kernel.scalars.size();
    }
}

Array ScheduledExecutable::bound_array(const View& view) {
    std::optional<BorrowedStorage>& storage = storages_[size_t(view.buffer)];
    if (!storage) storage.emplace(nullptr, schedule_.buffers[size_t(view.buffer)].bytes, cpu_device());
    return storage->array(view.type, view.strides, view.offset);
}

void ScheduledExecutable::bind_library_calls() {
    for (const LibraryCall& call : schedule_.library_calls) {
        BoundCall bound;
        bound.call = &call;
        for (const View& view : call.inputs) bound.inputs.push_back(bound_array(view));
        for (const View& view : call.outputs) bound.outputs.push_back(bound_array(view));
        bound.scalars.resize(call.scalars.size());
        calls_.push_back(std::move(bound));
    }
}

void ScheduledExecutable::bind_launches() {
    for (const Launch& launch : schedule_.launches) {
        Batch batch;
        batch.library_call = launch.library_call;
        double total = 0;
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = schedule_.kernels[size_t(k)];
            total += kernel.unit_nanoseconds * double(kernel.units);
        }
        double chunk = std::max(chunk_nanoseconds, total / double(most_chunks));
        if (total < threading_nanoseconds) chunk = total + 1;
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = schedule_.kernels[size_t(k)];
            int64_t units = std::max<int64_t>(int64_t(chunk / kernel.unit_nanoseconds), 1);
            for (int64_t begin = 0; begin < kernel.units; begin += units)
                batch.chunks.push_back({k, begin, std::min(begin + units, kernel.units)});
        }
        int64_t count = int64_t(batch.chunks.size());
        batch.grain = total < threading_nanoseconds ? count : 1;
        batches_.push_back(std::move(batch));
    }
}

void ScheduledExecutable::place_inputs(std::span<const Array> inputs) {
    if (inputs.size() != input_buffers_.size())
        throw InternalError(fmt::format("compiled program: {} inputs given, {} expected", inputs.size(),
                                        input_buffers_.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Array* array = &inputs[i];
        const Type& expected = schedule_.input_types[i];
        if (array->dtype() != expected.dtype)
            fail<DtypeError>("compiled program: input {} is {}, it was compiled for {}", i,
                             to_string(array->type()), to_string(expected));
        if (!(array->shape() == expected.shape))
            fail<ShapeError>("compiled program: input {} is {}, it was compiled for {}", i,
                             to_string(array->type()), to_string(expected));
        if (!array->contiguous()) array = &(copies_[i] = array->as_contiguous());
        addresses_[size_t(input_buffers_[i])] = static_cast<char*>(array->raw_data());
    }
}

void ScheduledExecutable::place_outputs(std::span<const Array> inputs, std::span<const bool> donated,
                                        std::span<Array> outputs) {
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input >= 0) {
            outputs[r] = inputs[size_t(result.input)];
            continue;
        }
        const Buffer& buffer = schedule_.buffers[size_t(result.view.buffer)];
        if (buffer.index != int(r)) {  // Another look at an earlier result.
            const Array& owner = outputs[size_t(buffer.index)];
            outputs[r] = owner.type() == result.view.type
                             ? owner
                             : owner.view(result.view.type.shape, result.view.strides, owner.body()->offset);
            continue;
        }
        size_t donor = size_t(buffer.donor);
        bool takes_over = buffer.donor >= 0 && donor < donated.size() && donated[donor] &&
                          inputs[donor].contiguous() && inputs[donor].type() == result.view.type &&
                          uintptr_t(inputs[donor].raw_data()) % 64 == 0;
        outputs[r] = takes_over ? inputs[donor] : Array::empty(result.view.type, cpu_device());
        addresses_[size_t(result.view.buffer)] = static_cast<char*>(outputs[r].raw_data());
    }
}

void ScheduledExecutable::run_batch(const Batch& batch, std::span<const double> scalars) {
    if (batch.library_call >= 0) {
        BoundCall& bound = calls_[size_t(batch.library_call)];
        for (size_t s = 0; s < bound.scalars.size(); ++s)
            bound.scalars[s] = scalars[size_t(bound.call->scalars[s])];
        LocationScope location(bound.call->location);
        const OpDef& op = *bound.call->op;
        op.kernel(KernelCall{op, bound.inputs, bound.outputs, bound.call->attributes, bound.scalars});
        return;
    }
    auto run_chunks = [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
            const Chunk& chunk = batch.chunks[size_t(c)];
            const KernelLaunch& kernel = schedule_.kernels[size_t(chunk.kernel)];
            KernelArguments arguments = arguments_[size_t(chunk.kernel)];
            if (kernel.row_scratch_bytes) arguments.row_scratch = thread_scratch(kernel.row_scratch_bytes);
            kernel.function(&arguments, chunk.begin, chunk.end);
        }
    };
    int64_t count = int64_t(batch.chunks.size());
    if (count <= batch.grain)
        run_chunks(0, count);
    else
        parallel_for(count, batch.grain, run_chunks);
}

void ScheduledExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                              std::span<const bool> donated, std::span<Array> outputs) {
    std::lock_guard lock(mutex_);
    place_inputs(inputs);
    place_outputs(inputs, donated, outputs);
    Ref<Storage> arena;
    if (schedule_.arena_bytes) arena = cpu_device().allocate(schedule_.arena_bytes);
    char* base = arena ? static_cast<char*>(arena->data) : nullptr;
    for (size_t b = 0; b < addresses_.size(); ++b) {
        const Buffer& buffer = schedule_.buffers[b];
        if (buffer.place == Buffer::Place::arena) addresses_[b] = base + buffer.offset;
        if (storages_[b]) storages_[b]->move_to(addresses_[b]);
    }
    for (size_t p = 0; p < patches_.size(); ++p)
        pointers_[p] = addresses_[size_t(patches_[p].buffer)] + patches_[p].byte_offset;
    for (size_t s = 0; s < scalar_indices_.size(); ++s)
        scalar_values_[s] = scalars[size_t(scalar_indices_[s])];
    for (const Batch& batch : batches_) run_batch(batch, scalars);
    for (Array& copy : copies_)
        if (copy.defined()) copy = Array();
}

}  // namespace catena::program
