#pragma once

#include <iosfwd>

#include "runtime/graph/op/hooks.h"

namespace catena {

/// Prints every operation of this thread with its inputs; in backward, with the inputs that were
/// kept and the gradients that it receives. By default types alone are printed; elements are read
/// on the host, so that a static region would be cut.
class PrintHook : public FunctionHook {
public:
    explicit PrintHook(bool elements = false);  ///< Prints to std::cout.
    PrintHook(std::ostream& out, bool elements = false) : out_(out), elements_(elements) {}

    std::string name() const override { return "PrintHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                             std::span<const Variable> grad_outputs) override;

private:
    void print(const char* what, size_t number, const Variable& value);
    std::ostream& out_;
    bool elements_;
};

}  // namespace catena
