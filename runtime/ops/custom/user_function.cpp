#include "runtime/ops/custom/user_function.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/graph/node/user_gradient.h"
#include "runtime/graph/op/registered_together.h"
#include "runtime/ops/custom/unused_name.h"

namespace catena {
namespace {

/// The operations by the names of the functions, made while others compute. Names are those of
/// classes: a program that makes up one for each call would never stop growing, so from some number
/// on they share an operation.
struct NamedOps {
    static constexpr size_t most = 4096;
    std::shared_mutex& mutex = taken_by_forks(*new std::shared_mutex);
    std::map<std::string, const OpDef*, std::less<>> ops;

    static NamedOps& instance() {
        static NamedOps& table = *new NamedOps;
        return table;
    }
};

/// Bit 63 stands for that index and all after it.
uint64_t mask_of(std::span<const int> indices) {
    uint64_t mask = 0;
    for (const int i : indices) mask |= uint64_t(1) << std::min(i, 63);
    return mask;
}

bool has(uint64_t mask, int index) { return mask >> std::min(index, 63) & 1; }

/// The object whose call this thread runs, for the functions of its operation.
thread_local UserFunction* called = nullptr;

}  // namespace

struct UserFunction::Calling {
    explicit Calling(UserFunction& function) : outer(std::exchange(called, &function)) {}
    ~Calling() { called = outer; }
    Calling(const Calling&) = delete;
    UserFunction* outer;
};

const OpDef& UserFunction::op_of(std::string_view name) {
    NamedOps& table = NamedOps::instance();
    {
        std::shared_lock lock(table.mutex);
        if (const auto found = table.ops.find(name); found != table.ops.end())
            return *found->second;
    }
    std::unique_lock lock(table.mutex);
    if (table.ops.size() >= NamedOps::most) name = "user_function";
    if (const auto found = table.ops.find(name); found != table.ops.end()) return *found->second;
    RegisteredTogether ops;
    const OpDef& op = ops.add(register_op({
        .name = unused_op_name(std::string(name)),
        .input_count = -1,
        .output_count = -1,
        .body = [](std::span<const Variable> xs, const Attributes&,
                   std::span<const Scalar>) { return called->results(xs); },
        .gradient = [](const GradientCall&) -> Variables {
            throw InternalError("a node of a user's function without its object");
        },
        .reads = [](int, int) { return called->kept_; },
    }));
    set_user_gradient(op);
    table.ops.emplace(name, &op);
    ops.keep();
    return op;
}

void UserFunction::retain_inputs(std::span<const int> inputs) { kept_.inputs = mask_of(inputs); }
void UserFunction::retain_outputs(std::span<const int> outputs) {
    kept_.outputs = mask_of(outputs);
}

Variables UserFunction::results(std::span<const Variable> xs) {
    Variables ys = forward(xs);
    for (size_t i = 0; i < ys.size(); ++i)
        if (!ys[i].defined()) fail<ValueError>("{}: result {} of forward is undefined", name(), i);
    outputs_ = int(ys.size());
    return ys;
}

const GradientCall& UserFunction::running(const char* what, int index, uint64_t kept) const {
    if (!running_)
        fail<ValueError>("{}: {} {} is there only while backward runs", name(), what, index);
    const int count = what[0] == 'i' ? running_->input_count() : outputs_;
    if (index < 0 || index >= count)
        fail<ValueError>("{}: backward asks for {} {} of {}", name(), what, index, count);
    if (!has(kept, index))
        fail<ValueError>("{}: backward asks for {} {}, which was not retained", name(), what,
                         index);
    return *running_;
}

Variable UserFunction::retained_input(int input) const {
    return running("input", input, kept_.inputs).x(input);
}
Variable UserFunction::retained_output(int output) const {
    return running("output", output, kept_.outputs).y(output);
}

Variables UserFunction::gradient(const GradientCall& g) {
    SmallVector<int, 4> wanted;
    for (int i = 0; i < g.input_count(); ++i)
        if (g.needs(i)) wanted.push_back(i);
    Variables gys;
    for (int i = 0; i < outputs_; ++i) gys.push_back(g.has_gy(i) ? g.gy(i) : Variable());
    struct Running {
        const GradientCall*& place;
        const GradientCall* outer;
        ~Running() { place = outer; }
    } running{running_, std::exchange(running_, &g)};
    const Variables given = backward(wanted, gys);
    if (given.size() != wanted.size())
        fail<ValueError>(
            "{}: backward gives {} gradients, those of {} inputs were asked for (an undefined "
            "Variable is no gradient)",
            name(), given.size(), wanted.size());
    Variables all(size_t(g.input_count()));
    for (size_t k = 0; k < wanted.size(); ++k) {
        const int i = wanted[k];
        if (given[k].defined() && !(given[k].type() == g.x_type(i)))
            fail<ShapeError>(
                "{}: backward gives a gradient {} of input {}, which is {}; they must be equal",
                name(), to_string(given[k].type()), i, to_string(g.x_type(i)));
        all[size_t(i)] = given[k];
    }
    return all;
}

Variables call_user_function(const Ref<UserFunction>& function, std::span<const Variable> xs,
                             const std::source_location& at) {
    const LocationScope scope(at);
    if (function->outputs_ >= 0)
        fail<ValueError>("{}: this object was called before; make another for each call",
                         function->name());
    const OpDef& op = UserFunction::op_of(function->name());
    SmallVector<const Variable*, 4> inputs;
    for (const Variable& x : xs) inputs.push_back(&x);
    const UserFunction::Calling calling(*function);
    Variables ys = apply(op, inputs, at);
    if (!ys.empty())
        if (Node* node = ys[0].body()->creator.get(); node && node->op == &op)
            node->function = function;
    return ys;
}

Ref<UserFunction> creator_function(const Variable& y) {
    const Node* creator = y.defined() ? y.body()->creator.get() : nullptr;
    return Ref<UserFunction>(creator ? dynamic_cast<UserFunction*>(creator->function.get())
                                     : nullptr);
}

}  // namespace catena
