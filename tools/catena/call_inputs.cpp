#include "tools/catena/call_inputs.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "runtime/file/npy.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/system/error.h"

namespace catena::tool {
namespace {

constexpr size_t most_arrays = 10000;

/// "gy12" with prefix "gy" is 12; nothing when `key` is something else.
std::optional<size_t> index_after(std::string_view prefix, std::string_view key) {
    if (!key.starts_with(prefix)) return {};
    const char *begin = key.data() + prefix.size(), *end = key.data() + key.size();
    size_t index = 0;
    const auto [rest, error] = std::from_chars(begin, end, index);
    if (error != std::errc() || rest != end || index >= most_arrays) return {};
    return index;
}

void place(std::vector<Array>& list, size_t index, const Array& array) {
    if (list.size() <= index) list.resize(index + 1);
    list[index] = array;
}

CallInputs sort_by_key(const std::string& path, const NamedArrays& arrays) {
    CallInputs inputs;
    const std::pair<std::string_view, std::vector<Array>*> kinds[] = {
        {"x", &inputs.x}, {"gy", &inputs.gy}, {"ggx", &inputs.ggx}};
    for (const auto& [key, array] : arrays) {
        bool known = false;
        for (const auto& [prefix, list] : kinds)
            if (const auto index = index_after(prefix, key)) {
                place(*list, *index, array);
                known = true;
            }
        if (!known)
            fail<ValueError>(
                "call: {} has an array '{}'; the keys are x0 x1 ..., gy0 ..., ggx0 ...", path, key);
    }
    for (size_t i = 0; i < inputs.x.size(); ++i)
        if (!inputs.x[i].defined())
            fail<ValueError>("call: {} has x{} but no x{}", path, inputs.x.size() - 1, i);
    return inputs;
}

}  // namespace

CallInputs read_call_inputs(const std::vector<std::string>& files) {
    if (files.size() == 1 && files[0].ends_with(".npz"))
        return sort_by_key(files[0], read_npz(files[0]));
    CallInputs inputs;
    for (const std::string& file : files) {
        if (!file.ends_with(".npy"))
            fail<ValueError>("call: {} is no input: give .npy files, or one .npz file", file);
        inputs.x.push_back(load_npy(file));
    }
    return inputs;
}

}  // namespace catena::tool
