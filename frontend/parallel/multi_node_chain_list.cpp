#include "frontend/parallel/multi_node_chain_list.h"

#include <deque>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/communication/communication.h"

namespace catena {
namespace {

/// An empty part of y: operations tied to it come later in the graph.
Variable delegate_of(const Variable& y) {
    return cast(slice_axis(reshape(y, {y.size()}), 0, 0, 0), Dtype::float32);
}

}  // namespace

MultiNodeChainList::Ranks::Ranks() = default;
MultiNodeChainList::Ranks::Ranks(int rank) : list{rank} {}
MultiNodeChainList::Ranks::Ranks(std::initializer_list<int> ranks) : list(ranks) {}
MultiNodeChainList::Ranks::Ranks(std::vector<int> ranks) : list(std::move(ranks)) {}

MultiNodeChainList::MultiNodeChainList(std::shared_ptr<Communicator> communicator)
    : communicator_(given(std::move(communicator), "MultiNodeChainList")) {}

void MultiNodeChainList::place(Place place) {
    for (const auto* ranks : {&place.in, &place.out})
        for (int rank : *ranks)
            if (rank < 0 || rank >= communicator_->size())
                fail<ValueError>("MultiNodeChainList: there is no rank {}; there are 0 to {}", rank,
                                 communicator_->size() - 1);
    for (const Place& other : places_)
        if (place.out.empty() && other.out.empty())
            fail<ValueError>(
                "MultiNodeChainList: a second link without rank_out; the model has one output");
    places_.push_back(std::move(place));
}

/// Sends and receives are one chain by their delegates, in the same order forward and backward.
Variable MultiNodeChainList::run(std::vector<Variable> inputs) {
    const int rank = communicator_->rank();
    std::deque<Variable> to_itself;
    Variable output, delegate;
    bool output_is_tied = false;  // Later sends are tied to the output.
    auto tie = [&](const Variable& x) {
        if (output.defined() && !delegate.defined() && !std::exchange(output_is_tied, true))
            delegate = delegate_of(output);
        return delegate.defined() ? parallel::pseudo_connect(std::exchange(delegate, Variable()), x)
                                  : x;
    };
    for (size_t i = 0; i < places_.size(); ++i) {
        const Place& place = places_[i];
        std::vector<Variable> xs;
        if (place.in.empty()) xs = inputs;
        for (int source : place.in) {
            if (source != rank) {
                xs.push_back(
                    parallel::recv(*communicator_, source, std::exchange(delegate, Variable())));
            } else if (to_itself.empty()) {
                fail<ValueError>(
                    "MultiNodeChainList: link {} takes what rank {} sends to itself, but nothing "
                    "was sent",
                    i, rank);
            } else {
                xs.push_back(to_itself.front());
                to_itself.pop_front();
            }
        }
        Variable y = tie(place.call((*this)[i], Batch(std::move(xs))));
        if (place.out.empty()) {
            output = y;
        }
        for (int destination : place.out) {
            if (destination == rank)
                to_itself.push_back(y);
            else
                delegate = parallel::send(*communicator_, tie(y), destination);
        }
    }
    if (!to_itself.empty())
        fail<ValueError>("MultiNodeChainList: {} values that rank {} sent to itself were not taken",
                         to_itself.size(), rank);
    if (!output.defined()) return delegate;
    return delegate.defined() ? parallel::pseudo_connect(delegate, output) : output;
}

}  // namespace catena
