#include "codegen/schedule_text.h"

#include <fmt/format.h>

namespace catena::codegen {

using namespace program;

namespace {

std::string text_of(const Buffer& buffer) {
    std::string text = fmt::format("{} bytes, ", buffer.bytes);
    switch (buffer.place) {
        case Buffer::Place::input:
            return text + fmt::format("input {}", buffer.index);
        case Buffer::Place::output:
            text += fmt::format("output {}", buffer.index);
            return buffer.donor < 0
                       ? text
                       : text + fmt::format(", over input {} when that is donated", buffer.donor);
        case Buffer::Place::part:
            return text + fmt::format("part of b{} at {}", buffer.index, buffer.offset);
        case Buffer::Place::arena:
            break;
    }
    text += fmt::format("arena at {}", buffer.offset);
    return buffer.over < 0 ? text : text + fmt::format(", over b{}", buffer.over);
}

void list(std::string& text, const char* before, const std::vector<int>& buffers) {
    text += before;
    for (int b : buffers) text += fmt::format(" b{}", b);
}

std::vector<int> buffers_of(const std::vector<View>& views) {
    std::vector<int> buffers;
    for (const View& view : views) buffers.push_back(view.buffer);
    return buffers;
}

}  // namespace

std::string to_string(const Schedule& schedule) {
    std::string text = fmt::format("{} bytes of arena\n", schedule.arena_bytes);
    if (schedule.cut.launch >= 0)
        text += fmt::format("cut before launch {}, {} bytes saved\n", schedule.cut.launch,
                            schedule.cut.saved_bytes);
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        text += fmt::format("b{}: {}, launches {} to {}\n", b, text_of(schedule.buffers[b]),
                            schedule.buffers[b].first, schedule.buffers[b].last);
    for (size_t l = 0; l < schedule.launches.size(); ++l) {
        text += fmt::format("launch {}\n", l);
        if (int c = schedule.launches[l].library_call; c >= 0) {
            const LibraryCall& call = schedule.library_calls[size_t(c)];
            text += fmt::format("  {} ({})", call.op->name, catena::to_string(call.location));
            if (!call.function.empty() && call.function != call.op->name)
                text += " of " + call.function;
            list(text, "", buffers_of(call.inputs));
            list(text, " ->", buffers_of(call.outputs));
            text += "\n";
        }
        for (int k : schedule.launches[l].kernels) {
            const KernelLaunch& kernel = schedule.kernels[size_t(k)];
            std::vector<int> operands;
            for (const KernelLaunch::Operand& operand : kernel.operands)
                operands.push_back(operand.buffer);
            auto outputs = operands.begin() + std::ptrdiff_t(kernel.geometry.inputs.size());
            text += fmt::format("  kernel {}, {} units:", k, kernel.units);
            list(text, "", {operands.begin(), outputs});
            list(text, " ->", {outputs, operands.end()});
            for (const program::Operation& operation : kernel.operations)
                text += (&operation == &*kernel.operations.begin() ? "  // " : ", ") +
                        program::to_string(operation);
            text += "\n";
        }
    }
    return text;
}

}  // namespace catena::codegen
