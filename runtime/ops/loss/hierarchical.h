#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena {

/// A binary tree whose leaves are words: `BinaryTree({1, 2}, 3)`.
class BinaryTree {
public:
    BinaryTree(int64_t word) : word_(word) {}
    BinaryTree(BinaryTree left, BinaryTree right);
    bool is_leaf() const { return !left_; }
    int64_t word() const { return word_; }
    const BinaryTree& left() const { return *left_; }
    const BinaryTree& right() const { return *right_; }

private:
    int64_t word_ = -1;
    std::shared_ptr<const BinaryTree> left_, right_;
};

/// The Huffman tree of words and their counts: frequent words have short paths. Of equal counts the
/// earlier one is merged first. ValueError without words.
BinaryTree create_huffman_tree(const std::vector<std::pair<int64_t, double>>& word_counts);

/// The way from the root to every word of a tree, as tables [words, longest path]. Inner nodes are
/// numbered from the root, left before right.
struct TreePaths {
    Array nodes;  ///< int32.
    Array codes;  ///< float32: 1 where the way goes left, -1 where right, 0 past its end.
    int64_t inner_nodes = 0;
    /// Words that the tree does not have get an empty path. ValueError for a negative word or one
    /// that occurs twice.
    explicit TreePaths(const BinaryTree& tree);
};

/// The sum over x [N, D] with labels t, integers [N], of -log of the product along the label's path
/// of s(code x w_node) (Morin and Bengio 2005); W [inner nodes, D].
Variable binary_hierarchical_softmax(const Operand& x, const Operand& t, const Operand& W,
                                     const TreePaths& paths);

}  // namespace catena
