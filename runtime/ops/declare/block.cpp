#include "runtime/ops/declare/block.h"

#include <bit>

#include <fmt/format.h>

namespace catena {
namespace {

struct BlockDeclaration {
    OtherOp block;
    BlockRule pays;
};
constexpr DeclarationKind<BlockDeclaration> blocks_kind("in_blocks_by");
constexpr DeclarationKind<> block_kind("computes_block");

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

Declaration in_blocks_by(OtherOp block, BlockRule pays) {
    return blocks_kind({block, std::move(pays)});
}
Declaration computes_block() { return block_kind(); }

const OpDef* block_form(std::span<const TypeCall, block_calls> calls) {
    for (const TypeCall& call : calls)
        if (&call.op != &calls[0].op) return nullptr;
    const BlockDeclaration* const declared = blocks_kind.in(calls[0].op.declared);
    return declared && declared->pays(calls) ? &declared->block() : nullptr;
}
bool is_block_form(const OpDef& op) { return block_kind.in(op.declared) != nullptr; }

}  // namespace catena
