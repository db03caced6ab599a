#include "frontend/static_graph/call/flatten.h"

#include <bit>
#include <functional>

namespace catena {

void Flat::variable(const Variable& part) { variables.push_back(part); }

void Flat::array(const Array& part) {
    variables.push_back(part.defined() ? Variable(part, false) : Variable());
}

void Flat::constant(uint64_t part) { signature.push_back(part); }

void Flat::number(double part) { constant(std::bit_cast<uint64_t>(part)); }

void Flat::text(std::string_view part) { constant(std::hash<std::string_view>()(part)); }

Variable FillVariables::next() {
    if (!from_ || next_ == from_->variables.size()) return {};
    return std::move(from_->variables[next_++]);
}

void FillVariables::variable(Variable& place) { place = next(); }

void FillVariables::array(Array& place) {
    const Variable filling = next();
    place = filling.defined() ? filling.array() : Array();
}

}  // namespace catena
