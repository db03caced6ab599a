#include "codegen/schedule.h"

#include <algorithm>
#include <map>
#include <set>

namespace catena::codegen {

namespace {

/// Buffers that a launch reads or writes.
struct Uses {
    std::vector<int> reads, writes;
};

void add_kernel(Uses& uses, const KernelLaunch& kernel) {
    size_t inputs = kernel.program.inputs.size();
    for (size_t o = 0; o < kernel.operands.size(); ++o)
        (o < inputs ? uses.reads : uses.writes).push_back(kernel.operands[o].buffer);
}

Uses uses_of(const Schedule& schedule, const Launch& launch) {
    Uses uses;
    for (int k : launch.kernels) add_kernel(uses, schedule.kernels[k]);
    if (launch.library_call >= 0) {
        const LibraryCall& call = schedule.library_calls[launch.library_call];
        for (const View& view : call.inputs) uses.reads.push_back(view.buffer);
        for (const View& view : call.outputs) uses.writes.push_back(view.buffer);
    }
    return uses;
}

}  // namespace

void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order) {
    std::vector<bool> read(schedule.buffers.size(), false);
    for (const Launch& launch : in_order)
        for (int b : uses_of(schedule, launch).reads) read[b] = true;

    // Kernels whose results no launch reads can wait: all parameter updates end in one sweep.
    std::vector<Launch> now, later;
    for (const Launch& launch : in_order) {
        Uses uses = uses_of(schedule, launch);
        bool awaited = launch.library_call >= 0;
        for (int b : uses.writes) awaited = awaited || read[b];
        (awaited ? now : later).push_back(launch);
    }
    now.insert(now.end(), later.begin(), later.end());

    std::set<int> written;  // By the kernels of the last launch.
    for (const Launch& launch : now) {
        Uses uses = uses_of(schedule, launch);
        bool joins = launch.library_call < 0 && !schedule.launches.empty() &&
                     schedule.launches.back().library_call < 0;
        for (int b : uses.reads) joins = joins && !written.contains(b);
        for (int b : uses.writes) joins = joins && !written.contains(b);
        if (!joins) {
            schedule.launches.emplace_back();
            schedule.launches.back().library_call = launch.library_call;
            written.clear();
        }
        auto& kernels = schedule.launches.back().kernels;
        kernels.insert(kernels.end(), launch.kernels.begin(), launch.kernels.end());
        written.insert(uses.writes.begin(), uses.writes.end());
    }

    for (size_t l = 0; l < schedule.launches.size(); ++l) {
        Uses uses = uses_of(schedule, schedule.launches[l]);
        uses.reads.insert(uses.reads.end(), uses.writes.begin(), uses.writes.end());
        for (int b : uses.reads) {
            Buffer& buffer = schedule.buffers[b];
            if (buffer.first < 0) buffer.first = int(l);
            buffer.last = int(l);
        }
    }
}

namespace {

/// True when every element is visited once: nothing full or reduced depends on a reduction.
bool sweeps_once(const KernelProgram& program) {
    std::vector<bool> after(program.values.size(), false);
    for (size_t v = 0; v < after.size(); ++v) {
        const KernelValue& value = program.values[v];
        for (int arg : value.args) after[v] = after[v] || after[arg];
        if (value.kind != KernelValue::Kind::reduction) continue;
        if (after[v]) return false;
        after[v] = true;
    }
    for (const KernelProgram::Output& output : program.outputs)
        for (int dim = 0; dim < program.domain.rank(); ++dim)
            if (program.is_reduced(dim) && output.to.strides[dim] != 0 && after[output.value]) return false;
    return true;
}

/// True when the kernel, which writes `output`, reads `input` only at the index it writes, and before it writes.
bool updates_in_place(const KernelLaunch& kernel, int input, int output) {
    const KernelProgram& program = kernel.program;
    size_t inputs = program.inputs.size();
    const KernelOperand* to = nullptr;
    for (size_t o = inputs; o < kernel.operands.size(); ++o) {
        if (kernel.operands[o].buffer != output) continue;
        if (to) return false;
        to = &program.outputs[o - inputs].to;
    }
    if (!to) return false;
    // Where the output repeats, other steps would read what this one has written; only a reduced value, which is
    // stored after all loops, may repeat, and along all reduced dimensions.
    int full = 0, repeated = 0;
    for (int dim = 0; dim < program.domain.rank(); ++dim) {
        if (program.domain[dim] == 1) continue;
        if (program.is_reduced(dim))
            ++(to->strides[dim] == 0 ? repeated : full);
        else if (to->strides[dim] == 0)
            return false;
    }
    if (full > 0 && (repeated > 0 || !sweeps_once(program))) return false;
    for (size_t i = 0; i < inputs; ++i) {
        if (kernel.operands[i].buffer != input) continue;
        if (kernel.operands[i].byte_offset != 0 || program.inputs[i].dtype != to->dtype ||
            !(program.inputs[i].strides == to->strides))
            return false;
    }
    return true;
}

}  // namespace

namespace {

/// How many kernels of a launch read each buffer.
std::map<int, int> readers_of(const Schedule& schedule, const Launch& launch) {
    std::map<int, int> readers;
    for (int k : launch.kernels) {
        Uses uses;
        add_kernel(uses, schedule.kernels[k]);
        for (int b : std::set<int>(uses.reads.begin(), uses.reads.end())) ++readers[b];
    }
    return readers;
}

void reuse_inputs(Schedule& schedule) {
    std::vector<bool> taken(schedule.buffers.size(), false);
    for (int l = 0; l < int(schedule.launches.size()); ++l) {
        std::map<int, int> readers = readers_of(schedule, schedule.launches[l]);
        for (int k : schedule.launches[l].kernels) {
            const KernelLaunch& kernel = schedule.kernels[k];
            Uses uses;
            add_kernel(uses, kernel);
            for (int output : uses.writes) {
                Buffer& target = schedule.buffers[output];
                if (target.place != Buffer::Place::arena || target.first != l || target.over >= 0) continue;
                auto fits = [&](int input) {
                    const Buffer& source = schedule.buffers[input];
                    return source.place == Buffer::Place::arena && source.first < l && source.last == l &&
                           source.bytes == target.bytes && !taken[input] && readers[input] == 1 &&
                           updates_in_place(kernel, input, output);
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

void plan_memory(Schedule& schedule) {
    reuse_inputs(schedule);
    place_buffers(schedule);
}

void plan_donations(Schedule& schedule, const std::vector<std::pair<int, int>>& output_and_state) {
    for (auto [result, input] : output_and_state) {
        if (schedule.results[result].input >= 0) continue;
        int output = schedule.results[result].view.buffer;
        Buffer& target = schedule.buffers[output];
        int state = -1;
        for (size_t b = 0; b < schedule.buffers.size(); ++b)
            if (schedule.buffers[b].place == Buffer::Place::input && schedule.buffers[b].index == input)
                state = int(b);
        bool returned = std::any_of(schedule.results.begin(), schedule.results.end(),
                                    [&](const Result& r) { return r.input == input; });
        if (returned || target.donor >= 0 || target.bytes != schedule.buffers[state].bytes) continue;

        // The old content may be read before the new is written, or by the writing kernel itself.
        bool safe = true;
        for (size_t l = size_t(std::max(target.first, 0)); safe && l < schedule.launches.size(); ++l) {
            const Launch& launch = schedule.launches[l];
            Uses uses = uses_of(schedule, launch);
            bool reads = std::find(uses.reads.begin(), uses.reads.end(), state) != uses.reads.end();
            if (int(l) > target.first || launch.library_call >= 0) {
                safe = !reads;
                continue;
            }
            for (int k : launch.kernels) {
                Uses own;
                add_kernel(own, schedule.kernels[k]);
                bool reads_here = std::find(own.reads.begin(), own.reads.end(), state) != own.reads.end();
                bool writes_here = std::find(own.writes.begin(), own.writes.end(), output) != own.writes.end();
                if (reads_here) safe = safe && writes_here && updates_in_place(schedule.kernels[k], state, output);
            }
        }
        if (safe) target.donor = input;
    }
}

size_t bytes_of(const Schedule& schedule) {
    size_t bytes = schedule.buffers.size() * sizeof(Buffer) + schedule.launches.size() * sizeof(Launch) +
                   schedule.results.size() * sizeof(Result);
    for (const KernelLaunch& kernel : schedule.kernels)
        bytes += sizeof(kernel) + kernel.key.size() + kernel.program.values.size() * sizeof(KernelValue) +
                 kernel.operands.size() * (sizeof(KernelLaunch::Operand) + sizeof(KernelOperand)) +
                 kernel.numbers.size() * sizeof(int64_t);
    for (const LibraryCall& call : schedule.library_calls)
        bytes += sizeof(call) + (call.inputs.size() + call.outputs.size()) * (sizeof(View) + sizeof(Array) + sizeof(ArrayBody));
    return bytes;
}

}  // namespace catena::codegen
