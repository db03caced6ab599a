#include "runtime/file/unsigned_elements.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

template <class From, class To>
void widen(char* data, int64_t elements) {
    // The narrow elements are at the front of the block: widening from the back overwrites nothing
    // unread.
    for (int64_t i = elements - 1; i >= 0; --i) {
        From narrow;
        std::memcpy(&narrow, data + i * int64_t(sizeof(From)), sizeof narrow);
        To wide = To(narrow);
        std::memcpy(data + i * int64_t(sizeof(To)), &wide, sizeof wide);
    }
}

void check_unsigned(const Array& array, const std::string& name) {
    const int64_t* const begin = array.elements<int64_t>();
    const int64_t* const end = begin + array.size();
    const int64_t* const large = std::find_if(begin, end, [](int64_t v) { return v < 0; });
    if (large != end)
        fail<FileError>("{}: element {} is {}; of uint64 only what int64 can hold is read", name,
                        large - begin, uint64_t(*large));
}

}  // namespace

void widen_unsigned(const Array& array, size_t bytes, const std::string& name) {
    CATENA_ASSERT(array.dtype() == widened_dtype(bytes), "unsigned elements of another dtype");
    char* const data = static_cast<char*>(array.to_fill());
    if (bytes == 2) widen<uint16_t, int32_t>(data, array.size());
    if (bytes == 4) widen<uint32_t, int64_t>(data, array.size());
    if (bytes == 8) check_unsigned(array, name);
}

}  // namespace catena
