#include "frontend/parallel/optimizer/common_state.h"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "frontend/parallel/optimizer/bucket.h"
#include "frontend/serializer/memory_archive.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

void add_numbers(std::vector<std::string>& lines, const std::string& owner,
                 std::span<const Cell> numbers) {
    for (const Cell& number : numbers)
        lines.push_back(fmt::format("{}{} = {}", owner, number.name(), number.value()));
}

int64_t bytes_in(const Variable& x) { return x.size() * int64_t(size_of(x.dtype())); }

uint64_t checksum_of(const Variable& param) {
    const Array data = param.array().to(cpu_device()).as_contiguous();
    return mix(1, data.elements(), size_t(bytes_in(param)));
}

}  // namespace

std::vector<std::string> description_of(Optimizer& optimizer,
                                        const MultiNodeOptimizerOptions& options) {
    std::vector<std::string> lines{
        optimizer.type_name(),
        fmt::format("double_buffering = {}", options.double_buffering),
        fmt::format("zero_fill = {}", options.zero_fill),
        fmt::format("overlap = {}", options.overlap),
        fmt::format("shard = {}", options.shard),
        fmt::format("bucket_bytes = {}", *options.bucket_bytes),
        fmt::format("allreduce_grad_dtype = {}",
                    options.allreduce_grad_dtype ? name_of(*options.allreduce_grad_dtype) : "none"),
        fmt::format("the setting use_static_graph = {}", config().use_static_graph),
        fmt::format("the setting fast_math = {}", config().fast_math),
        fmt::format("the setting tf32 = {}", config().tf32)};
    add_numbers(lines, "the hyperparameter ", optimizer.hyperparameters());
    for (const UpdateSlot& slot : optimizer.slots()) {
        if (!slot.param.array().defined()) continue;
        lines.push_back(fmt::format("the parameter {} {}{}", slot.path,
                                    to_string(slot.param.type()),
                                    *slot.enabled ? "" : ", whose update is disabled"));
        if (slot.rule) {
            lines.push_back(fmt::format("{} for {}", slot.rule->type_name(), slot.path));
            add_numbers(lines, slot.path + " with ", slot.rule->hyperparameters());
        }
        add_numbers(lines, slot.path + " with ", slot.own_numbers);
        for (const auto& [name, hook] : slot.hooks)
            lines.push_back(fmt::format("the hook {} for {}", name, slot.path));
    }
    return lines;
}

uint64_t model_of(Optimizer& optimizer) {
    uint64_t model = 1;
    for (size_t i = 0; i < optimizer.slots().size(); ++i) {
        const Variable& param = optimizer.slots()[i].param;
        if (!param.array().defined()) continue;
        std::vector<int64_t> type{int64_t(i), int64_t(param.dtype())};
        for (const int64_t dim : param.shape()) type.push_back(dim);
        model = mix(model, type.data(), type.size() * sizeof(int64_t));
    }
    return std::max<uint64_t>(model, 1);
}

std::vector<std::string> checksums_of(Optimizer& optimizer) {
    std::vector<std::string> lines;
    for (const UpdateSlot& slot : optimizer.slots())
        if (slot.param.array().defined())
            lines.push_back(
                fmt::format("{} with the checksum {:016x}", slot.path, checksum_of(slot.param)));
    return lines;
}

uint64_t content_of(Optimizer& optimizer) {
    uint64_t content = 1;
    for (const UpdateSlot& slot : optimizer.slots()) {
        if (!slot.param.array().defined()) continue;
        const uint64_t own = checksum_of(slot.param);
        content = mix(content, &own, sizeof own);
    }
    MemoryArchive state;
    save_to(state, [&](const Serializer& s) { optimizer.serialize(s); });
    return mix(content, state.bytes());
}

}  // namespace catena
