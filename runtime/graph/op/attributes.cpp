#include "runtime/graph/op/attributes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/per_thread.h"

namespace catena {

namespace {

using Entries = std::span<const Attributes::Entry>;

/// Whether two values have the same bits, not only equal values: -0 is not 0, and NaN is itself.
bool is_same(const Attribute& a, const Attribute& b) {
    const double* const x = std::get_if<double>(&a);
    const double* const y = std::get_if<double>(&b);
    return x && y ? std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y) : a == b;
}

/// Whether two entries are the same, whose names are literals of one place, or interned.
bool is_same_entry(const Attributes::Entry& a, const Attributes::Entry& b) {
    return a.name == b.name && is_same(a.value, b.value);
}

/// Compares the entries of two lists. A function apart, so that the comparison of a list with
/// itself, the usual one, costs no more than that.
[[gnu::noinline]] bool have_the_same(std::span<const Attributes::Entry> a,
                                     std::span<const Attributes::Entry> b) {
    return std::ranges::equal(a, b, [](const Attributes::Entry& x, const Attributes::Entry& y) {
        return std::string_view(x.name) == y.name && is_same(x.value, y.value);
    });
}

struct HashValue {
    uint64_t operator()(bool v) const { return v; }
    uint64_t operator()(int64_t v) const { return uint64_t(v); }
    uint64_t operator()(double v) const { return std::bit_cast<uint64_t>(v); }
    uint64_t operator()(const std::string& v) const { return std::hash<std::string>()(v); }
    uint64_t operator()(const Dims& v) const {
        uint64_t h = uint64_t(v.rank());
        for (const int64_t each : v) h = h * 1099511628211u + uint64_t(each);
        return h;
    }
};

size_t place_of(Entries entries) {
    uint64_t h = entries.size();
    for (const Attributes::Entry& e : entries)
        h = (h ^ uint64_t(reinterpret_cast<uintptr_t>(e.name)) ^
             std::visit(HashValue(), e.value) * 0x9E3779B97F4A7C15u) *
            1099511628211u;
    // All bits count for the place: names are addresses, which differ from process to process, and
    // numbers are mostly small.
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
    return size_t(h ^ (h >> 33));
}

/// Lists that this thread has made. Calls make equal lists again and again: they share one, which
/// costs no allocation, and is equal to the last call's at a glance.
template <class List>
class KnownLists {
public:
    /// A list of these entries, made by make() if there is none.
    template <class Make>
    Ref<List> get(Entries entries, Make&& make) {
        const size_t first = place_of(entries);
        Place* oldest = nullptr;
        for (size_t i = 0; i < tries; ++i) {
            Place& place = places_[(first + i) % size];
            if (place.list && std::ranges::equal(place.list->entries, entries, is_same_entry)) {
                place.last_use = ++uses_;
                return place.list;
            }
            if (!oldest || place.last_use < oldest->last_use) oldest = &place;
            if (!place.list) break;
        }
        // Not one fixed place: two lists of a step that share it would make each other anew at
        // every step.
        *oldest = {make(), ++uses_};
        return oldest->list;
    }

private:
    static constexpr size_t size = 2048, tries = 8;
    struct Place {
        Ref<List> list;
        uint64_t last_use = 0;  ///< 0: there is no list.
    };
    Place places_[size];
    uint64_t uses_ = 0;
};

template <class List>
constinit PerThread<KnownLists<List>> known_lists;

}  // namespace

void Attributes::List::destroy(List* list) { delete list; }

Attributes::Attributes(std::initializer_list<Entry> entries) try {
    list_ = known_lists<List>.get().get({entries.begin(), entries.size()}, [&] {
        Ref<List> list(new List);
        list->entries = entries;
        return list;
    });
} catch (const std::bad_alloc&) {
    throw_out_of_memory("an operation", "its attributes");
}

Attributes::Attributes(std::vector<Entry> entries) try {
    list_ = known_lists<List>.get().get(entries, [&] {
        Ref<List> list(new List);
        list->entries = std::move(entries);
        return list;
    });
} catch (const std::bad_alloc&) {
    throw_out_of_memory("an operation", "its attributes");
}

std::span<const Attributes::Entry> Attributes::entries() const {
    if (!list_) return {};
    return list_->entries;
}

namespace {
/// Most names differ in their first letter: they are not measured before they are compared.
bool is_name(const char* a, std::string_view b) {
    return std::strncmp(a, b.data(), b.size()) == 0 && a[b.size()] == '\0';
}
}  // namespace

bool Attributes::has(std::string_view name) const {
    for (const Entry& e : entries())
        if (is_name(e.name, name)) return true;
    return false;
}

const Attribute& Attributes::at(std::string_view name) const {
    for (const Entry& e : entries())
        if (is_name(e.name, name)) return e.value;
    throw InternalError(fmt::format("attribute {} is missing", name));
}

namespace {
template <class T>
const T& get(const Attribute& a, std::string_view name) {
    if (const T* value = std::get_if<T>(&a)) return *value;
    throw InternalError(fmt::format("attribute {} is {}, of another kind", name, to_string(a)));
}
}  // namespace

bool Attributes::flag(std::string_view name) const { return get<bool>(at(name), name); }
int64_t Attributes::integer(std::string_view name) const { return get<int64_t>(at(name), name); }
double Attributes::number(std::string_view name) const { return get<double>(at(name), name); }
const std::string& Attributes::text(std::string_view name) const {
    return get<std::string>(at(name), name);
}
const Dims& Attributes::dims(std::string_view name) const { return get<Dims>(at(name), name); }
Dtype Attributes::dtype(std::string_view name) const { return parse_dtype(text(name)); }

uint64_t Attributes::hash() const {
    uint64_t h = 0;
    for (const Entry& e : entries())
        h = (h ^ std::hash<std::string_view>()(e.name) ^
             std::visit(HashValue(), e.value) * 0x9E3779B97F4A7C15u) *
            1099511628211u;
    return h;
}

bool operator==(const Attributes& a, const Attributes& b) {
    return a.list_ == b.list_ || have_the_same(a.entries(), b.entries());
}

const char* intern(std::string_view name) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& names =
        *new std::set<std::string, std::less<>>;  // Attributes of static objects refer to them.
    std::lock_guard lock(mutex);
    auto found = names.find(name);
    if (found == names.end()) found = names.emplace(name).first;
    return found->c_str();
}

std::string to_string(const Attribute& attribute) {
    struct Print {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return fmt::format("{}", v); }
        std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
        std::string operator()(const Dims& v) const { return to_string(v); }
    };
    return std::visit(Print(), attribute);
}

}  // namespace catena
