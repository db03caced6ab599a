#include "codegen/schedule.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "runtime/ops/message.h"

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

namespace {

/// How many launches ahead of the first waiting one others may run. More reduces launches, but keeps more arrays alive.
constexpr size_t window = 8;

/// Library calls run as early as possible; kernels wait until only kernels are ready, and then run together.
class Batcher {
public:
    Batcher(Schedule& schedule, const std::vector<Launch>& in_order)
        : schedule_(schedule), in_order_(in_order), writer_(schedule.buffers.size(), -1), done_(in_order.size(), false) {}

    void run() {
        std::vector<size_t> open, awaited = awaited_launches();
        size_t next = 0;
        while (next < awaited.size() || !open.empty()) {
            while (open.size() < window && next < awaited.size()) open.push_back(awaited[next++]);
            bool message_waits = false;
            auto is_ready_call = [&](size_t l) {
                if (in_order_[l].library_call < 0) return false;
                const bool message = is_message(*schedule_.library_calls[size_t(in_order_[l].library_call)].op);
                const bool ready = is_ready(l) && !(message && message_waits);
                message_waits = message_waits || message;
                return ready;
            };
            if (auto call = std::ranges::find_if(open, is_ready_call); call != open.end()) {
                schedule_.launches.push_back(in_order_[*call]);
                done_[*call] = true;
                last_batch_.clear();
                open.erase(call);
                continue;
            }
            std::vector<size_t> batch;
            // Skips messages, which must keep their order.
            std::ranges::copy_if(open, std::back_inserter(batch),
                                 [&](size_t l) { return in_order_[l].library_call < 0 && is_ready(l); });
            run_together(batch);
            std::erase_if(open, [&](size_t l) { return done_[l]; });
        }
        auto waits = [&](size_t l) {
            return std::ranges::any_of(uses_[l].reads, [&](int b) {
                return std::ranges::binary_search(last_batch_, size_t(writer_[size_t(b)]));
            });
        };
        if (last_batch_.empty() || std::ranges::any_of(others_, waits)) return run_together(others_);
        append(others_);
    }

private:
    /// Kernels whose results no launch reads can wait: all parameter updates end up in one launch.
    std::vector<size_t> awaited_launches() {
        std::vector<bool> read(schedule_.buffers.size(), false);
        for (const Launch& launch : in_order_) {
            const Uses& uses = uses_.emplace_back(uses_of(schedule_, launch));
            for (int b : uses.reads) read[size_t(b)] = true;
            for (int b : uses.writes) writer_[size_t(b)] = int(uses_.size()) - 1;
        }
        std::vector<size_t> awaited;
        for (size_t l = 0; l < in_order_.size(); ++l) {
            const bool is_read = std::ranges::any_of(uses_[l].writes, [&](int b) { return read[size_t(b)]; });
            (is_read || in_order_[l].library_call >= 0 ? awaited : others_).push_back(l);
        }
        return awaited;
    }

    bool is_ready(size_t l) const {
        return std::ranges::all_of(uses_[l].reads, [&](int b) {
            const int writer = writer_[size_t(b)];
            return writer < 0 || done_[size_t(writer)];
        });
    }

    void run_together(const std::vector<size_t>& batch) {
        if (batch.empty()) return;
        schedule_.launches.emplace_back();
        append(batch);
        last_batch_ = batch;
    }

    void append(const std::vector<size_t>& batch) {
        std::vector<int>& kernels = schedule_.launches.back().kernels;
        for (size_t l : batch) {
            kernels.insert(kernels.end(), in_order_[l].kernels.begin(), in_order_[l].kernels.end());
            done_[l] = true;
        }
    }

    Schedule& schedule_;
    const std::vector<Launch>& in_order_;
    std::vector<Uses> uses_;
    std::vector<int> writer_;  ///< Per buffer; -1: none.
    std::vector<bool> done_;
    std::vector<size_t> others_;
    std::vector<size_t> last_batch_;  ///< Empty after a library call.
};

}  // namespace

void batch_kernels(Schedule& schedule, const std::vector<Launch>& in_order) {
    Batcher(schedule, in_order).run();
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
    // Where the output is broadcast, other steps would read what this one has written; only a reduced value, stored after
    // all loops, may be broadcast, along all reduced dimensions.
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
    for (int l = int(schedule.launches.size()); l-- > 0;) {
        const int call = schedule.launches[size_t(l)].library_call;
        if (call >= 0 && schedule.library_calls[size_t(call)].op->checks_values) return l;
    }
    return -1;
}

void plan_donations(Schedule& schedule, const std::vector<std::pair<int, int>>& output_and_state) {
    const std::vector<std::vector<Reader>> readers = readers_by_buffer(schedule);
    // A caller that catches an error still owns its donated inputs.
    const int no_error_after = last_check(schedule);
    std::vector<int> buffer_of(schedule.input_types.size(), -1);
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        if (schedule.buffers[b].place == Buffer::Place::input) buffer_of[size_t(schedule.buffers[b].index)] = int(b);
    std::vector<bool> returned(schedule.input_types.size(), false);
    for (const Result& result : schedule.results)
        if (result.input >= 0) returned[size_t(result.input)] = true;

    for (auto [result, input] : output_and_state) {
        if (schedule.results[size_t(result)].input >= 0) continue;
        const int output = schedule.results[size_t(result)].view.buffer;
        const int state = buffer_of[size_t(input)];
        Buffer& target = schedule.buffers[size_t(output)];
        if (returned[size_t(input)] || target.donor >= 0 || target.bytes != schedule.buffers[size_t(state)].bytes ||
            target.first <= no_error_after)
            continue;
        // The old content may be read before the new is written, or by the writing kernel itself.
        auto safe = [&](const Reader& reader) {
            return reader.launch < target.first ||
                   (reader.launch == target.first && reader.kernel >= 0 &&
                    updates_in_place(schedule.kernels[size_t(reader.kernel)], state, output));
        };
        if (std::ranges::all_of(readers[size_t(state)], safe)) target.donor = input;
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
