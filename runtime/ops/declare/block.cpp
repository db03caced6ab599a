#include "runtime/ops/declare/block.h"

#include <bit>

#include <fmt/format.h>

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

struct BlockCalls {
    const OpDef& op;
    std::span<const TypeCall, block_calls> calls;
};
using BlockForms = OpRules<const OpDef*, BlockCalls>;
using BlockOps = OpSet<struct IsBlock>;

}  // namespace

Attributes block_attributes(std::span<const Attributes, block_calls> calls) {
    std::vector<Attributes::Entry> entries;
    for (int call = 0; call < block_calls; ++call)
        for (const Attributes::Entry& entry : calls[size_t(call)].entries())
            entries.push_back({intern(fmt::format("{}{}", entry.name, call)), entry.value});
    return Attributes(std::move(entries));
}

std::array<BlockPart, block_calls> block_parts(const Attributes& attributes, int own_inputs) {
    std::array<BlockPart, block_calls> parts;
    int input = 0;
    for (int call = 0; call < block_calls; ++call) {
        std::vector<Attributes::Entry> entries;
        for (const Attributes::Entry& entry : attributes.entries()) {
            const std::string_view name = entry.name;
            if (name.back() == char('0' + call))
                entries.push_back({intern(name.substr(0, name.size() - 1)), entry.value});
        }
        BlockPart& part = parts[size_t(call)];
        part.attributes = Attributes(std::move(entries));
        part.first_input = input;
        part.input_count =
            own_inputs + std::popcount(uint64_t(part.attributes.integer("tail"))) - (call > 0);
        input += part.input_count;
    }
    return parts;
}

bool set_block(const OpDef& tailed, const OpDef& block, BlockForm rule) {
    return BlockForms::instance().add(tailed, [rule = std::move(rule)](const BlockCalls& c) {
        return rule(c.calls);
    }) && BlockOps::add(block);
}

const OpDef* block_form(std::span<const TypeCall, block_calls> calls) {
    for (const TypeCall& call : calls)
        if (&call.op != &calls[0].op) return nullptr;
    return BlockForms::instance().of({calls[0].op, calls}).value_or(nullptr);
}
bool is_block_form(const OpDef& op) { return BlockOps::has(op); }

}  // namespace catena
