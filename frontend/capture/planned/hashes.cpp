#include "frontend/capture/planned/hashes.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>

namespace catena::capture {

uint64_t hash_of_numbers(uint64_t hash, const Dims& numbers) {
    for (int64_t number : numbers) hash = hash_of(hash, uint64_t(number));
    return hash;
}

uint64_t hash_of_numbers(uint64_t hash, const Attributes& attributes) {
    for (const Attributes::Entry& entry : attributes.entries()) {
        if (const Dims* dims = std::get_if<Dims>(&entry.value))
            hash = hash_of_numbers(hash, *dims);
        else if (const int64_t* integer = std::get_if<int64_t>(&entry.value))
            hash = hash_of(hash, uint64_t(*integer));
    }
    return hash;
}

uint64_t hash_of_code(const Trace::Step& step) {
    uint64_t hash = uint64_t(reinterpret_cast<uintptr_t>(step.op));
    for (const Attributes::Entry& entry : step.attributes.entries()) {
        uint64_t value = entry.value.index();
        if (const bool* flag = std::get_if<bool>(&entry.value)) value = *flag;
        if (const double* real = std::get_if<double>(&entry.value))
            value = std::bit_cast<uint64_t>(*real);
        if (const std::string* text = std::get_if<std::string>(&entry.value))
            value = std::hash<std::string_view>()(*text);
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) value = uint64_t(dims->rank());
        hash = hash_of(hash, value);
    }
    return hash;
}

uint64_t hash_of_set(std::vector<uint64_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    uint64_t hash = list.size();
    for (uint64_t each : list) hash = hash_of(hash, each);
    return hash;
}

}  // namespace catena::capture
