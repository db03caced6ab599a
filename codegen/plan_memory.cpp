#include "codegen/plan_memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/kernel/dependence.h"
#include "codegen/uses.h"
#include "runtime/program/schedule/in_place_call.h"
#include "runtime/program/schedule/value_checks.h"

namespace catena::codegen {

namespace {

/// True when the kernel, which writes `output`, reads `input` only at the index it writes, and
/// before it writes.
bool updates_in_place(const Draft& draft, int k, int input, int output) {
    const KernelLaunch& kernel = draft.schedule.kernels[size_t(k)];
    const KernelGeometry& geometry = kernel.geometry;
    size_t inputs = geometry.inputs.size();
    const KernelOperand* to = nullptr;
    for (size_t o = inputs; o < kernel.operands.size(); ++o) {
        if (kernel.operands[o].buffer != output) continue;
        if (to) return false;
        to = &geometry.outputs[o - inputs];
    }
    if (!to) return false;
    // Where the output is broadcast, other steps would read what this one has written; only a
    // reduced value, stored after all loops, may be broadcast, along all reduced dimensions.
    int full = 0, repeated = 0;
    for (int dim = 0; dim < geometry.domain.rank(); ++dim) {
        if (geometry.domain[dim] == 1) continue;
        if (geometry.is_reduced(dim))
            ++(to->strides[dim] == 0 ? repeated : full);
        else if (to->strides[dim] == 0)
            return false;
    }
    if (full > 0 && (repeated > 0 || !sweeps_once(draft.kernels[size_t(k)]))) return false;
    for (size_t i = 0; i < inputs; ++i) {
        if (kernel.operands[i].buffer != input) continue;
        if (kernel.operands[i].byte_offset != 0 || geometry.inputs[i].dtype != to->dtype ||
            !(geometry.inputs[i].strides == to->strides))
            return false;
    }
    return true;
}

}  // namespace

namespace {

/// The number of kernels of a launch that read each buffer.
std::map<int, int> readers_of(const Schedule& schedule, const Launch& launch) {
    std::map<int, int> readers;
    for (int k : launch.kernels) {
        Uses uses;
        add_kernel(uses, schedule.kernels[k]);
        for (int b : std::set<int>(uses.reads.begin(), uses.reads.end())) ++readers[b];
    }
    return readers;
}

/// An arena buffer of the same size that is there before launch `l`, which alone reads it then for
/// the last time, and that no other lies over.
bool is_free_after(const Schedule& schedule, int input, const Buffer& target, int l,
                   const std::vector<bool>& taken) {
    const Buffer& source = schedule.buffers[size_t(input)];
    return source.place == Buffer::Place::arena && source.first < l && source.last == l &&
           source.bytes == target.bytes && !taken[size_t(input)];
}

void reuse_input(Schedule& schedule, int l, const LibraryCall& call, std::vector<bool>& taken) {
    if (call.inputs.empty()) return;
    const int input = call.inputs[0].buffer, output = call.outputs[0].buffer;
    Buffer& target = schedule.buffers[size_t(output)];
    if (target.place != Buffer::Place::arena || target.first != l ||
        !is_free_after(schedule, input, target, l, taken) ||
        !program::writes_in_place(call, input, output))
        return;
    target.over = input;
    taken[size_t(input)] = true;
}

void reuse_inputs(Draft& draft) {
    Schedule& schedule = draft.schedule;
    std::vector<bool> taken(schedule.buffers.size(), false);
    for (int l = 0; l < int(schedule.launches.size()); ++l) {
        if (const int call = schedule.launches[l].library_call; call >= 0)
            reuse_input(schedule, l, schedule.library_calls[size_t(call)], taken);
        std::map<int, int> readers = readers_of(schedule, schedule.launches[l]);
        for (int k : schedule.launches[l].kernels) {
            const KernelLaunch& kernel = schedule.kernels[k];
            Uses uses;
            add_kernel(uses, kernel);
            for (int output : uses.writes) {
                Buffer& target = schedule.buffers[output];
                if (target.place != Buffer::Place::arena || target.first != l || target.over >= 0)
                    continue;
                auto fits = [&](int input) {
                    return is_free_after(schedule, input, target, l, taken) &&
                           readers[input] == 1 && updates_in_place(draft, k, input, output);
                };
                auto input = std::find_if(uses.reads.begin(), uses.reads.end(), fits);
                if (input == uses.reads.end()) continue;
                target.over = *input;
                taken[*input] = true;
            }
        }
    }
}

}  // namespace

void plan_memory(Draft& draft) {
    reuse_inputs(draft);
    place_buffers(draft.schedule);
}

namespace {

/// The readers of each buffer, launches in order; kernel -1: a library call.
struct Reader {
    int launch, kernel;
};
std::vector<std::vector<Reader>> readers_by_buffer(const Schedule& schedule) {
    std::vector<std::vector<Reader>> readers(schedule.buffers.size());
    for (int l = 0; l < int(schedule.launches.size()); ++l) {
        const Launch& launch = schedule.launches[size_t(l)];
        for (int k : launch.kernels) {
            Uses uses;
            add_kernel(uses, schedule.kernels[size_t(k)]);
            for (int b : uses.reads) readers[size_t(b)].push_back({l, k});
        }
        if (launch.library_call >= 0)
            for (int b : uses_of(schedule, launch).reads) readers[size_t(b)].push_back({l, -1});
    }
    return readers;
}

}  // namespace

int last_check(const Schedule& schedule) {
    program::ValueChecks checks(schedule);
    int last = -1;
    for (size_t l = 0; l < schedule.launches.size(); ++l) {
        const int call = schedule.launches[l].library_call;
        if (call < 0) continue;
        if (checks.can_fail(call)) last = int(l);
        checks.passed(call);
    }
    return last;
}

void plan_donations(Draft& draft, const StateResults& states) {
    Schedule& schedule = draft.schedule;
    const std::vector<std::vector<Reader>> readers = readers_by_buffer(schedule);
    // A caller that catches an error still owns its donated inputs.
    const int no_error_after = last_check(schedule);
    std::vector<int> buffer_of(schedule.input_types.size(), -1);
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        if (schedule.buffers[b].place == Buffer::Place::input)
            buffer_of[size_t(schedule.buffers[b].index)] = int(b);
    std::vector<bool> returned(schedule.input_types.size(), false);
    for (const Result& result : schedule.results)
        if (result.input >= 0) returned[size_t(result.input)] = true;

    for (auto [result, input] : states) {
        if (schedule.results[size_t(result)].input >= 0) continue;
        const int output = schedule.results[size_t(result)].view.buffer;
        const int state = buffer_of[size_t(input)];
        Buffer& target = schedule.buffers[size_t(output)];
        if (returned[size_t(input)] || target.donor >= 0 ||
            target.bytes != schedule.buffers[size_t(state)].bytes || target.first <= no_error_after)
            continue;
        // The old content may be read before the new is written, or by the writing kernel itself.
        auto safe = [&](const Reader& reader) {
            return reader.launch < target.first ||
                   (reader.launch == target.first && reader.kernel >= 0 &&
                    updates_in_place(draft, reader.kernel, state, output));
        };
        if (std::ranges::all_of(readers[size_t(state)], safe)) target.donor = input;
    }
}

}  // namespace catena::codegen
