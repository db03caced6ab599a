#pragma once

#include <source_location>
#include <span>
#include <string_view>

#include "runtime/graph/node/node.h"

namespace catena {

/// Base of functions with a gradient of the user's, whose object stands for one call: it is made
/// for the call, may store data between forward and backward, and lives as long as the call's node
/// of the graph. As chainer.FunctionNode.
class UserFunction : public NodeFunction {
public:
    /// The function's name in errors, explain(), profiles and hooks. It must be equal for all
    /// objects of a class: each name is an operation that lives as long as the process.
    virtual std::string_view name() const = 0;
    /// Computes the results. It may be written with functions, or read elements and make arrays of
    /// its own; its graph is not recorded.
    virtual Variables forward(std::span<const Variable> xs) = 0;
    /// Computes the gradients of the inputs `wanted`, in that order; an undefined one is none.
    /// `gys` are those of the results, undefined where nothing flows. Written with functions it can
    /// be differentiated again.
    virtual Variables backward(std::span<const int> wanted, std::span<const Variable> gys) = 0;

    // What is kept for backward, said in the constructor or in forward: all inputs and no outputs
    // if nothing is said. From number 63 on they are kept together.
    void retain_inputs(std::span<const int> inputs);
    void retain_outputs(std::span<const int> outputs);

    // While backward runs; ValueError otherwise, and for what was not retained.
    Variable retained_input(int input) const;
    Variable retained_output(int output) const;

    Variables gradient(const GradientCall& call) final;

private:
    friend Variables call_user_function(const Ref<UserFunction>&, std::span<const Variable>,
                                        const std::source_location&);
    struct Calling;
    static const OpDef& op_of(std::string_view name);
    const GradientCall& running(const char* what, int index, uint64_t kept) const;
    Variables results(std::span<const Variable> xs);

    Reads kept_{~uint64_t(0), 0};
    int outputs_ = -1;  ///< Number of results; -1 before forward.
    const GradientCall* running_ = nullptr;
};

/// Calls `function` with `xs` and returns its results; their node owns the object. In a static
/// region the operations of forward become parts of the program, and so do those of backward where
/// that runs inside; the region is cut where elements are read. backward runs each time. Exceptions
/// of both pass through unchanged. ValueError for an object that was called before.
Variables call_user_function(const Ref<UserFunction>& function, std::span<const Variable> xs,
                             const std::source_location& at = std::source_location::current());

/// The object of the call that made `y`; null for a leaf, and for what another operation made.
Ref<UserFunction> creator_function(const Variable& y);

}  // namespace catena
