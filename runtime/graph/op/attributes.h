#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/core/array/shape.h"
#include "runtime/core/dtype/dtype.h"
#include "runtime/core/memory/ref.h"

namespace catena {

/// A compile-time property of a call: an axis, a stride, a dtype by name, ...
/// Longer integer lists than max_rank (index tables) are arrays, not attributes.
using Attribute = std::variant<bool, int64_t, double, std::string, Dims>;

/// The named attributes of one call, immutable and shared; empty costs nothing.
class Attributes {
public:
    struct Entry {
        const char* name;  ///< The attribute's name: a literal, or a string interned by `intern`.
        Attribute value;
    };
    Attributes() = default;
    Attributes(std::initializer_list<Entry> entries);
    explicit Attributes(std::vector<Entry> entries);

    std::span<const Entry> entries() const;
    bool has(std::string_view name) const;
    /// The value of a boolean attribute. This and the following getters: InternalError when the
    /// attribute is missing or of another kind, a mistake in the op's caller.
    bool flag(std::string_view name) const;
    int64_t integer(std::string_view name) const;
    double number(std::string_view name) const;
    const std::string& text(std::string_view name) const;
    const Dims& dims(std::string_view name) const;
    Dtype dtype(std::string_view name) const;  ///< A dtype, which is stored by its name.

    uint64_t hash() const;
    friend bool operator==(const Attributes& a, const Attributes& b);

private:
    struct List : RefCounted {
        std::vector<Entry> entries;
        static void destroy(List* list);
    };
    const Attribute& at(std::string_view name) const;
    Ref<List> list_;
};

/// A copy of `name` that lives as long as the process.
const char* intern(std::string_view name);
std::string to_string(const Attribute& attribute);

}  // namespace catena
