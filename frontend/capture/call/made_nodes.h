#pragma once

#include <span>
#include <vector>

#include "frontend/capture/path/path.h"
#include "runtime/graph/node/node.h"

namespace catena::capture {

/// A graph node created by a region's code, with the data needed to record its gradient.
struct MadeNode {
    Node* node = nullptr;        ///< The node; null when it was destroyed.
    const Step* step = nullptr;  ///< The latest; null when a composite had none.
    int composite_scalar = -1;   ///< The first scalar slot of a composite.
    int slot_of(size_t scalar) const {
        return composite_scalar >= 0 ? composite_scalar + int(scalar) : step->scalars()[scalar];
    }
};

/// The graph nodes that the code of a call has created, by number.
class MadeNodes final : public NodeOwner {
public:
    MadeNodes() = default;
    ~MadeNodes() { clear(); }
    MadeNodes(const MadeNodes&) = delete;

    /// `made`: with its node; `step` is the latest of the segment.
    void add(const MadeNode& made);
    /// The nodes that are left belong to nobody from now on.
    void clear();
    void freed(int number) override { all_[size_t(number)].node = nullptr; }

    bool made(const Node& node) const { return node.made_by == this; }
    std::span<const MadeNode> all() const { return all_; }
    size_t size() const { return all_.size(); }
    Node& operator[](int number) const { return *all_[size_t(number)].node; }
    /// Index of the latest operation when the node was created; -1: none.
    int place_of(const Node& node) const {
        const Step* step = all_[size_t(node.number)].step;
        return step ? step->index : -1;
    }
    /// Whether a node has inputs that were computed before the call.
    bool follow_others() const { return follow_others_; }

private:
    std::vector<MadeNode> all_;
    bool follow_others_ = false;
};

}  // namespace catena::capture
