#include "frontend/dataset/example.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena {

template <class T>
size_t Record<T>::checked(size_t i) const {
    if (i >= values_.size())
        fail<ValueError>("Example: there is no value {}; there are {}", i, values_.size());
    return i;
}

template <class T>
size_t Record<T>::index_of(std::string_view key) const {
    auto found = std::find(keys_.begin(), keys_.end(), key);
    if (found == keys_.end())
        fail<ValueError>(
            "Example: there is no '{}'; there are {}", key,
            is_dict_ ? fmt::format("{}", fmt::join(keys_, ", ")) : "no keys, it is not a dict");
    return size_t(found - keys_.begin());
}

template class Record<Array>;
template class Record<Variable>;

std::string to_string(const Example& example) {
    std::string text = example.is_dict()    ? fmt::format("dict of {}: ", example.size())
                       : example.is_tuple() ? fmt::format("tuple of {}: ", example.size())
                                            : "";
    for (size_t i = 0; i < example.size(); ++i) {
        if (i > 0) text += ", ";
        if (example.is_dict()) text += example.keys()[i] + " ";
        text += to_string(example[i].type());
    }
    return text;
}

}  // namespace catena
