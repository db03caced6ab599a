#include "frontend/link/rnn/tree_lstm.h"

#include <string>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/rnn/tree.h"

namespace catena {
namespace {

/// A node's arrays, none of them undefined any more.
struct TreeNode {
    std::vector<Variable> cs, hs;
    Variable x;
};

TreeNode complete(const char* link, std::span<const Variable> cs, std::span<const Variable> hs,
                  const Variable& x, int64_t in_size, int64_t out_size, Device& home) {
    if (cs.size() != hs.size())
        fail<ValueError>("{}: {} cs and {} hs are given; each child has one of each", link,
                         cs.size(), hs.size());
    TreeNode node{{cs.begin(), cs.end()}, {hs.begin(), hs.end()}, x};
    Variable known = x;
    for (const auto* list : {&node.cs, &node.hs})
        for (const Variable& v : *list)
            if (!known.defined()) known = v;
    if (!known.defined())
        fail<ValueError>("{}: x and the states of all children are undefined", link);
    const DeviceScope beside(home);
    const auto zeros = [&](int64_t units) {
        return fill({known.dtype(), {known.shape()[0], units}}, 0);
    };
    if (!x.defined()) node.x = zeros(in_size);
    for (auto* list : {&node.cs, &node.hs})
        for (Variable& v : *list)
            if (!v.defined()) v = zeros(out_size);
    return node;
}

}  // namespace

ChildSumTreeLSTM::ChildSumTreeLSTM(int64_t in_size, int64_t out_size)
    : W_x(in_size, 4 * out_size),
      W_h_aio(out_size, 3 * out_size, {.nobias = true}),
      W_h_f(out_size, out_size, {.nobias = true}),
      in_size_(in_size),
      out_size_(out_size) {
    list_child("W_x", W_x);
    list_child("W_h_aio", W_h_aio);
    list_child("W_h_f", W_h_f);
}

LstmResult ChildSumTreeLSTM::operator()(std::span<const Variable> cs, std::span<const Variable> hs,
                                        const Variable& x, const std::source_location& at) {
    const LocationScope scope(at);
    return called_with([&] { return computed(cs, hs, x); }, cs, hs, x);
}

LstmResult ChildSumTreeLSTM::operator()(std::initializer_list<Variable> cs,
                                        std::initializer_list<Variable> hs, const Variable& x,
                                        const std::source_location& at) {
    const LocationScope scope(at);
    const std::span c(cs.begin(), cs.size()), h(hs.begin(), hs.size());
    return called_with([&] { return computed(c, h, x); }, c, h, x);
}

LstmResult ChildSumTreeLSTM::computed(std::span<const Variable> cs, std::span<const Variable> hs,
                                      const Variable& x) {
    TreeNode node = complete("ChildSumTreeLSTM", cs, hs, x, in_size_, out_size_, W_x.W.home());
    const Variable from_x = W_x(node.x);
    if (node.cs.empty()) {  // A child with c = 0 changes nothing.
        const DeviceScope beside(W_x.W.home());
        node.cs.push_back(fill({from_x.dtype(), {from_x.shape()[0], out_size_}}, 0));
        return tree_lstm(node.cs, from_x);
    }
    const Variable f = slice_axis(from_x, 1, 3 * out_size_, out_size_);
    std::vector<Variable> gates{slice_axis(from_x, 1, 0, 3 * out_size_) + W_h_aio(add(node.hs))};
    for (const Variable& h : node.hs) gates.push_back(f + W_h_f(h));
    return tree_lstm(node.cs, concat(gates, 1));
}

NaryTreeLSTM::NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary)
    : W_x(in_size, (3 + n_ary) * out_size), in_size_(in_size), out_size_(out_size) {
    if (n_ary < 1) fail<ValueError>("NaryTreeLSTM: n_ary should be 1 or more, it is {}", n_ary);
    list_child("W_x", W_x);
    for (int64_t i = 0; i < n_ary; ++i)
        W_h_.emplace_back(Linear(out_size, (3 + n_ary) * out_size, {.nobias = true}));
}

Linear& NaryTreeLSTM::W_h(int64_t child) {
    if (child < 1 || child > int64_t(W_h_.size()))
        fail<ValueError>("NaryTreeLSTM: there is no W_h{}; they are counted from 1 to {}", child,
                         W_h_.size());
    return static_cast<Linear&>(*W_h_[size_t(child - 1)]);
}

void NaryTreeLSTM::visit_children(ChildVisitor visit) const {
    for (size_t i = 0; i < W_h_.size(); ++i) {
        const std::string name = "W_h" + std::to_string(i + 1);
        name_child(*W_h_[i], name);
        visit(name, *W_h_[i]);
    }
    Link::visit_children(visit);
}

LstmResult NaryTreeLSTM::operator()(std::span<const Variable> cs, std::span<const Variable> hs,
                                    const Variable& x, const std::source_location& at) {
    const LocationScope scope(at);
    return called_with([&] { return computed(cs, hs, x); }, cs, hs, x);
}

LstmResult NaryTreeLSTM::operator()(std::initializer_list<Variable> cs,
                                    std::initializer_list<Variable> hs, const Variable& x,
                                    const std::source_location& at) {
    const LocationScope scope(at);
    const std::span c(cs.begin(), cs.size()), h(hs.begin(), hs.size());
    return called_with([&] { return computed(c, h, x); }, c, h, x);
}

LstmResult NaryTreeLSTM::computed(std::span<const Variable> cs, std::span<const Variable> hs,
                                  const Variable& x) {
    if (cs.size() != W_h_.size())
        fail<ValueError>("NaryTreeLSTM: {} children are given, there should be {}", cs.size(),
                         W_h_.size());
    const TreeNode node = complete("NaryTreeLSTM", cs, hs, x, in_size_, out_size_, W_x.W.home());
    Variable gates = W_x(node.x);
    for (size_t i = 0; i < hs.size(); ++i)
        if (hs[i].defined()) gates = gates + W_h(int64_t(i + 1))(hs[i]);
    return tree_lstm(node.cs, gates);
}

}  // namespace catena
