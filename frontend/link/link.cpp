#include "frontend/link/link.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontend/serializer/serializer.h"
#include "runtime/core/class_name.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/notice.h"
#include "runtime/core/per_thread.h"
#include "runtime/core/reused_vector.h"
#include "runtime/graph/held_state.h"
#include "runtime/graph/node.h"
#include "runtime/graph/recorder.h"

namespace catena {
namespace {

// Links being copied on this thread whose members have not been copied yet: C++ copies the base
// class first.
constinit PerThread<std::vector<Link*>> awaiting_parts;

std::ptrdiff_t distance_between(const Part* part, const Link* link) {
    return reinterpret_cast<const char*>(part) -
           reinterpret_cast<const char*>(static_cast<const Part*>(link));
}

std::string described(const Link& link) {
    std::string specs;
    for (auto& [key, value] : link.printable_specs())
        specs += (specs.empty() ? "" : ", ") + key + "=" + value;
    return link.type_name() + "(" + specs;
}

}  // namespace

void Part::follow(const Part& other) noexcept {
    if (other.distance_ == 0) return;
    for (Link* link : awaiting_parts.get()) {
        if (distance_between(this, link) != other.distance_) continue;
        if (link->claim(this, other.distance_)) distance_ = other.distance_;
        return;
    }
}

Link::Link() : Part(Kind::link) {}

Link::~Link() {
    if (place_) *place_ = nullptr;
    if (missing_) std::erase(awaiting_parts.get(), this);
}

Link::Link(const Link& other)
    : Part(other), name_(other.name_), entries_(other.entries()), hooks_(other.copied_hooks()) {
    expect_parts();
}
Link::Link(Link&& other) noexcept
    : Part(other),
      name_(other.name_),
      entries_(other.entries_),
      hooks_(std::move(other.hooks_)),
      place_(std::move(other.place_)) {
    if (place_) *place_ = this;
    other.was_moved_from_ = true;
    expect_parts();
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
    was_moved_from_ = false;
    return *this;
}
Link& Link::operator=(Link&& other) {
    if (!was_moved_from_ || this == &other) return *this = std::as_const(other);
    *this = std::as_const(other);
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

void Link::expect_parts() {
    for (Entry& entry : entries_) entry.part = nullptr;
    missing_ = entries_.size();
    if (missing_) awaiting_parts.get().push_back(this);
}

bool Link::claim(Part* part, std::ptrdiff_t distance) {
    for (Entry& entry : entries_) {
        if (entry.distance != distance || entry.part) continue;
        entry.part = part;
        if (--missing_ == 0) std::erase(awaiting_parts.get(), this);
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

void Link::list(std::string name, PartKind kind, Part& part, size_t bytes) {
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
}

void Link::add_param(std::string name, Parameter& param) {
    param.set_name("/" + name);
    list(std::move(name), PartKind::param, param, sizeof(Parameter));
}

void Link::add_params(std::initializer_list<NamedParameter> params) {
    for (const NamedParameter& each : params) add_param(each.name, each.param);
}

void Link::add_persistent(std::string name, State& state) {
    state.set_name("/" + name);
    list(std::move(name), PartKind::persistent, state, sizeof(State));
}

void Link::list_child_of_size(std::string name, Link& child, size_t bytes) {
    name_child(child, name);
    child.know_size(bytes);
    list(std::move(name), PartKind::child, child, bytes);
}

void Link::name_child(Link& child, std::string name) {
    child.name_ = std::move(name);
    child.is_owned_ = true;
    child.rename_below("/" + child.name_);
}

void Link::rename_below(const std::string& prefix) const {
    for (auto& [path, param] : namedparams()) param->set_name(prefix + path);
    for (auto& [path, state] : namedpersistents()) state->set_name(prefix + path);
}

std::vector<std::pair<std::string, std::string>> Link::printable_specs() const { return {}; }

std::string Link::type_name() const { return class_name(typeid(*this)); }

std::vector<std::string> Link::unlisted_parts() const {
    const char* const begin = reinterpret_cast<const char*>(static_cast<const Part*>(this));
    std::ptrdiff_t size = std::ptrdiff_t(size_);
    for (const Entry& entry : entries())
        size = std::max(size, entry.distance + std::ptrdiff_t(entry.bytes));
    const auto in_listed = [&](std::ptrdiff_t distance) {
        return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
            return distance >= entry.distance &&
                   distance < entry.distance + std::ptrdiff_t(entry.bytes);
        });
    };
    std::vector<std::string> found;
    std::string before;
    for (Part* part : Part::within(begin + 1, begin + size)) {
        const std::ptrdiff_t distance = distance_between(part, this);
        for (const Entry& entry : entries_)
            if (entry.distance == distance) before = entry.name;
        if (part->listed() || part->left_out_ || in_listed(distance)) continue;
        std::string what;
        if (part->kind_ == Kind::link) {
            if (const auto& link = static_cast<const Link&>(*part); !link.params().empty())
                what = described(link) + ")";
        } else if (const auto& parameter = static_cast<const Parameter&>(*part);
                   parameter.is_initialized()) {
            what = "Parameter of " + to_string(parameter.type());
        }
        if (what.empty()) continue;
        found.push_back(what +
                        (before.empty() ? ", the first member" : ", after '" + before + "'"));
    }
    return found;
}

std::vector<Part*> Link::parts_behind_pointers() const {
    const char* const begin = static_cast<const char*>(dynamic_cast<const void*>(this));
    std::vector<Part*> found;
    for (size_t at = 0; at + sizeof(void*) <= size_; at += sizeof(void*)) {
        const char* pointer = nullptr;
        std::memcpy(&pointer, begin + at, sizeof pointer);
        if (begin <= pointer && pointer < begin + size_) continue;
        // A pointer to a link or a parameter is one to the bytes before its Part.
        constexpr size_t before_part = sizeof(void*);
        for (Part* part : Part::within(pointer + before_part, pointer + before_part + 1))
            if (std::ranges::find(found, part) == found.end()) found.push_back(part);
    }
    return found;
}

/// Not of this link, nor of another one, nor of an optimizer, and not left out.
bool Link::is_lost(const Part& part) const {
    if (part.listed() || part.left_out_ || part.is_owned_) return false;
    const auto is_lost = [](const Parameter* param) {
        return param->is_initialized() && !param->body()->is_trained;
    };
    if (part.kind_ == Kind::parameter) return is_lost(static_cast<const Parameter*>(&part));
    const auto& link = static_cast<const Link&>(part);
    const std::vector<Link*> own = links();
    return std::ranges::find(own, &link) == own.end() &&
           std::ranges::any_of(link.params(), is_lost);
}

void Link::check_all_listed() const {
    visit_links("", [&](const std::string&, Link& link) {
        for (const Part* part : link.parts_behind_pointers())
            if (is_lost(*part))
                notice_once(fmt::format(
                    "{}: a pointer or a container in it leads to {}, which no link lists: it is "
                    "neither trained nor saved with it. Hold it in a ChainList; or say "
                    "leave_out(it) in the constructor",
                    link.type_name(),
                    part->kind_ == Kind::link
                        ? described(static_cast<const Link&>(*part)) + ")"
                        : "a Parameter of " +
                              to_string(static_cast<const Parameter*>(part)->type())));
    });
    visit_links("", [](const std::string& path, Link& link) {
        const std::vector<std::string> parts = link.unlisted_parts();
        if (parts.empty()) return;
        fail<ValueError>(
            "{}{}: the member {} is not listed, so it would be neither trained nor saved; list it "
            "in the "
            "constructor with {}(\"name\", member), or leave_out(member) if that is meant",
            link.type_name(), path.empty() ? "" : " at " + path, parts[0],
            parts[0].starts_with("Parameter") ? "add_param" : "add_child");
    });
}

void Link::visit_children(ChildVisitor visit) const {
    for (const Entry& entry : entries()) {
        if (entry.kind != PartKind::child) continue;
        auto* const child = static_cast<Link*>(entry.part);
        child->know_size(entry.bytes);  // A copied child was not a link yet when it was claimed.
        visit(entry.name, *child);
    }
}

template <class Visit>
void Link::visit_links(const std::string& path, const Visit& visit) const {
    visit(path, const_cast<Link&>(*this));
    visit_children(
        [&](const std::string& name, Link& child) { child.visit_links(path + "/" + name, visit); });
}

std::vector<std::pair<std::string, Parameter*>> Link::namedparams(bool include_uninit) const {
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
}

std::vector<std::pair<std::string, State*>> Link::namedpersistents() const {
    std::vector<std::pair<std::string, State*>> found;
    visit_links("", [&](const std::string& path, Link& link) {
        for (const Entry& entry : link.entries())
            if (entry.kind == PartKind::persistent)
                found.emplace_back(path + "/" + entry.name, static_cast<State*>(entry.part));
        for (auto& [name, state] : link.hook_persistents())
            found.emplace_back(path + "/" + name, state);
    });
    return found;
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

std::vector<Parameter*> Link::params(bool include_uninit) const {
    std::vector<Parameter*> found;
    find_params(found, include_uninit);
    return found;
}

std::vector<std::pair<std::string, Link*>> Link::namedlinks(bool skipself) const {
    std::vector<std::pair<std::string, Link*>> found;
    visit_links("", [&](const std::string& path, Link& link) {
        if (&link == this && skipself) return;
        found.emplace_back(path.empty() ? "/" : path, &link);
    });
    return found;
}

std::vector<Link*> Link::links(bool skipself) const {
    std::vector<Link*> found;
    for (auto& [path, link] : namedlinks(skipself)) found.push_back(link);
    return found;
}

std::vector<Link*> Link::children() const {
    std::vector<Link*> found;
    visit_children([&](const std::string&, Link& child) { found.push_back(&child); });
    return found;
}

int64_t Link::count_params() const {
    int64_t count = 0;
    for (Parameter* param : params(false)) count += param->size();
    return count;
}

void Link::cleargrads() const {
    ReusedVector<Parameter*> found;  // Each step of a training asks.
    find_params(found, true);
    for (Parameter* param : found) param->cleargrad();
}

void Link::zerograds() const {
    for (Parameter* param : params(false)) {
        DeviceScope scope(param->device());
        param->set_grad(Array::zeros(param->type()));
    }
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

void Link::copyparams(const Link& other, bool copy_persistent) const {
    pair_up(*this, namedparams(), other.namedparams(), copy_content);
    if (copy_persistent) pair_up(*this, namedpersistents(), other.namedpersistents(), copy_content);
}

void Link::addgrads(const Link& other) const {
    pair_up(*this, namedparams(), other.namedparams(), [](Parameter& ours, Parameter& theirs) {
        if (!theirs.is_initialized()) return;
        ours.initialize(theirs.shape());
        ours.addgrad(theirs);
    });
}

void Link::copy_from(const Link& other, CopyMode mode) {
    if (mode == CopyMode::share) {
        const auto share = [](auto& ours, const auto& theirs) { ours.share(theirs); };
        pair_up(*this, namedparams(), other.namedparams(), share);
        pair_up(*this, namedpersistents(), other.namedpersistents(), share);
        return;
    }
    copyparams(other);
    if (mode == CopyMode::init) reinitialize();
}

void Link::reinitialize() const {
    for (Parameter* param : params()) param->reinitialize();
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

Link& Link::to_device(Device& device) {
    for (Parameter* param : params()) param->to_device(device);
    for (auto& [path, state] : namedpersistents()) state->to_device(device);
    for (Link* link : links()) link->move_states(device);
    return *this;
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

namespace {

void write(std::string& text, const Link& link, const std::string& indent) {
    const std::string head = described(link);
    text += head;
    std::vector<Link*> children = link.children();
    const std::vector<std::string> unlisted = link.unlisted_parts();
    if (children.empty() && unlisted.empty()) {
        text += ")";
        return;
    }
    text += head.ends_with('(') ? "\n" : ",\n";
    for (const Link* child : children) {
        text += indent + "  (" + child->name() + "): ";
        write(text, *child, indent + "  ");
        text += ",\n";
    }
    for (const std::string& part : unlisted) text += indent + "  (not listed): " + part + ",\n";
    text += indent + ")";
}

}  // namespace

std::string to_string(const Link& link) {
    std::string text;
    write(text, link, "");
    return text;
}

}  // namespace catena
