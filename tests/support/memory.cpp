#include "tests/support/memory.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace catena::testing {

std::vector<std::string> memory_of(std::span<const Array> arrays) {
    std::vector<const Storage*> storages;
    std::vector<std::string> texts;
    for (const Array& array : arrays) {
        if (!array.defined()) {
            texts.emplace_back("nothing");
            continue;
        }
        const Storage* const storage = array.storage().get();
        const auto known = std::ranges::find(storages, storage);
        const auto number = known - storages.begin();
        if (known == storages.end()) storages.push_back(storage);
        Strides strides = array.strides();
        for (int d = 0; d < strides.rank(); ++d)
            if (array.dim(d) == 1) strides[d] = 0;  // Never stepped over.
        texts.push_back(fmt::format(
            "strides [{}], {}, at {} of storage {}", fmt::join(strides.begin(), strides.end(), ","),
            array.contiguous() ? "row-major" : "not row-major", array.body()->offset, number));
    }
    return texts;
}

std::vector<double> by_pointer(const Array& array) {
    const auto* const first = static_cast<const std::byte*>(array.elements());
    std::vector<double> values;
    visit_dtype(array.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* const elements = reinterpret_cast<const T*>(first);
        for (int64_t i = 0; i < array.size(); ++i) {
            if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>)
                values.push_back(double(float(elements[i])));
            else
                values.push_back(double(elements[i]));
        }
    });
    return values;
}

}  // namespace catena::testing
