#include "runtime/ops/declare/measured.h"

namespace catena {
namespace {

struct MeasuredDeclaration {
    OtherOp measured;
    MeasuredRule pays;
};
constexpr DeclarationKind<MeasuredDeclaration> measured_kind("measured_by");
constexpr DeclarationKind<> measuring_kind("measures_result");

}  // namespace

Declaration measured_by(OtherOp measured, MeasuredRule pays) {
    return measured_kind({measured, std::move(pays)});
}
Declaration measures_result() { return measuring_kind(); }

const OpDef* measured_form(const TypeCall& call) {
    const MeasuredDeclaration* const declared = measured_kind.in(call.op.declared);
    return declared && declared->pays(call) ? &declared->measured() : nullptr;
}
bool is_measured_form(const OpDef& op) { return measuring_kind.in(op.declared) != nullptr; }

}  // namespace catena
