#include "runtime/program/run/scheduled_executable.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/host_lock.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/kernel_errors.h"
#include "runtime/program/schedule/launch_reports.h"

namespace catena::program {

namespace {

// A NaN in every float, and -1 or the largest number in every integer.
constexpr int poison_byte = 0xFF;

/// The length of a launch from which on other threads of a host language may run meanwhile: some
/// hundred times what it costs to let go of its lock.
constexpr double long_nanoseconds = 20'000;

/// Scratch memory of the calling thread, at least `bytes`, aligned for vectors; its content is not
/// preserved.
void* thread_scratch(int64_t bytes) {
    struct Free {
        void operator()(void* block) const { std::free(block); }
    };
    struct Scratch {
        std::unique_ptr<void, Free> block;
        int64_t size = 0;
    };
    static constinit PerThread<Scratch> of_thread;
    auto& [block, size] = of_thread.get();
    if (bytes > size) {
        size = 0;  // Until there is a block.
        const int64_t larger = (bytes + 4095) / 4096 * 4096;
        block.reset(std::aligned_alloc(64, size_t(larger)));
        if (!block)
            throw OutOfMemory("cpu: a kernel's rows", size_t(larger),
                              cpu_memory_statistics().bytes_reserved);
        size = larger;
    }
    return block.get();
}

}  // namespace

ScheduledExecutable::ScheduledExecutable(Schedule schedule)
    : schedule_(std::move(schedule)), placement_(schedule_, cpu_device(), /*input_alignment=*/1) {
    bind_kernels();
    bind_library_calls();
    bind_launches();
    if (environment::flag("CATENA_POISON", false)) find_dying_buffers();
}

/// Whether others should run meanwhile. Roughly: of library calls the number of elements is known.
bool ScheduledExecutable::is_long() const {
    double sum = 0;
    for (const Batch& batch : batches_) sum += batch.nanoseconds;
    for (const BoundCall& bound : calls_) {
        for (const Array& x : bound.inputs) sum += double(x.size());
        for (const Array& y : bound.outputs) sum += double(y.size());
    }
    return sum > long_nanoseconds;
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
        arguments_.push_back(
            {pointers_.data() + pointer, scalar_values_.data() + scalar, kernel.numbers.data()});
        pointer += kernel.operands.size();
        scalar += kernel.scalars.size();
    }
}

void ScheduledExecutable::bind_library_calls() {
    for (const LibraryCall& call : schedule_.library_calls) {
        BoundCall bound;
        bound.call = &call;
        for (const View& view : call.inputs) bound.inputs.push_back(placement_.array(view));
        for (const View& view : call.outputs) bound.outputs.push_back(placement_.array(view));
        bound.scalars.resize(call.scalars.size());
        bound.prepared = prepare(bound.kernel_call());
        calls_.push_back(std::move(bound));
    }
}

void ScheduledExecutable::bind_launches() {
    for (const Launch& launch : schedule_.launches) {
        Batch batch{.library_call = launch.library_call, .kernels = launch.kernels};
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = schedule_.kernels[size_t(k)];
            batch.work.push_back({kernel.units, kernel.unit_nanoseconds});
            batch.nanoseconds += batch.work.back().cost();
        }
        batches_.push_back(std::move(batch));
    }
}

void ScheduledExecutable::run_library_call(BoundCall& bound, std::span<const double> scalars) {
    for (size_t s = 0; s < bound.scalars.size(); ++s)
        bound.scalars[s] = scalars[size_t(bound.call->scalars[s])];
    LocationScope location(bound.call->location);
    const KernelCall call = bound.kernel_call();
    const ShortLivedMemory
        soon_free;  // Its results have their places: what it takes from the pool is scratch.
    if (bound.prepared)
        with_kernel_errors(call, [&] { bound.prepared->run(call, scratch_); });
    else
        cpu_device().launch(call);
}

size_t ScheduledExecutable::wanted_scratch() const {
    size_t most = 0;
    for (const BoundCall& bound : calls_)
        if (bound.prepared) most = std::max(most, bound.prepared->scratch_bytes());
    return most;
}

template <class Next>
void ScheduledExecutable::run_pieces(const Batch& batch, const LaunchTimes* times, Next&& next) {
    std::optional<KernelSlices> slices;
    if (times) slices.emplace(*times);
    for (int64_t p; (p = next()) >= 0;) {
        const WorkPart& piece = batch.pieces.pieces[size_t(p)];
        const int k = batch.kernels[size_t(piece.work)];
        const KernelLaunch& kernel = schedule_.kernels[size_t(k)];
        KernelArguments arguments = arguments_[size_t(k)];
        if (kernel.row_scratch_bytes)
            arguments.row_scratch = thread_scratch(kernel.row_scratch_bytes);
        if (slices) slices->begin(k);
        kernel.function(&arguments, piece.units.begin, piece.units.end);
    }
}

void ScheduledExecutable::run_batch(Batch& batch, std::span<const double> scalars,
                                    const LaunchTimes* times) {
    if (batch.library_call >= 0)
        return run_library_call(calls_[size_t(batch.library_call)], scalars);
    const int threads = threads_for(batch.nanoseconds, thread_count());
    if (batch.pieces.threads() != threads) batch.pieces = divide_launch(batch.work, threads);
    if (threads == 1) {
        const int64_t count = int64_t(batch.pieces.pieces.size());
        return run_pieces(batch, times,
                          [p = int64_t(0), count]() mutable { return p < count ? p++ : -1; });
    }
    shared_.begin(batch.pieces.until);
    parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t)
            run_pieces(batch, times, [&] { return shared_.take(int(t)); });
    });
}

LaunchTimes& ScheduledExecutable::begin_profile() {
    if (!times_) times_ = std::make_unique<LaunchTimes>(schedule_);
    times_->begin_call();
    return *times_;
}

std::vector<LaunchReport> ScheduledExecutable::launches() {
    std::lock_guard lock(mutex_);
    return times_ ? times_->reports() : launch_reports(schedule_);
}

void ScheduledExecutable::find_dying_buffers() {
    dying_.resize(schedule_.launches.size());
    std::vector<bool> taken(schedule_.buffers.size(), false);
    for (const Buffer& buffer : schedule_.buffers)
        if (buffer.over >= 0) taken[size_t(buffer.over)] = true;
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
        const Buffer& buffer = schedule_.buffers[b];
        const bool is_temporary =
            buffer.place == Buffer::Place::arena || buffer.place == Buffer::Place::part;
        if (is_temporary && buffer.last >= 0 && !taken[b])
            dying_[size_t(buffer.last)].push_back(int(b));
    }
}

void ScheduledExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                              std::span<const bool> donated, std::span<Array> outputs) {
    const bool lends = is_long();
    std::optional<WithoutHostLock> others_may_run(std::in_place, lends);
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
        if (!lends) others_may_run.emplace();
        lock.lock();
    }
    LaunchTimes* const times = profile::is_on() ? &begin_profile() : nullptr;
    placement_.place_inputs(inputs);
    placement_.place_outputs(inputs, donated, outputs);
    const Temporaries temporaries = placement_.place_temporaries(wanted_scratch());
    scratch_ = temporaries.scratch;
    for (size_t p = 0; p < patches_.size(); ++p)
        pointers_[p] = placement_.address(patches_[p].buffer) + patches_[p].byte_offset;
    for (size_t s = 0; s < scalar_indices_.size(); ++s)
        scalar_values_[s] = scalars[size_t(scalar_indices_[s])];
    if (temporaries.block && !dying_.empty())
        std::memset(temporaries.block->data, poison_byte, schedule_.arena_bytes);
    for (size_t l = 0; l < batches_.size(); ++l) {
        const profile::Clock::time_point begin =
            times ? profile::Clock::now() : profile::Clock::time_point();
        run_batch(batches_[l], scalars, times);
        if (times) times->add_launch(l, begin);
        if (!dying_.empty())
            for (int b : dying_[l])
                std::memset(placement_.address(b), poison_byte, schedule_.buffers[size_t(b)].bytes);
    }
    placement_.release_copies();
    if (times) times->end_call();
}

}  // namespace catena::program
