#include "runtime/ops/declare/onto.h"

namespace catena {
namespace {

constexpr DeclarationKind<OtherOp> onto_kind("added_onto_by");
constexpr DeclarationKind<> adding_kind("adds_onto");

}  // namespace

Declaration added_onto_by(OtherOp onto) { return onto_kind(onto); }
Declaration adds_onto() { return adding_kind(); }

const OpDef* onto_form(const OpDef& op) {
    const OtherOp* const onto = onto_kind.in(op.declared);
    return onto ? &(*onto)() : nullptr;
}
bool is_onto_form(const OpDef& op) { return adding_kind.in(op.declared) != nullptr; }

}  // namespace catena
