#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/core/memory/small_vector.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/variable/variable_body.h"

namespace catena {

struct Node;
class OwnedVisitor;

/// Where a gradient flows to: output `index` of the node that made the variable, or a leaf.
struct Edge {
    Ref<Node> node;
    Ref<VariableBody> leaf;
    int index = 0;
    bool wanted() const { return node || leaf; }
};

/// A creator of nodes that is notified when they are destroyed.
class NodeOwner {
public:
    virtual void freed(int number) = 0;

protected:
    ~NodeOwner() = default;
};

/// The gradient of a node that represents a whole program.
class RegionGradient {
public:
    RegionGradient() { ++alive_; }
    virtual ~RegionGradient() { --alive_; }
    RegionGradient(const RegionGradient&) = delete;
    /// False when no node has a RegionGradient, so searches can be skipped.
    static bool any() { return alive_.load(std::memory_order_relaxed) > 0; }
    /// Gradients of the inputs from those of all outputs; cannot give what flows to one output
    /// through another.
    virtual Variables gradient(Node& node, std::span<const Variable> gy) = 0;
    /// False: gradient() would give something else than the single operations do, because some of
    /// `gy` are undefined.
    virtual bool serves([[maybe_unused]] std::span<const Variable> gy) { return true; }
    /// Creates the nodes of the program's single operations, which lead to the edges of `node`;
    /// returns the edge of each output.
    virtual std::vector<Edge> expand(Node& node) = 0;
    /// False: expand() and gradient() only throw an error that explains why.
    virtual bool is_expandable() const { return true; }
    /// True when `output` was computed from the output `other`.
    virtual bool is_computed_from(int output, int other) const { return false; }
    /// True when the operation that gave the output `other` is among those that `output` was
    /// computed by: unchaining the history of `output` unchains `other`, too.
    virtual bool history_holds(int output, int other) const { return false; }
    /// True when a gradient of `output` flows to edge `edge`.
    virtual bool reaches(int output, int edge) const { return true; }
    /// The line of the operation that reads what edge `edge` leads to; `unknown` where there is no
    /// such line.
    virtual SourceLoc location_of(int edge, const SourceLoc& unknown) const { return unknown; }

private:
    static std::atomic<int64_t> alive_;
};

/// The object of one call of a user's function, owned by the node of that call.
class NodeFunction : public RefCounted {
public:
    NodeFunction() { ++alive_; }
    virtual ~NodeFunction() { --alive_; }
    /// False when there is no such object, so searches can be skipped.
    static bool any() { return alive_.load(std::memory_order_relaxed) > 0; }
    static int64_t alive() { return alive_.load(std::memory_order_relaxed); }
    virtual Variables gradient(const GradientCall& call) = 0;
    /// Tells what it owns: variables, and objects of other languages.
    virtual void visit([[maybe_unused]] OwnedVisitor& visitor) const {}
    static void destroy(NodeFunction* function) { delete function; }

private:
    static std::atomic<int64_t> alive_;
};

/// What a walk of backward() or grad() knows of a node; as new in between.
struct WalkScratch {
    SmallVector<Variable, 2> pending;  ///< Gradients collected so far, one per output.
    bool queued = false;
    uint8_t mark = 0;
};

/// One recorded operation of the graph. Keeps only the values its gradient reads.
struct Node : RefCounted {
    const OpDef* op = nullptr;
    Attributes attributes;
    SmallVector<Scalar, 1> scalars;
    SmallVector<Edge, 3> edges;  ///< One per input; without target where no gradient is needed.
    SmallVector<Type, 3> input_types;
    SmallVector<Type, 2> output_types;
    /// The inputs that the gradient reads; undefined where it does not read one.
    SmallVector<Array, 3> kept_inputs;
    SmallVector<Array, 2> kept_outputs;
    /// The outputs, not owned; null once the variable is destroyed.
    SmallVector<VariableBody*, 2> outputs;
    int64_t rank = 0;       ///< Larger than that of every node that its inputs were computed by.
    uint64_t sequence = 0;  ///< Order of creation on this thread.
    SourceLoc location;
    /// The gradient of a whole program, instead of op->gradient.
    std::unique_ptr<RegionGradient> region;
    /// The object of one call of a user's function, instead of op->gradient.
    Ref<NodeFunction> function;
    WalkScratch walk;   ///< The notes of the outermost walk that this thread runs.
    bool mark = false;  ///< Scratch of unchain(); false in between.
    /// True when its gradient has asked which outputs have one: zeros are another thing to it than
    /// none.
    bool discerns_zeros = false;
    bool walked = false;  ///< A backward without enable_double_backprop has used it.
    /// The op, before an input, through which no gradient goes on.
    const OpDef* ended_at = nullptr;
    NodeOwner* made_by = nullptr;
    int number = -1;  ///< The node's number for `made_by`.

    static void* operator new(size_t bytes);
    static void operator delete(void* node);
    /// Frees chains of any length without recursion.
    static void destroy(Node* node);
};

/// Removes the creator of `body`.
void detach_creator(VariableBody& body);

/// The edge for the gradient of `variable`; without target when it needs none.
Edge edge_of(const Variable& variable);

/// A variable for use in a gradient: like the one behind `edge`, with content `array`.
Variable reconstruct(const Array& array, const Edge& edge);

/// A node of `op` with the next sequence number.
Ref<Node> make_node(const OpDef& op);
/// The order of a walk from results to leaves: whether `a`, nearer to the leaves, is visited after
/// `b`.
bool is_visited_after(const Node& a, const Node& b);

/// Links `outputs` to a new node that represents a whole program; gradients flow to `edges`, whose
/// values have `types`.
void attach_region(const OpDef& op, std::span<const Edge> edges, std::span<const Type> types,
                   std::span<const Variable> outputs, std::unique_ptr<RegionGradient> region);

/// Notes on the outputs of an operation without a gradient that gradients end there.
void end_graph(const OpCall& call, std::span<Variable> outputs);

/// Links `outputs` to a new node when a gradient is recorded and an input needs one; returns that
/// node or null.
Node* attach_node(const OpCall& call, std::span<Variable> outputs);

}  // namespace catena
