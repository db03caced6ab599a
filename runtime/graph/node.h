#pragma once

#include <atomic>
#include <memory>
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

/// What a node knows that stands for a whole program.
class RegionGradient {
public:
    RegionGradient() { ++alive_; }
    virtual ~RegionGradient() { --alive_; }
    RegionGradient(const RegionGradient&) = delete;
    /// False when no node has one: there is none to look for.
    static bool any() { return alive_.load(std::memory_order_relaxed) > 0; }
    /// Gradients of the inputs, as a whole: what flows to one output through another is never there alone.
    virtual Variables gradient(Node& node, std::span<const Variable> gy) = 0;
    /// Makes the nodes that the program's operations would have made one by one, leading to the edges of `node`; returns where
    /// the gradient of each output flows to.
    virtual std::vector<Edge> expand(Node& node) = 0;
    /// False: nothing can be asked of the node but to be told that its gradient is not there.
    virtual bool is_expandable() const { return true; }
    /// True when `output` was computed from the output `other`.
    virtual bool is_computed_from(int output, int other) const { return false; }
    /// True when a gradient of `output` flows to edge `edge`.
    virtual bool reaches(int output, int edge) const { return true; }

private:
    static std::atomic<int64_t> alive_;
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
    std::unique_ptr<RegionGradient> region;  ///< Instead of op->gradient.
    /// Scratch of a running backward: gradients collected so far, one per output.
    SmallVector<Variable, 1> pending;
    bool queued = false;
    uint8_t mark = 0;            ///< Scratch of whoever walks the graph; 0 between walks.
    bool walked = false;         ///< A backward run has passed it.
    NodeOwner* made_by = nullptr;
    int number = -1;             ///< Among those of `made_by`.

    static void* operator new(size_t bytes);
    static void operator delete(void* node);
    /// Frees chains of any length without recursion.
    static void destroy(Node* node);
};

/// Forgets the creator of `body`.
void detach_creator(VariableBody& body);

/// Where a gradient of `variable` flows to; not wanted when it needs none.
Edge edge_of(const Variable& variable);

/// A variable like the one whose gradient flows to `edge`, holding `array`: what a gradient computes with.
Variable reconstruct(const Array& array, const Edge& edge);

/// A node of `op` at the end of the order in which nodes are made.
Ref<Node> make_node(const OpDef& op);
/// Of two nodes that a walk from results to leaves has found, which it visits last: the one nearer to the leaves.
bool is_visited_after(const Node& a, const Node& b);

/// Links `outputs` to a new node that stands for a whole program; gradients flow to `edges`, where values of `types` came from.
void attach_region(const OpDef& op, std::span<const Edge> edges, std::span<const Type> types, std::span<const Variable> outputs,
                   std::unique_ptr<RegionGradient> region);

/// Links `outputs` to a new node when a gradient is recorded and an input needs one; returns that node or null.
Node* attach_node(const OpDef& op, std::span<const Variable* const> inputs, std::span<Variable> outputs,
                  const Attributes& attributes, std::span<const Scalar> scalars);

}  // namespace catena
