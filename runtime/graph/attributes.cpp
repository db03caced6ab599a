#include "runtime/graph/attributes.h"

#include <functional>
#include <mutex>
#include <set>

#include "runtime/core/error.h"
#include "runtime/core/fork.h"

namespace catena {

Attributes::Attributes(std::initializer_list<Entry> entries)
    : Attributes(std::vector<Entry>(entries)) {}

Attributes::Attributes(std::vector<Entry> entries) : list_(new List) {
    list_->entries = std::move(entries);
}

std::span<const Attributes::Entry> Attributes::entries() const {
    if (!list_) return {};
    return list_->entries;
}

bool Attributes::has(std::string_view name) const {
    for (const Entry& e : entries())
        if (e.name == name) return true;
    return false;
}

const Attribute& Attributes::at(std::string_view name) const {
    for (const Entry& e : entries())
        if (e.name == name) return e.value;
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
const std::string& Attributes::text(std::string_view name) const { return get<std::string>(at(name), name); }
const Dims& Attributes::dims(std::string_view name) const { return get<Dims>(at(name), name); }
Dtype Attributes::dtype(std::string_view name) const { return parse_dtype(text(name)); }

uint64_t Attributes::hash() const {
    uint64_t h = 0;
    for (const Entry& e : entries())
        h = h * 1099511628211u + std::hash<std::string>()(std::string(e.name) + "=" + to_string(e.value));
    return h;
}

bool operator==(const Attributes& a, const Attributes& b) {
    auto x = a.entries(), y = b.entries();
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i)
        if (std::string_view(x[i].name) != y[i].name || !(x[i].value == y[i].value)) return false;
    return true;
}

const char* intern(std::string_view name) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static std::set<std::string, std::less<>> names;
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
