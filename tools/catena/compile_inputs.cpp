#include "tools/catena/compile_inputs.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "runtime/core/system/error.h"
#include "tools/catena/random_inputs.h"
#include "tools/catena/run_options.h"
#include "tools/catena/size_option.h"

namespace catena::tool {
namespace {

constexpr int64_t usual_size = 2;  // At 1 an axis broadcasts, which would hide how sizes depend.

/// Makes the arrays of one model's inputs.
class Recorder {
public:
    Recorder(const std::string& path, const CompileInputs& options, bool fixed)
        : path_(path),
          fixed_(fixed),
          sizes_(parse_sizes("compile", "--size", options.sizes)),
          open_(parse_sizes("compile", "--open", options.open)),
          described_(described_inputs("compile", options.described)) {
        for (const auto& [name, size] : open_)
            if (sizes_.contains(name))
                fail<ValueError>("compile: --size and --open both give {}", name);
    }

    void add(const ModelInput& input) {
        const auto found = described_.find(input.name);
        const int index = int(made_.inputs.size());
        const Array array = found == described_.end()
                                ? random_array(input, index)
                                : checked(input, described_.extract(found).mapped());
        made_.inputs.emplace_back(array, false);
    }

    /// After all inputs: what the user named and no input has is an error.
    RecordedInputs finish(const ModelFile& model) {
        if (!described_.empty()) unknown("--input", described_.begin()->first, model.input_names());
        for (const auto* given : {&sizes_, &open_})
            for (const auto& [name, size] : *given)
                if (!seen_.contains(name))
                    unknown(given == &sizes_ ? "--size" : "--open", name,
                            std::vector<std::string>(seen_.begin(), seen_.end()));
        return std::move(made_);
    }

private:
    Array random_array(const ModelInput& input, int index) {
        if (!input.dtype || !input.shape)
            fail<ValueError>(
                "compile: {} does not say what its input {} is: give --input "
                "{}=SIZExSIZE:DTYPE",
                path_, input.name, input.name);
        Shape shape;
        for (int axis = 0; axis < int(input.shape->size()); ++axis)
            shape.push_back(size_of_axis(input, index, axis));
        return is_float(*input.dtype) ? random_.uniform(shape).astype(*input.dtype)
                                      : Array::zeros({*input.dtype, shape});
    }

    int64_t size_of_axis(const ModelInput& input, int index, int axis) {
        const std::string& text = (*input.shape)[axis];
        int64_t size = 0;
        const char* const end = text.data() + text.size();
        if (std::from_chars(text.data(), end, size) == std::from_chars_result{end, {}}) return size;
        if (text.empty())
            fail<ValueError>(
                "compile: {} does not say how large axis {} of its input {} is: give --input "
                "{}=SIZExSIZE:DTYPE",
                path_, axis, input.name, input.name);
        seen_.insert(text);
        if (const auto given = sizes_.find(text); given != sizes_.end()) return given->second;
        if (fixed_)
            fail<ValueError>("compile: the sizes of C are fixed, {} is open: give --size {}=NUMBER",
                             text, text);
        made_.open_sizes.push_back({index, axis, text});
        const auto given = open_.find(text);
        return given == open_.end() ? usual_size : given->second;
    }

    Array checked(const ModelInput& input, const Array& array) {
        const bool same_rank = !input.shape || int(input.shape->size()) == array.rank();
        if (!same_rank || (input.dtype && *input.dtype != array.dtype()))
            fail<ValueError>("compile: --input {0}: {1} is {2}{3} in {4}, not {5}", input.name,
                             input.name, input.dtype ? name_of(*input.dtype) : "an array",
                             input.shape ? fmt::format(" of {} axes", input.shape->size()) : "",
                             path_, to_string(array.type()));
        return array;
    }

    [[noreturn]] void unknown(const char* option, const std::string& name,
                              const std::vector<std::string>& known) const {
        std::string names;
        for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
        fail<ValueError>("compile: {} {}: {} has no such name; it has {}", option, name, path_,
                         names.empty() ? "none" : names);
    }

    std::string path_;
    bool fixed_;
    std::map<std::string, int64_t> sizes_, open_;
    std::map<std::string, Array> described_;
    std::set<std::string> seen_;  ///< Names of sizes.
    RandomInputs random_;
    RecordedInputs made_;
};

}  // namespace

RecordedInputs inputs_to_record(const ModelFile& model, const std::string& path,
                                const CompileInputs& options, bool fixed) {
    Recorder recorder(path, options, fixed);
    for (const ModelInput& input : model.inputs) recorder.add(input);
    return recorder.finish(model);
}

}  // namespace catena::tool
