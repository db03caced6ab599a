#include "tools/catena/run_options.h"

#include <charconv>
#include <optional>

#include "frontend/serializer/npz.h"
#include "tools/catena/call_inputs.h"
#include "tools/catena/random_inputs.h"

namespace catena::tool {
namespace {

/// The whole text as a size.
std::optional<int64_t> size_in(std::string_view text) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size() || size < 0) return std::nullopt;
    return size;
}

/// NAME=SIZExSIZE:DTYPE as an array.
std::pair<std::string, Array> described_input(const std::string& command, const std::string& text,
                                              RandomInputs& random) {
    const size_t equals = text.find('='), colon = text.find(':', equals == text.npos ? 0 : equals);
    const auto wrong = [&] {
        fail<ValueError>("{}: --input {}: write NAME=SIZExSIZE:DTYPE, as in x=32x8:float32",
                         command, text);
    };
    if (equals == 0 || equals == text.npos) wrong();
    const Dtype dtype = colon == text.npos ? Dtype::float32 : parse_dtype(text.substr(colon + 1));
    Shape shape;
    std::string_view list =
        std::string_view(text).substr(equals + 1, colon == text.npos ? colon : colon - equals - 1);
    for (bool more = !list.empty(); more;) {
        const size_t end = list.find('x');
        const std::optional<int64_t> size = size_in(list.substr(0, end));
        if (!size) wrong();
        shape.push_back(*size);
        more = end != list.npos;
        if (more) list.remove_prefix(end + 1);
    }
    // An array that cannot be is refused with its type; what is drawn is drawn into a vector first.
    const Array array = Array::zeros({dtype, shape});
    return {text.substr(0, equals), is_float(dtype) ? random.uniform(shape).astype(dtype) : array};
}

/// Inputs that the user described instead of giving files, by the names of `ports`.
std::vector<Array> made_arrays(const std::vector<std::string>& ports,
                               const std::vector<std::string>& texts) {
    std::map<std::string, Array> made = described_inputs("run", texts);
    std::vector<Array> arrays;
    std::string names;
    for (const std::string& port : ports) {
        names += (names.empty() ? "" : ", ") + port;
        const auto found = made.find(port);
        if (found == made.end()) continue;
        arrays.push_back(found->second);
        made.erase(found);
    }
    if (!made.empty())
        fail<ValueError>("run: --input {}: there is no such input; there are {}",
                         made.begin()->first, names);
    if (arrays.size() != ports.size())
        fail<ValueError>("run: {} of the inputs are given by --input; all are needed: {}",
                         arrays.size(), names);
    return arrays;
}

}  // namespace

std::map<std::string, Array> described_inputs(const std::string& command,
                                              const std::vector<std::string>& texts) {
    RandomInputs random;
    std::map<std::string, Array> made;
    for (const std::string& text : texts)
        if (const auto [at, is_new] = made.insert(described_input(command, text, random)); !is_new)
            fail<ValueError>("{}: --input {}: {} is given twice", command, text, at->first);
    return made;
}

std::vector<Array> arrays_for(const std::vector<std::string>& ports, const RunOptions& options) {
    const std::vector<std::string>& files = options.inputs;
    if (!options.made_inputs.empty()) {
        if (!files.empty())
            fail<ValueError>("run: inputs are given by files and by --input; use one of the two");
        return made_arrays(ports, options.made_inputs);
    }
    std::vector<Array> arrays;
    if (files.size() == 1 && files[0].ends_with(".npz")) {
        const NpzFile file(files[0]);
        bool by_name = true;
        for (const std::string& port : ports) by_name &= file.contains(port);
        for (const std::string& port : ports)
            if (by_name) arrays.push_back(file.read(port));
        if (by_name) return arrays;
        std::string wanted;
        for (const std::string& port : ports) wanted += (wanted.empty() ? "" : ", ") + port;
        for (const std::string& key : file.keys())
            if (!key.starts_with('x'))
                fail<ValueError>(
                    "run: {} has an array '{}'; the inputs are {}, or x0 x1 ... in this order",
                    files[0], key, wanted);
    }
    return read_call_inputs(files).x;
}

}  // namespace catena::tool
