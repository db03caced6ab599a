#pragma once

#include <functional>
#include <vector>

#include "runtime/core/small_vector.h"
#include "runtime/graph/variable_body.h"
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

/// Who made a node, while it wants to know which of its nodes are alive.
class NodeOwner {
public:
    virtual void freed(int number) = 0;

protected:
    ~NodeOwner() = default;
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
    /// Instead of op->gradient, for nodes that stand for a whole compiled region: gradients of the inputs.
    std::function<Variables(Node& node, std::span<const Variable> gy)> region_gradient;
    /// Scratch of a running backward: gradients collected so far, one per output.
    SmallVector<Variable, 1> pending;
    bool queued = false;
    bool walked = false;         ///< A backward run has passed it.
    NodeOwner* made_by = nullptr;
    int number = -1;             ///< Among those of `made_by`.
    /// Of a region node: bit j of entry i says that result i was computed from result j.
    const std::vector<uint64_t>* results_below = nullptr;

    static void* operator new(size_t bytes);
    static void operator delete(void* node);
    /// Frees chains of any length without recursion.
    static void destroy(Node* node);
};

/// Forgets the creator of `body`.
void detach_creator(VariableBody& body);

/// The same, for whoever used `body` before, too: gradients end there, as at a leaf.
void unchain(VariableBody& body);
/// Unchains all that the node made and frees what it kept; gradients of variables that died are dropped.
void unchain(Node& node);

/// Where a gradient of `variable` flows to; not wanted when it needs none.
Edge edge_of(const Variable& variable);

/// A variable like the one whose gradient flows to `edge`, holding `array`: what a gradient computes with.
Variable reconstruct(const Array& array, const Edge& edge);

/// Links `outputs` to a new node that stands for a whole program; gradients flow to `edges`, where values of `types` came
/// from, and `gradient` gives them.
Node* attach_region(const OpDef& op, std::span<const Edge> edges, std::span<const Type> types, std::span<const Variable> outputs,
                    std::function<Variables(Node&, std::span<const Variable>)> gradient);

/// Links `outputs` to a new node when a gradient is recorded and an input needs one; returns that node or null.
Node* attach_node(const OpDef& op, std::span<const Variable* const> inputs, std::span<Variable> outputs,
                  const Attributes& attributes, std::span<const Scalar> scalars);

}  // namespace catena
