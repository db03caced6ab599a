#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontend/link/chain.h"
#include "frontend/link/rnn/n_step.h"

namespace catena {

class Communicator;

/// The results of a stacked RNN that is one part of a longer one. Backward begins from the delegate
/// where states are sent on.
struct MultiNodeNStepResult {
    std::vector<Variable> cells;  ///< The last states: hy, and cy of an LSTM.
    /// The outputs of this part's sequences.
    std::vector<Variable> ys;
    Variable delegate;  ///< The variable from which backward begins; undefined without rank_out.
};

namespace detail {

/// The first states, received from a rank; undefined (zeros) without one.
Variables receive_cells(Communicator& communicator, std::optional<int> rank, int count);
/// Sends the last states to a rank, if there is one.
void send_cells(Communicator& communicator, std::optional<int> rank, MultiNodeNStepResult& result);

}  // namespace detail

/// An n-step layer whose first states come from another rank and whose last states go to a third:
/// made by create_multi_node_n_step_rnn(). The layers of the ranks then are one recurrent network
/// over a sequence that is spread over them. Its child is "actual_rnn", as in ChainerMN.
template <std::derived_from<NStepStack> L>
class MultiNodeNStepRNN : public Chain {
public:
    /// `link` with its first states from rank_in, zeros without, and its last ones sent to
    /// rank_out, if any.
    MultiNodeNStepRNN(L link, Communicator& communicator, std::optional<int> rank_in,
                      std::optional<int> rank_out)
        : actual_rnn(std::move(link)),
          communicator_(&communicator),
          rank_in_(rank_in),
          rank_out_(rank_out) {
        add_children({{"actual_rnn", actual_rnn}});
    }

    /// The results for sequences [length, in_size].
    MultiNodeNStepResult operator()(std::span<const Variable> xs) const {
        return called_with([&] { return computed(xs); }, xs);
    }

    /// The layer of this rank.
    L actual_rnn;

private:
    MultiNodeNStepResult computed(std::span<const Variable> xs) const {
        const Variables cells =
            detail::receive_cells(*communicator_, rank_in_, int(actual_rnn.n_cells()));
        MultiNodeNStepResult result = computed_from(cells, xs);
        detail::send_cells(*communicator_, rank_out_, result);
        return result;
    }

    MultiNodeNStepResult computed_from(const Variables& cells, std::span<const Variable> xs) const {
        if constexpr (std::derived_from<L, NStepMemory>) {
            auto [hy, cy, ys] = actual_rnn(cells[0], cells[1], xs);
            return {{hy, cy}, ys, {}};
        } else {
            auto [hy, ys] = actual_rnn(cells[0], xs);
            return {{hy}, ys, {}};
        }
    }
    Communicator* communicator_;
    std::optional<int> rank_in_, rank_out_;
};

/// Makes a MultiNodeNStepRNN: ChainerMN's create_multi_node_n_step_rnn. The communicator must
/// outlive the link.
template <std::derived_from<NStepStack> L>
MultiNodeNStepRNN<L> create_multi_node_n_step_rnn(L link, Communicator& communicator,
                                                  std::optional<int> rank_in = {},
                                                  std::optional<int> rank_out = {}) {
    return {std::move(link), communicator, rank_in, rank_out};
}

}  // namespace catena
