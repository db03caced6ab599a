#include "frontend/dataset/get_examples.h"

#include <algorithm>

#include "runtime/core/system/error.h"

namespace catena {

std::vector<Example> get_examples(const Dataset& dataset, std::span<const int64_t> indices) {
    std::vector<Example> examples;
    examples.reserve(indices.size());
    for (const int64_t i : indices) examples.push_back(dataset[i]);
    return examples;
}
std::vector<Example> get_examples(const Dataset& dataset, std::initializer_list<int64_t> indices) {
    return get_examples(dataset, std::span<const int64_t>(indices.begin(), indices.size()));
}

std::vector<Example> get_range_of_examples(const Dataset& dataset, int64_t begin, int64_t end,
                                           int64_t step) {
    if (step == 0)
        fail<ValueError>("get_range_of_examples: the step from {} to {} is 0", begin, end);
    const int64_t size = dataset.size();
    const auto bound = [&](int64_t at) {  // As of Python's slices.
        return std::clamp(at < 0 ? at + size : at, step > 0 ? int64_t(0) : int64_t(-1),
                          step > 0 ? size : size - 1);
    };
    std::vector<int64_t> indices;
    for (int64_t i = bound(begin); step > 0 ? i < bound(end) : i > bound(end); i += step)
        indices.push_back(i);
    return get_examples(dataset, indices);
}

}  // namespace catena
