#include "frontend/link/link_hook.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {
namespace {
constinit PerThread<std::vector<LinkHook*>> scoped_hooks;
thread_local size_t scoped_hook_count [[gnu::tls_model("initial-exec")]] =
    0;  // Each call of a link asks.
}  // namespace

bool link_hooks_in_scope() { return scoped_hook_count > 0; }

std::vector<std::pair<std::string, Parameter*>> LinkHook::params() { return {}; }
std::vector<std::pair<std::string, State*>> LinkHook::persistents() { return {}; }
std::shared_ptr<LinkHook> LinkHook::copied() const { return nullptr; }

LinkHookScope::LinkHookScope(LinkHook& hook) : hook_(hook) {
    for (const LinkHook* other : scoped_hooks.get())
        if (other->name() == hook.name())
            fail<ValueError>("link hook: one named \"{}\" is active already; end its scope first",
                             hook.name());
    hook.added(nullptr);
    scoped_hooks.get().push_back(&hook);
    scoped_hook_count = scoped_hooks.get().size();
}

LinkHookScope::~LinkHookScope() {
    std::erase(scoped_hooks.get(), &hook_);
    scoped_hook_count = scoped_hooks.get().size();
    hook_.deleted(nullptr);
}

LinkCall::LinkCall(Link& link, std::vector<const Variable*> inputs)
    : link_(link), hooks_(scoped_hooks.get()), inputs_(std::move(inputs)) {
    for (const Link::NamedHook& own : link.hooks()) hooks_.push_back(own.hook.get());
    size_t begun = 0;
    try {
        for (; begun < hooks_.size(); ++begun) hooks_[begun]->forward_preprocess(*this);
    } catch (...) {  // There is no destructor of an object whose constructor threw.
        hooks_.resize(begun);
        failed_ = true;
        try {
            end();
        } catch (...) {
        }
        throw;
    }
}

LinkCall::~LinkCall() {
    if (ended_) return;
    failed_ = true;
    try {
        end();
    } catch (...) {  // The error on its way is the user's.
    }
}

std::span<const Variable* const> LinkCall::inputs() const { return inputs_; }

std::span<const Variable> LinkCall::outputs() const { return outputs_; }

void LinkCall::replace(Variable& parameter, const Variable& value) {
    replaced_.push_back({&parameter, parameter});
    parameter = value;
}

void LinkCall::add_output(const Variable& y) {
    if (y.defined()) outputs_.push_back(y);
}

void LinkCall::end() {
    ended_ = true;
    restore();
    for (LinkHook* hook : hooks_) hook->forward_postprocess(*this);
}

void LinkCall::restore() noexcept {
    for (; !replaced_.empty(); replaced_.pop_back())
        *replaced_.back().place = replaced_.back().original;
}

void Link::add_input(std::vector<const Variable*>& inputs, const Variable& x) {
    inputs.push_back(&x);
}

Link& Link::add_hook(std::shared_ptr<LinkHook> hook, std::string name) {
    if (!hook) fail<ValueError>("{}: add_hook was given no hook", type_name());
    if (name.empty()) name = hook->name();
    for (const NamedHook& other : hooks_)
        if (other.name == name)
            fail<ValueError>("{}: a hook named '{}' was added already; delete that one first",
                             type_name(), name);
    hook->added(this);
    hooks_.push_back({std::move(name), std::move(hook)});
    note_change();
    note_code_change();
    return *this;
}

std::span<const Link::NamedHook> Link::hooks() const { return hooks_; }

void Link::delete_hook(std::string_view name) {
    const auto at = std::find_if(hooks_.begin(), hooks_.end(),
                                 [&](const NamedHook& each) { return each.name == name; });
    if (at == hooks_.end()) {
        std::string names;
        for (const NamedHook& each : hooks_) names += (names.empty() ? "" : ", ") + each.name;
        fail<ValueError>("{}: no hook is named '{}'; there is {}", type_name(), name,
                         names.empty() ? "none" : names);
    }
    const std::shared_ptr<LinkHook> hook = std::move(at->hook);
    hooks_.erase(at);
    note_change();
    note_code_change();
    hook->deleted(this);
}

std::vector<Link::NamedHook> Link::copied_hooks() const {
    std::vector<NamedHook> all;
    for (const NamedHook& each : hooks_) {
        std::shared_ptr<LinkHook> own = each.hook->copied();
        all.push_back({each.name, own ? std::move(own) : each.hook});
    }
    return all;
}

void Link::take_hooks(std::vector<NamedHook> hooks) {
    if (hooks_.empty() && hooks.empty()) return;
    hooks_ = std::move(hooks);
    note_change();
    note_code_change();
}

/// What hooks own is listed with the link, and is assigned as its members are.
void Link::take_content_of_hooks(const Link& other) {
    if (hooks_.empty() && other.hooks_.empty()) return;
    const auto take = [&](const auto& ours, const auto& theirs) {
        for (size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i)
            if (i >= ours.size() || i >= theirs.size() || ours[i].first != theirs[i].first)
                fail<ValueError>(
                    "{}: only the one {} has a hook with '{}', which would be lost; add the same "
                    "hooks to both, or hold them in a ChainList and replace() one",
                    type_name(), i < ours.size() ? "that is assigned to" : "whose content is taken",
                    i < ours.size() ? ours[i].first : theirs[i].first);
        for (size_t i = 0; i < ours.size(); ++i)
            static_cast<State&>(*ours[i].second) = static_cast<const State&>(*theirs[i].second);
    };
    take(hook_params(), other.hook_params());
    take(hook_persistents(), other.hook_persistents());
}

std::vector<std::pair<std::string, Parameter*>> Link::hook_params() const {
    std::vector<std::pair<std::string, Parameter*>> all;
    for (const NamedHook& each : hooks_)
        for (auto& part : each.hook->params()) all.push_back(std::move(part));
    return all;
}

std::vector<std::pair<std::string, State*>> Link::hook_persistents() const {
    std::vector<std::pair<std::string, State*>> all;
    for (const NamedHook& each : hooks_)
        for (auto& part : each.hook->persistents()) all.push_back(std::move(part));
    return all;
}

}  // namespace catena
