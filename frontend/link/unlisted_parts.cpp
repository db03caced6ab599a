// What a link holds and does not list: it would be neither trained nor saved.
#include <algorithm>
#include <utility>

#include "frontend/link/link.h"
#include "frontend/link/link_text.h"
#include "frontend/link/walk_memory.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/notice.h"

namespace catena {
namespace {

std::ptrdiff_t distance_of(const Part& part, const Link& link) {
    return reinterpret_cast<const char*>(&part) -
           reinterpret_cast<const char*>(static_cast<const Part*>(&link));
}

}  // namespace

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
        const std::ptrdiff_t distance = distance_of(*part, *this);
        for (const Entry& entry : entries_)
            if (entry.distance == distance) before = entry.name;
        if (part->listed() || part->left_out_ || in_listed(distance)) continue;
        std::string what;
        if (part->kind_ == Kind::link) {
            if (const auto& link = static_cast<const Link&>(*part); !link.params().empty())
                what = head_of(link) + ")";
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

std::vector<std::pair<const char*, const char*>> Link::known_members() const {
    const auto* const self = reinterpret_cast<const char*>(this);
    std::vector<std::pair<const char*, const char*>> known = {{self, self + sizeof(Link)}};
    for (const Entry& entry : entries()) {
        // As `before_part`: what the class has before its Part is its own, too.
        const auto* const part = reinterpret_cast<const char*>(entry.part);
        known.emplace_back(part - sizeof(void*), part + entry.bytes - sizeof(void*));
    }
    std::ranges::sort(known);
    return known;
}

std::vector<Part*> Link::parts_behind_pointers() const {
    const char* const begin = static_cast<const char*>(dynamic_cast<const void*>(this));
    const char* const end = begin + size_;
    std::vector<Part*> found;
    const auto visit = [&](const char* from, const char* to) {
        if (begin <= from && from < end) return;
        // A pointer to a link or a parameter is one to the bytes before its Part.
        constexpr size_t before_part = sizeof(void*);
        for (Part* part : Part::within(from + before_part, std::max(to, from + before_part + 1)))
            if (std::ranges::find(found, part) == found.end()) found.push_back(part);
    };
    const char* at = begin;
    for (const auto& [from, to] : known_members()) {
        if (at < from) MemoryWalk::from(at, std::min(from, end), visit);
        at = std::max(at, std::min(to, end));
    }
    if (at < end) MemoryWalk::from(at, end, visit);
    return found;
}

/// Whether a part belongs neither to this link, nor to another one, nor to an optimizer, and is not
/// left out on purpose.
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

void Link::check_all_listed() const try {
    visit_links("", [&](const std::string&, Link& link) {
        for (const Part* part : link.parts_behind_pointers())
            if (is_lost(*part))
                notice_once(fmt::format(
                    "{}: a pointer or a container in it leads to {}, which no link lists: it is "
                    "neither trained nor saved with it. Hold it in a ChainList; or say "
                    "leave_out(it) in the constructor",
                    link.type_name(),
                    part->kind_ == Kind::link
                        ? head_of(static_cast<const Link&>(*part)) + ")"
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
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "looking for parts");
}

}  // namespace catena
