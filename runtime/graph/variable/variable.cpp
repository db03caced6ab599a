#include "runtime/graph/variable/variable.h"

#include "runtime/core/memory/out_of_memory.h"

namespace catena {
namespace {

/// A name for variables that have none. It is there from the start, so that the name, which errors
/// tell, needs no memory; and to the end, as objects at file scope may ask.
union NoName {
    constexpr NoName() : text() {}
    ~NoName() {}
    std::string text;
};
constinit NoName no_name;

}  // namespace

Variable::Variable(Array array, bool requires_grad) : body_(make_ref<VariableBody>()) {
    body_->requires_grad = requires_grad && array.defined() && is_float(array.dtype());
    body_->array = std::move(array);
}

void Variable::undefined(const char* asked, const Caller& at) {
    const LocationScope scope(at);
    fail<ValueError>(
        "{}: this Variable is undefined, it has no array; make it of one: Variable x(array)",
        asked);
}

bool Variable::requires_grad() const { return body_ && body_->requires_grad; }

const std::string& Variable::name() const {
    return body_ && body_->name ? *body_->name : no_name.text;
}
void Variable::set_name(std::string name) const try {
    there("set_name", Caller()).name = Owned<std::string>(new std::string(std::move(name)));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Variable", "set_name");
}

}  // namespace catena
