#pragma once

#include <string>
#include <vector>

#include "frontend/static_graph/sizes/open_size.h"
#include "tools/catena/model_file.h"

namespace catena::tool {

/// The sizes that `catena compile` was given.
struct CompileInputs {
    std::vector<std::string> sizes;  ///< The options --size NAME=NUMBER, fixed sizes.
    /// The options --open NAME=NUMBER, open sizes with the number at which they are recorded.
    std::vector<std::string> open;
    std::vector<std::string> described;  ///< The options --input NAME=SIZExSIZE:DTYPE.
};

/// The arrays that a model is recorded with, and which of their sizes stay open.
struct RecordedInputs {
    std::vector<Variable> inputs;
    std::vector<OpenSize> open_sizes;
};

/// Makes the inputs. ValueError that names the input and what would be right where sizes are
/// missing; with `fixed` none may stay open. `path` is for messages.
RecordedInputs inputs_to_record(const ModelFile& model, const std::string& path,
                                const CompileInputs& options, bool fixed);

}  // namespace catena::tool
