#include "runtime/ops/array/read_slices.h"

#include <algorithm>
#include <string>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

void append_integers(const LiteralValue& value, int depth, Shape& shape,
                     std::vector<int64_t>& integers) {
    if (const int64_t* integer = std::get_if<int64_t>(&value.value))
        return integers.push_back(*integer);
    const auto list = value.items();
    if (!list) fail<ValueError>("get_item: an index array is a list of integers");
    if (depth == shape.rank()) shape.push_back(int64_t(list->size()));
    for (const LiteralValue& item : *list) append_integers(item, depth + 1, shape, integers);
}

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
    Shape shape;
    std::vector<int64_t> integers;
    append_integers(value, 0, shape, integers);
    if (int64_t(integers.size()) != element_count(shape))
        fail<ValueError>("get_item: the rows of an index array must have equal lengths");
    return Variable(Array::from(integers, shape), false);
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
