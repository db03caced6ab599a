#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/loss/hierarchical.h"

namespace catena {

/// binary_hierarchical_softmax with weights W [inner nodes, in_size], which begin uniform in (-1,
/// 1).
class BinaryHierarchicalSoftmax : public Link {
public:
    /// A layer for rows of in_size elements and the words of the tree.
    BinaryHierarchicalSoftmax(int64_t in_size, const BinaryTree& tree);

    /// The sum of the losses of x [N, in_size] with words t, integers [N].
    Variable operator()(const Operand& x, const Operand& t);
    /// The tree of the shortest codes for words with these counts (Huffman 1952).
    static BinaryTree create_huffman_tree(
        const std::vector<std::pair<int64_t, double>>& word_counts) {
        return catena::create_huffman_tree(word_counts);
    }

    /// The weights of the inner nodes, [inner nodes, in_size].
    Parameter W;

protected:
    void move_states(Device& device) override;

private:
    TreePaths paths_;
};

}  // namespace catena
