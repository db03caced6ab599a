#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/no_memory/trials.h"

namespace catena::testing {

inline constexpr const char* work_names[] = {
    "eager_step",       "compiled_step", "first_eager_step", "first_compiled_step",
    "backward",         "training",      "making_models",    "save_npz",
    "load_npz",         "save_hdf5",     "load_hdf5",        "save_safetensors",
    "load_safetensors", "import_onnx"};

struct NamedWork {
    std::function<std::unique_ptr<Work>()> make;
    bool is_first = false;  ///< What a process does but once is part of it.
    bool compiles = false;
};

/// None where this build lacks what it is about. Files lie in `folder`.
std::optional<NamedWork> find_work(const std::string& name, const std::string& folder);

}  // namespace catena::testing
