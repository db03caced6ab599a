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
    /// An attribute with its name.
    struct Entry {
        const char* name;  ///< The attribute's name: a literal, or a string interned by `intern`.
        /// The value.
        Attribute value;
    };
    Attributes() = default;
    /// A list of these attributes.
    Attributes(std::initializer_list<Entry> entries);
    /// A list of these attributes.
    explicit Attributes(std::vector<Entry> entries);

    /// The attributes in the order in which they were given.
    std::span<const Entry> entries() const;
    /// Whether there is an attribute of that name.
    bool has(std::string_view name) const;
    /// The value of a boolean attribute. This and the following getters: InternalError when the
    /// attribute is missing or of another kind, a mistake in the op's caller.
    bool flag(std::string_view name) const;
    /// The value of an integer attribute.
    int64_t integer(std::string_view name) const;
    /// The value of a floating attribute.
    double number(std::string_view name) const;
    /// The value of a text attribute.
    const std::string& text(std::string_view name) const;
    /// The value of a list of integers.
    const Dims& dims(std::string_view name) const;
    /// A dtype, which is stored by its name.
    Dtype dtype(std::string_view name) const;

    /// Equal attributes have equal numbers.
    uint64_t hash() const;
    friend bool operator==(const Attributes& a, const Attributes& b);

private:
    /// The list behind a handle.
    struct List : RefCounted {
        std::vector<Entry> entries;
        static void destroy(List* list);
    };
    const Attribute& at(std::string_view name) const;
    Ref<List> list_;
};

/// A copy of `name` that lives as long as the process.
const char* intern(std::string_view name);
/// The value as text, for messages.
std::string to_string(const Attribute& attribute);

}  // namespace catena
