#include "frontend/link/link.h"

#include <algorithm>
#include <utility>

#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/system/class_name.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/node/node.h"

namespace catena {
namespace {

// Links being copied on this thread whose members have not been copied yet, the latest first: C++
// copies the base class first.
thread_local Link* awaiting_parts = nullptr;

std::ptrdiff_t distance_between(const Part* part, const Link* link) {
    return reinterpret_cast<const char*>(part) -
           reinterpret_cast<const char*>(static_cast<const Part*>(link));
}

}  // namespace

void Part::follow(const Part& other) noexcept {
    if (other.distance_ == 0) return;
    for (Link* link = awaiting_parts; link; link = link->next_awaiting_) {
        if (distance_between(this, link) != other.distance_) continue;
        if (link->claim(this, other.distance_)) distance_ = other.distance_;
        return;
    }
}

Link::Link() : Part(Kind::link) {}

Link::~Link() {
    if (place_) *place_ = nullptr;
    if (missing_) stop_awaiting();
}

Link::Link(const Link& other) try
    : Part(other), name_(other.name_), entries_(other.entries()), hooks_(other.copied_hooks()) {
    expect_parts();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a copy of a link");
}
Link::Link(Link&& other) noexcept
    : Part(other),
      name_(std::move(other.name_)),
      entries_(std::move(other.entries_)),
      hooks_(std::move(other.hooks_)),
      place_(std::move(other.place_)) {
    if (place_) *place_ = this;
    other.was_moved_from_ = true;
    other.list_as_before(*this);
    expect_parts();
}

/// What was moved from is a link of the same parts, as far as there is memory for their list.
void Link::list_as_before(const Link& moved) noexcept {
    try {
        name_ = moved.name_;
        entries_ = moved.entries_;
    } catch (const std::bad_alloc&) {
        entries_.clear();
    }
}

const std::shared_ptr<Link*>& Link::place() const {
    if (!place_) place_ = std::make_shared<Link*>(const_cast<Link*>(this));
    return place_;
}

// The derived class assigns its members; they stay listed here.
Link& Link::operator=(const Link& other) {
    const auto check = [this](const Link& a, const Link& b, const char* which) {
        for (const Entry& entry : a.entries_)
            if (std::ranges::none_of(b.entries_, [&](const Entry& its) {
                    return its.name == entry.name && its.distance == entry.distance;
                }))
                fail<ValueError>(
                    "{}: only the one {} lists '{}', which would be lost; make both with the same "
                    "options, or hold them in a ChainList and replace() one",
                    type_name(), which, entry.name);
    };
    check(*this, other, "that is assigned to");
    check(other, *this, "whose content is taken");
    if (was_moved_from_)
        take_hooks(other.copied_hooks());
    else if (this != &other)
        take_content_of_hooks(other);
    was_moved_from_ = false;
    return *this;
}
Link& Link::operator=(Link&& other) {
    if (!was_moved_from_ || this == &other) return *this = std::as_const(other);
    was_moved_from_ = false;
    std::vector<NamedHook> hooks = std::move(other.hooks_);
    *this = std::as_const(other);
    take_hooks(std::move(hooks));
    place_ = std::move(other.place_);
    if (place_) *place_ = this;
    other.was_moved_from_ = true;
    return *this;
}

bool Link::are_alike(const Link& a, const Link& b) {
    const auto same_names = [](const auto& ours, const auto& theirs) {
        return std::ranges::equal(ours, theirs,
                                  [](const auto& x, const auto& y) { return x.first == y.first; });
    };
    return same_names(a.namedparams(), b.namedparams()) &&
           same_names(a.namedpersistents(), b.namedpersistents()) &&
           same_names(a.namedlinks(), b.namedlinks());
}

void Link::expect_parts() noexcept {
    for (Entry& entry : entries_) entry.part = nullptr;
    missing_ = entries_.size();
    if (missing_) next_awaiting_ = std::exchange(awaiting_parts, this);
}

void Link::stop_awaiting() noexcept {
    Link** at = &awaiting_parts;
    while (*at && *at != this) at = &(*at)->next_awaiting_;
    if (*at) *at = next_awaiting_;
    next_awaiting_ = nullptr;
}

bool Link::claim(Part* part, std::ptrdiff_t distance) {
    for (Entry& entry : entries_) {
        if (entry.distance != distance || entry.part) continue;
        entry.part = part;
        if (--missing_ == 0) stop_awaiting();
        return true;
    }
    return false;
}

const std::vector<Link::Entry>& Link::entries() const {
    if (missing_)
        for (const Entry& entry : entries_)
            if (!entry.part)
                fail<ValueError>(
                    "{}: '{}' is not a member of the link that lists it, so a copy of the link "
                    "cannot "
                    "have one; make it a member, or hold it in a ChainList",
                    type_name(), entry.name);
    return entries_;
}

void Link::list(std::string name, PartKind kind, Part& part, size_t bytes) try {
    auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                               [](const Entry& e, const std::string& n) { return e.name < n; });
    if (at != entries_.end() && at->name == name)
        fail<ValueError>("{}: a parameter, state or link named '{}' is listed already", type_name(),
                         name);
    if (kind != PartKind::child && part.listed())
        fail<ValueError>(
            "{}: '{}' is another link's parameter or state, or listed under another name already; "
            "each belongs to one link. To "
            "use another link's, keep a reference and list nothing; a member made by copy(other, "
            "CopyMode::share) has "
            "the same parameters",
            type_name(), name);
    part.distance_ = distance_between(&part, this);
    entries_.insert(at, Entry{std::move(name), kind, &part, part.distance_, bytes});
    note_change();
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "listing a part");
}

void Link::add_param(std::string name, Parameter& param) try {
    param.set_name("/" + name);
    list(std::move(name), PartKind::param, param, sizeof(Parameter));
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "add_param");
}

void Link::add_params(std::initializer_list<NamedParameter> params) {
    for (const NamedParameter& each : params) add_param(each.name, each.param);
}

void Link::add_persistent(std::string name, State& state) try {
    state.set_name("/" + name);
    list(std::move(name), PartKind::persistent, state, sizeof(State));
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "add_persistent");
}

void Link::list_child_of_size(std::string name, Link& child, size_t bytes) try {
    name_child(child, name);
    child.know_size(bytes);
    list(std::move(name), PartKind::child, child, bytes);
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "listing a link");
}

void Link::name_child(Link& child, std::string name) try {
    child.name_ = std::move(name);
    child.is_owned_ = true;
    child.rename_below("/" + child.name_);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("naming a link");
}

void Link::rename_below(const std::string& prefix) const {
    for (auto& [path, param] : namedparams()) param->set_name(prefix + path);
    for (auto& [path, state] : namedpersistents()) state->set_name(prefix + path);
}

std::vector<std::pair<std::string, std::string>> Link::printable_specs() const { return {}; }

std::string Link::type_name() const { return class_name(typeid(*this)); }

void Link::visit_children(ChildVisitor visit) const {
    for (const Entry& entry : entries()) {
        if (entry.kind != PartKind::child) continue;
        auto* const child = static_cast<Link*>(entry.part);
        child->know_size(entry.bytes);  // A copied child was not a link yet when it was claimed.
        visit(entry.name, *child);
    }
}

void Link::visit_links(const std::string& path, LinkVisitor visit) const {
    visit(path, const_cast<Link&>(*this));
    visit_children(
        [&](const std::string& name, Link& child) { child.visit_links(path + "/" + name, visit); });
}

std::vector<std::pair<std::string, Parameter*>> Link::namedparams(bool include_uninit) const try {
    std::vector<std::pair<std::string, Parameter*>> found;
    visit_links("", [&](const std::string& path, Link& link) {
        const auto begin = std::ptrdiff_t(found.size());
        const auto add = [&](const std::string& name, Parameter* param) {
            if (include_uninit || param->is_initialized())
                found.emplace_back(path + "/" + name, param);
        };
        for (const Entry& entry : link.entries())
            if (entry.kind == PartKind::param) add(entry.name, static_cast<Parameter*>(entry.part));
        if (link.hooks_.empty()) return;
        for (auto& [name, param] : link.hook_params()) add(name, param);
        std::sort(found.begin() + begin, found.end());
    });
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "namedparams");
}

std::vector<std::pair<std::string, State*>> Link::namedpersistents() const try {
    std::vector<std::pair<std::string, State*>> found;
    visit_links("", [&](const std::string& path, Link& link) {
        for (const Entry& entry : link.entries())
            if (entry.kind == PartKind::persistent)
                found.emplace_back(path + "/" + entry.name, static_cast<State*>(entry.part));
        for (auto& [name, state] : link.hook_persistents())
            found.emplace_back(path + "/" + name, state);
    });
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "namedpersistents");
}

void Link::find_params(std::vector<Parameter*>& found, bool include_uninit) const {
    // Without the paths, but for the order of what hooks own.
    bool has_hooks = false;
    const auto visit = [&](const auto& self, const Link& link) -> void {
        has_hooks |= !link.hooks_.empty();
        if (has_hooks) return;
        for (const Entry& entry : link.entries())
            if (entry.kind == PartKind::param)
                if (auto* const param = static_cast<Parameter*>(entry.part);
                    include_uninit || param->is_initialized())
                    found.push_back(param);
        link.visit_children([&](const std::string&, Link& child) { self(self, child); });
    };
    visit(visit, *this);
    if (!has_hooks) return;
    found.clear();
    for (auto& [path, param] : namedparams(include_uninit)) found.push_back(param);
}

std::vector<Parameter*> Link::params(bool include_uninit) const try {
    std::vector<Parameter*> found;
    find_params(found, include_uninit);
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "params");
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) const try {
    std::vector<std::pair<std::string, Link*>> found;
    visit_links("", [&](const std::string& path, Link& link) {
        if (&link == this && skipself) return;
        found.emplace_back(path.empty() ? "/" : path, &link);
    });
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "namedlinks");
}

std::vector<Link*> Link::links(bool skipself) const try {
    std::vector<Link*> found;
    for (auto& [path, link] : namedlinks(skipself)) found.push_back(link);
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "links");
}

std::vector<Link*> Link::children() const try {
    std::vector<Link*> found;
    visit_children([&](const std::string&, Link& child) { found.push_back(&child); });
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "children");
}

std::vector<Parameter*> Link::parameters() const { return params(); }
std::vector<std::pair<std::string, Parameter*>> Link::named_parameters() const {
    return namedparams();
}

int64_t Link::count_params() const {
    int64_t count = 0;
    for (Parameter* param : params(false)) count += param->size();
    return count;
}

void Link::cleargrads() const try {
    ReusedVector<Parameter*> found;  // Each step of a training asks.
    find_params(found, true);
    for (Parameter* param : found) param->cleargrad();
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "cleargrads");
}

void Link::zerograds() const try {
    for (Parameter* param : params(false)) {
        DeviceScope scope(param->device());
        param->set_grad(Array::zeros(param->type()));
    }
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "zerograds");
}

namespace {

/// Calls visit(ours, theirs) for the parts of two links of equal structure.
template <class T, class Visit>
void pair_up(const Link& link, const std::vector<std::pair<std::string, T*>>& ours,
             const std::vector<std::pair<std::string, T*>>& theirs, const Visit& visit) {
    for (size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
        if (i >= ours.size() || i >= theirs.size() || ours[i].first != theirs[i].first) {
            bool only_ours =
                i >= theirs.size() || (i < ours.size() && ours[i].first < theirs[i].first);
            fail<ValueError>("{}: the links differ in structure: only {} has {}", link.type_name(),
                             only_ours ? "the first" : "the second",
                             only_ours ? ours[i].first : theirs[i].first);
        }
        visit(*ours[i].second, *theirs[i].second);
    }
}

void copy_content(State& ours, State& theirs) {
    if (!theirs.is_initialized()) return;
    if (ours.is_initialized() && ours.shape() != theirs.shape())
        fail<ShapeError>("copyparams: {} has shape {}, the source {}", ours.name(),
                         to_string(ours.shape()), to_string(theirs.shape()));
    Array array = theirs.array();
    if (ours.is_initialized()) array = array.astype(ours.dtype());
    update_content(ours, array.to(ours.home()));
}

}  // namespace

void Link::copyparams(const Link& other, bool copy_persistent) const try {
    pair_up(*this, namedparams(), other.namedparams(), copy_content);
    if (copy_persistent) pair_up(*this, namedpersistents(), other.namedpersistents(), copy_content);
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "copyparams");
}

void Link::addgrads(const Link& other) const try {
    pair_up(*this, namedparams(), other.namedparams(), [](Parameter& ours, Parameter& theirs) {
        if (!theirs.is_initialized()) return;
        ours.initialize(theirs.shape());
        ours.addgrad(theirs);
    });
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "addgrads");
}

void Link::copy_from(const Link& other, CopyMode mode) try {
    if (mode == CopyMode::share) {
        const auto share = [](auto& ours, const auto& theirs) { ours.share(theirs); };
        pair_up(*this, namedparams(), other.namedparams(), share);
        pair_up(*this, namedpersistents(), other.namedpersistents(), share);
        return;
    }
    copyparams(other);
    if (mode == CopyMode::init) reinitialize();
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "copy_from");
}

void Link::reinitialize() const try {
    for (Parameter* param : params()) param->reinitialize();
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "reinitialize");
}

void Link::serialize(const Serializer& s) const {
    check_all_listed();
    for (auto& [path, param] : namedparams()) s(path, *param, param->parameter_dtype());
    for (auto& [path, state] : namedpersistents()) {
        if (!s.loading() || state->is_initialized()) {
            s(path, *state, s.loading() ? state->dtype() : Dtype::float32);
        } else if (Array array = s.read(path); array.defined()) {
            s.later([state = state, array] {
                update_content(*state, array);
            });  // Its dtype is the file's.
        }
    }
}

Link& Link::to_device(Device& device) try {
    for (Parameter* param : params()) param->to_device(device);
    for (auto& [path, state] : namedpersistents()) state->to_device(device);
    for (Link* link : links()) link->move_states(device);
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "to_device");
}

Link& Link::to_device(std::string_view device) { return to_device(get_device(device)); }

Device& Link::device() const {
    for (auto& [path, param] : namedparams()) return param->home();
    for (auto& [path, state] : namedpersistents()) return state->home();
    return current_device();
}

void Link::enable_update() const {
    for (Parameter* param : params()) param->set_update_enabled(true);
}
void Link::disable_update() const {
    for (Parameter* param : params()) param->set_update_enabled(false);
}
bool Link::update_enabled() const {
    for (Parameter* param : params())
        if (param->update_enabled()) return true;
    return false;
}

}  // namespace catena
