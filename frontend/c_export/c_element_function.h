#pragma once

#include <string>
#include <vector>

#include "runtime/ops/declare/device_form.h"
#include "runtime/program/schedule/schedule.h"

namespace catena {

/// A call of an op with element texts as a C function: a loop over the elements for each pass,
/// with sizes and attributes as constants. Equal calls have equal texts.
class CElementFunction {
public:
    /// A function for calls with the types and attributes of `call`; nothing else of it is read.
    /// Inputs will be row-major.
    explicit CElementFunction(const program::LibraryCall& call);

    /// Whether there is nothing to compute.
    bool empty() const { return body_.empty(); }
    const std::string& text() const { return text_; }
    std::string named(const std::string& name) const;

    // The C function's parameters, in this order.
    const std::vector<int>& inputs() const { return inputs_; }
    const std::vector<int>& outputs() const { return outputs_; }
    bool uses_scratch() const { return uses_scratch_; }
    size_t scratch_bytes() const { return scratch_bytes_; }
    const std::vector<int>& scalars() const { return scalars_; }
    bool checks_places() const { return checks_places_; }

private:
    std::string pass_text(const KernelCall& call, const ElementPass& pass);

    std::string body_, text_;
    std::vector<int> inputs_, outputs_, scalars_;
    size_t scratch_bytes_ = 0;
    bool uses_scratch_ = false, checks_places_ = false;
};

/// The types and functions that `functions`, of the program `name`, use; may be empty.
std::string c_element_support(const std::string& functions, const std::string& name);

/// The C function NAME_copy(...), which copies arrays with any strides.
std::string c_copy_function(const std::string& name);

}  // namespace catena
