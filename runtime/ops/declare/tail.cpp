#include "runtime/ops/declare/tail.h"

#include "runtime/ops/declare/op_rules.h"

namespace catena {
namespace {

using TailedForms = OpTable<const OpDef*, struct IsTailed>;
using TailedOps = OpSet<struct IsTailed>;
using RangeKeepers = OpSet<struct KeepsRange>;

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

bool set_tailed(const OpDef& op, const OpDef& tailed) {
    return TailedForms::instance().add(op, &tailed) && TailedOps::add(tailed);
}
const OpDef* tailed_form(const OpDef& op) {
    const OpDef* const* const form = TailedForms::instance().of(op);
    return form ? *form : nullptr;
}
bool is_tailed_form(const OpDef& op) { return TailedOps::has(op); }

bool set_keeps_range(const OpDef& op) { return RangeKeepers::add(op); }
bool keeps_range(const OpDef& op) { return RangeKeepers::has(op); }

}  // namespace catena
