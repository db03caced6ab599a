#include "runtime/ops/loss/hierarchical.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

struct Way {
    std::vector<int32_t> nodes;
    std::vector<float> codes;
};

/// Visits the tree left before right and notes the way to every leaf.
struct Walk {
    std::vector<std::optional<Way>> ways;
    Way now;
    int64_t inner_nodes = 0;

    void visit(const BinaryTree& tree) {
        if (tree.is_leaf()) return add(tree.word());
        now.nodes.push_back(int32_t(inner_nodes++));
        now.codes.push_back(1);
        visit(tree.left());
        now.codes.back() = -1;
        visit(tree.right());
        now.nodes.pop_back();
        now.codes.pop_back();
    }
    void add(int64_t word) {
        if (word < 0)
            fail<ValueError>("BinaryTree: the word is {}; words should be numbers of 0 or more",
                             word);
        if (word >= int64_t(ways.size())) ways.resize(size_t(word + 1));
        if (ways[size_t(word)]) fail<ValueError>("BinaryTree: the word {} occurs twice", word);
        ways[size_t(word)] = now;
    }
};

}  // namespace

BinaryTree::BinaryTree(BinaryTree left, BinaryTree right)
    : left_(std::make_shared<const BinaryTree>(std::move(left))),
      right_(std::make_shared<const BinaryTree>(std::move(right))) {}

BinaryTree create_huffman_tree(const std::vector<std::pair<int64_t, double>>& word_counts) {
    if (word_counts.empty()) fail<ValueError>("create_huffman_tree: there are no words");
    std::vector<BinaryTree> trees;
    using Entry =
        std::tuple<double, size_t, size_t>;  // Count, the first of its words, and its tree.
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (const auto& [word, count] : word_counts) {
        queue.emplace(count, trees.size(), trees.size());
        trees.emplace_back(word);
    }
    while (queue.size() > 1) {
        const auto [count1, id1, tree1] = queue.top();
        queue.pop();
        const auto [count2, id2, tree2] = queue.top();
        queue.pop();
        queue.emplace(count1 + count2, std::min(id1, id2), trees.size());
        trees.push_back(BinaryTree(trees[tree1], trees[tree2]));
    }
    return trees.back();
}

TreePaths::TreePaths(const BinaryTree& tree) {
    Walk walk;
    walk.visit(tree);
    inner_nodes = walk.inner_nodes;
    size_t longest = 0;
    for (const auto& way : walk.ways)
        if (way) longest = std::max(longest, way->nodes.size());
    std::vector<int32_t> all_nodes(walk.ways.size() * longest);
    std::vector<float> all_codes(all_nodes.size());
    for (size_t word = 0; word < walk.ways.size(); ++word) {
        if (!walk.ways[word]) continue;
        std::ranges::copy(walk.ways[word]->nodes,
                          all_nodes.begin() + std::ptrdiff_t(word * longest));
        std::ranges::copy(walk.ways[word]->codes,
                          all_codes.begin() + std::ptrdiff_t(word * longest));
    }
    const Shape shape{int64_t(walk.ways.size()), int64_t(longest)};
    nodes = Array::from(all_nodes, shape);
    codes = Array::from(all_codes, shape);
}

Variable binary_hierarchical_softmax(const Operand& x, const Operand& t, const Operand& W,
                                     const TreePaths& paths) {
    LocationScope scope(x.location());
    constexpr const char* name = "binary_hierarchical_softmax";
    const Variable vx = autocast_wide(x), weights = autocast_wide(W);
    const Variable& labels = t;
    if (!is_float(vx.dtype()) || weights.dtype() != vx.dtype())
        fail<DtypeError>("{}: x and W should have one floating point dtype, they have {} and {}",
                         name, name_of(vx.dtype()), name_of(weights.dtype()));
    if (!is_integer(labels.dtype()))
        fail<DtypeError>("{}: t should be integers, it is {}", name, to_string(labels.type()));
    if (vx.rank() != 2 || weights.shape() != Shape{paths.inner_nodes, vx.shape()[1]})
        fail<ShapeError>(
            "{}: x should be [N,D] and W [{},D], as the tree has {} inner nodes; they are {} and "
            "{}",
            name, paths.inner_nodes, paths.inner_nodes, to_string(vx.shape()),
            to_string(weights.shape()));
    if (labels.shape() != Shape{vx.shape()[0]})
        fail<ShapeError>("{}: t should be [{}], as x is {}; it is {}", name, vx.shape()[0],
                         to_string(vx.shape()), to_string(labels.shape()));
    const int64_t n = vx.shape()[0], length = paths.nodes.dim(1);
    const Variable words = take(paths.nodes, labels),
                   codes = cast(take(paths.codes, labels), working_dtype(vx.dtype()));
    const AutocastScope wide(Dtype::float32);
    const Variable w = widened(embed_id(words, weights));
    const Variable scores =
        reshape(matmul(w, widened(reshape(vx, {n, vx.shape()[1], 1}))), {n, length});
    return cast(sum(where(codes != 0, softplus(-(scores * codes)), 0)), vx.dtype());
}

}  // namespace catena
