#include "runtime/ops/array/indexing/read_slices.h"

#include <algorithm>
#include <string>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// The elements of an index array, or of a mask.
struct IndexElements {
    Shape shape;
    std::vector<int64_t> values;
    bool has_integers = false, has_bools = false;

    void append(const LiteralValue& value, int depth = 0) {
        if (const int64_t* integer = std::get_if<int64_t>(&value.value)) {
            has_integers = true;
            return values.push_back(*integer);
        }
        if (const bool* flag = std::get_if<bool>(&value.value); flag && depth > 0) {
            has_bools = true;
            return values.push_back(*flag);
        }
        const auto list = value.items();
        if (!list)
            fail<ValueError>("get_item: an index array is a list of integers or of bools, not {}",
                             to_string(value));
        if (depth == shape.rank()) shape.push_back(int64_t(list->size()));
        for (const LiteralValue& item : *list) append(item, depth + 1);
    }
};

/// "1:5", "::-1", "...": what a slice is in text.
Index index_of_text(const std::string& text) {
    if (text == "...") return ellipsis;
    std::optional<int64_t> parts[3];
    size_t from = 0;
    int count = 0;
    for (; count < 3 && from <= text.size(); ++count) {
        const size_t colon = std::min(text.find(':', from), text.size());
        if (colon > from) {
            const LiteralValue part = parse_literal(text.substr(from, colon - from));
            const int64_t* integer = std::get_if<int64_t>(&part.value);
            if (!integer)
                fail<ValueError>("get_item: '{}' is not a slice like '1:5' or '::-1'", text);
            parts[count] = *integer;
        }
        from = colon + 1;
    }
    if (count < 2 || from <= text.size())
        fail<ValueError>("get_item: '{}' is not a slice like '1:5' or '::-1'", text);
    return slice(parts[0], parts[1], parts[2].value_or(1));
}

Index index_of_literal(const LiteralValue& value) {
    if (value.is_none()) return newaxis;
    if (const int64_t* integer = std::get_if<int64_t>(&value.value)) return *integer;
    if (const std::string* text = std::get_if<std::string>(&value.value))
        return index_of_text(*text);
    IndexElements elements;
    elements.append(value);
    if (int64_t(elements.values.size()) != element_count(elements.shape))
        fail<ValueError>("get_item: the rows of an index array must have equal lengths");
    if (elements.has_bools && elements.has_integers)
        fail<ValueError>("get_item: an index array has integers or bools, not both: {}",
                         to_string(value));
    const Array array = Array::from(elements.values, elements.shape);
    return Variable(elements.has_bools ? array.astype(Dtype::bool_) : array, false);
}

}  // namespace

std::vector<Index> read_slices(const FunctionArguments& a) {
    const auto list = a.value("slices").items();
    std::vector<Index> slices;
    if (!list)
        slices.push_back(index_of_literal(a.value("slices")));
    else
        for (const LiteralValue& item : *list) slices.push_back(index_of_literal(item));
    return slices;
}

}  // namespace catena
