#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace catena::capture {

/// A description of a part of the graph in numbers, and of a walk over it: results by node, output
/// and value; nodes by number and by the operation that created them, and their edges. Two graphs
/// of one path are equal if their keys and the attributes of their nodes are.
class GraphKey {
public:
    void clear() { words_.clear(); }
    size_t bytes() const { return words_.size() * sizeof(words_[0]); }
    friend bool operator==(const GraphKey& a, const GraphKey& b) = default;

    //---- the graph: its results, then each node with its edges
    void results(size_t count) { words_.push_back(int64_t(count)); }
    /// `value`: the result as a value of the segment; -1: its array is none.
    void result(int node, int output, int value) {
        words_.insert(words_.end(), {word(node, output), value});
    }
    /// `place`: the index of the operation that created the node; -1: there was none.
    void node(int number, int place, int op, size_t edges) {
        words_.insert(words_.end(), {word(number, place), word(op, int(edges))});
    }
    void no_edge() { words_.push_back(word(nowhere, 0)); }
    void edge(int node, int output) { words_.push_back(word(node, output)); }
    void border_edge(int number) { words_.push_back(word(outside, number)); }

    //---- a walk over the graph, behind it
    void settings(uint64_t key, const void* device, bool into_leaves) {
        words_.insert(words_.end(), {int64_t(key), int64_t(reinterpret_cast<intptr_t>(device)),
                                     int64_t(into_leaves)});
    }
    void walk(size_t outputs, size_t targets) {
        words_.insert(words_.end(), {int64_t(outputs), int64_t(targets)});
    }
    /// A gradient that the walk begins with or adds to, as a value of the segment; -1: undefined.
    void gradient(int value) { words_.push_back(value); }
    void target(int node, int output) {
        words_.insert(words_.end(), {word(inside_target, output), node});
    }
    /// `border`: the edge of the border that leads to the leaf; -1: none does.
    void leaf_target(int border) { words_.push_back(word(leaf, border)); }

private:
    /// The first number of a word where it is no node's or operation's.
    enum Tag : int { nowhere = -1, outside = -2, inside_target = -3, leaf = -4 };
    static int64_t word(int first, int second) { return int64_t(first) << 32 | uint32_t(second); }

    std::vector<int64_t> words_;
};

}  // namespace catena::capture
