#pragma once

#include "runtime/core/small_vector.h"
#include "runtime/ops/op.h"

namespace catena {

struct Node;

/// Where a gradient flows to: output `index` of the node that made the variable, or a leaf.
struct Edge {
    Ref<Node> node;
    Ref<VariableBody> leaf;
    int index = 0;
    bool wanted() const { return node || leaf; }
};

/// What a Variable points at. Lives as long as a handle or, for leaves, an edge does.
struct VariableBody : RefCounted {
    Array array;
    Ref<VariableBody> grad;
    Ref<Node> creator;
    int output_index = 0;
    bool requires_grad = false;
    bool is_state = false;        ///< Has identity for the tracer: assigned, never rebuilt.
    bool grad_consumed = false;   ///< A compiled whole step used the gradient up; reading it is an error.
    std::unique_ptr<std::string> name;

    static void* operator new(size_t bytes);
    static void operator delete(void* body);
    static void destroy(VariableBody* body);
};

/// One recorded operation of the graph. Keeps only the values its gradient reads.
struct Node : RefCounted {
    const OpDef* op = nullptr;
    Attributes attributes;
    SmallVector<Scalar, 1> scalars;
    SmallVector<Edge, 3> edges;            ///< One per input; unwanted where no gradient is needed.
    SmallVector<Type, 3> input_types;
    SmallVector<Type, 1> output_types;
    SmallVector<Array, 3> kept_inputs;     ///< Undefined where the gradient does not read it.
    SmallVector<Array, 1> kept_outputs;
    SmallVector<VariableBody*, 1> outputs; ///< Not owned; null once the variable died.
    int rank = 0;                          ///< 1 + the largest rank among the inputs' creators.
    uint64_t sequence = 0;                 ///< Order of creation on this thread.
    SourceLoc location;
    /// Instead of op->gradient, for nodes that stand for a whole compiled region.
    std::function<Variables(std::span<const Variable> gy)> region_gradient;

    static void* operator new(size_t bytes);
    static void operator delete(void* node);
    /// Frees chains of any length without recursion.
    static void destroy(Node* node);
};

/// Leaves of the graph below `variable` (or itself) as an edge.
Edge edge_of(const Variable& variable);

/// Gradient kernels of nodes in reverse order; see Variable::backward and grad().
/// All outputs start at once with their given gradients.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> grad_outputs,
                  const BackwardOptions& options);

}  // namespace catena
