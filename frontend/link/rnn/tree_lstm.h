#pragma once

#include <source_location>
#include <span>
#include <vector>

#include "frontend/link/connection/linear.h"
#include "frontend/link/owned_link.h"
#include "runtime/ops/rnn/rnn.h"

namespace catena {

// Nodes of trees (Tai et al. 2015): the states c and h [n, out_size] of a node from those of its
// children and its input x [n, in_size]. An undefined state or input is zeros, but not all of them
// (ValueError).

/// LSTM over trees whose nodes have any number of children; the order of children does not matter,
/// as their h are added.
class ChildSumTreeLSTM : public Link {
public:
    /// A layer for inputs of in_size elements and states of out_size.
    ChildSumTreeLSTM(int64_t in_size, int64_t out_size);

    /// The states of a node from those of its children (as many cs as hs) and its input. A node
    /// without children is a leaf.
    LstmResult operator()(std::span<const Variable> cs, std::span<const Variable> hs,
                          const Variable& x,
                          const std::source_location& at = std::source_location::current());
    LstmResult operator()(std::initializer_list<Variable> cs, std::initializer_list<Variable> hs,
                          const Variable& x,
                          const std::source_location& at = std::source_location::current());

    /// The products of the input, and of the children's h: for the gates a, i and o, and for f.
    Linear W_x, W_h_aio, W_h_f;

private:
    LstmResult computed(std::span<const Variable> cs, std::span<const Variable> hs,
                        const Variable& x);
    int64_t in_size_, out_size_;
};

/// LSTM over trees whose nodes have n_ary children in order, each with matrices of its own for all
/// gates, W_h1, W_h2, ... (Bowman et al. 2016).
class NaryTreeLSTM : public Link {
public:
    /// A layer for inputs of in_size elements, states of out_size, and n_ary children.
    NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary = 2);

    /// The new c and h, [B, out_size], of a node with these children and the input x. What is
    /// undefined is zeros; ValueError where all is, or for another number of children.
    LstmResult operator()(std::span<const Variable> cs, std::span<const Variable> hs,
                          const Variable& x,
                          const std::source_location& at = std::source_location::current());
    LstmResult operator()(std::initializer_list<Variable> cs, std::initializer_list<Variable> hs,
                          const Variable& x,
                          const std::source_location& at = std::source_location::current());
    /// The matrix of a child; children are numbered from 1 to n_ary.
    Linear& W_h(int64_t child);

    /// The product of the input.
    Linear W_x;

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    LstmResult computed(std::span<const Variable> cs, std::span<const Variable> hs,
                        const Variable& x);
    int64_t in_size_, out_size_;
    std::vector<OwnedLink> W_h_;
};

}  // namespace catena
