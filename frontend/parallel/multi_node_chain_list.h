#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "frontend/link/chain_list.h"
#include "frontend/trainer/batch_function.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// A model whose links are spread over the ranks. Every rank adds its own links, with the ranks
/// that inputs come from and the output goes to; default: the model's input and output:
///
///     ct::MultiNodeChainList model(comm);
///     if (comm->rank() == 0) model.add_link(ct::Linear{784, 100}, {}, 1);
///     else model.add_link(ct::Linear{100, 10}, 0);
///
/// Links run in the order in which they were added. What this rank sends to itself goes through a
/// queue. A rank without the model's output returns an empty delegate variable: call backward() on
/// what is returned on every rank, or on a loss of it.
class MultiNodeChainList : public ChainList {
public:
    /// A list of ranks: none, one, or several in order.
    struct Ranks {
        /// No rank: the model's input or output.
        Ranks();
        /// A single rank.
        Ranks(int rank);
        /// These ranks, in order.
        Ranks(std::initializer_list<int> ranks);
        /// These ranks, in order.
        Ranks(std::vector<int> ranks);
        /// The ranks.
        std::vector<int> list;
    };

    /// A list without links, over the ranks of the communicator.
    explicit MultiNodeChainList(std::shared_ptr<Communicator> communicator);

    /// Adds a link. ValueError for a rank that does not exist and for a second output of the model.
    template <std::derived_from<Link> L>
    L& add_link(L link, const Ranks& rank_in = {}, const Ranks& rank_out = {}) {
        static_assert(TakesBatch<L>, "the link must be callable with one to six Variables");
        place({[](Link& l, const Batch& xs) {
                   return detail::call_on_batch<Variable>(static_cast<L&>(l), xs);
               },
               rank_in.list, rank_out.list});
        return ChainList::append(std::move(link));
    }
    /// Runs this rank's links. The inputs are the model's, on ranks with a link that has no
    /// rank_in.
    template <class... X>
    Variable operator()(const X&... inputs) {
        return run({Variable(inputs)...});
    }

    /// Deleted: add_link() must be told where values come from and go to.
    void append(Link&) = delete;
    void insert(size_t, OwnedLink) = delete;
    void erase(size_t) = delete;

private:
    struct Place {
        Variable (*call)(Link&, const Batch&);
        std::vector<int> in, out;
    };
    void place(Place place);
    Variable run(std::vector<Variable> inputs);
    std::shared_ptr<Communicator> communicator_;
    std::vector<Place> places_;
};

}  // namespace catena
