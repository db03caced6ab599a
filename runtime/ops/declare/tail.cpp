#include "runtime/ops/declare/tail.h"

namespace catena {
namespace {

constexpr DeclarationKind<OtherOp> tailed_kind("tailed_by");
constexpr DeclarationKind<> adding_tail_kind("adds_tail");
constexpr DeclarationKind<> range_kind("range_kept");

}  // namespace

Attributes with_tail(const Attributes& attributes, uint32_t operands, double lowest,
                     double highest) {
    std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                           attributes.entries().end());
    entries.push_back({"tail", int64_t(operands)});
    entries.push_back({"lowest", lowest});
    entries.push_back({"highest", highest});
    return Attributes(std::move(entries));
}

Attributes without_range(const Attributes& attributes) {
    std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                           attributes.entries().end());
    for (Attributes::Entry& entry : entries)
        if (entry.name == std::string_view("tail"))
            entry.value = attributes.integer("tail") & ~(int64_t(1) << int(TailOperand::range));
    return Attributes(std::move(entries));
}

TailPlaces tail_places(const Attributes& attributes, int own_inputs) {
    const int64_t operands = attributes.integer("tail");
    TailPlaces places;
    for (int i = 0; i < tail_operands; ++i)
        places[size_t(i)] = operands >> i & 1 ? own_inputs++ : -1;
    return places;
}

double tail_lowest(const Attributes& attributes) { return attributes.number("lowest"); }
double tail_highest(const Attributes& attributes) { return attributes.number("highest"); }

Declaration tailed_by(OtherOp tailed) { return tailed_kind(tailed); }
Declaration adds_tail() { return adding_tail_kind(); }

const OpDef* tailed_form(const OpDef& op) {
    const OtherOp* const tailed = tailed_kind.in(op.declared);
    return tailed ? &(*tailed)() : nullptr;
}
bool is_tailed_form(const OpDef& op) { return adding_tail_kind.in(op.declared) != nullptr; }

Declaration range_kept() { return range_kind(); }
bool keeps_range(const OpDef& op) { return range_kind.in(op.declared) != nullptr; }

}  // namespace catena
