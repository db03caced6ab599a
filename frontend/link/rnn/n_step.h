#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "frontend/link/chain_list.h"
#include "runtime/ops/rnn/n_step.h"

namespace catena {

/// Initializers of a stack of recurrent layers.
struct NStepInit {
    Initializer initialW = {};  ///< Initializer of each matrix; LeCunNormal unless given.
    /// Initializer of each bias vector.
    Initializer initial_bias = 0.0;
};

/// A stack of recurrent layers over lists of sequences of any lengths, in any order
/// (runtime/ops/rnn/n_step.h). Its children "0", "1", ... are the layers, or with both directions
/// layer i forward and backward as "2 i" and "2 i + 1"; each has parameters w0, b0, w1, b1, ...:
/// the names of Chainer's files. Undefined states are zeros.
class NStepStack : public ChainList {
public:
    /// Number of states: h, and c of an LSTM.
    int64_t n_cells() const { return has_memory_ ? 2 : 1; }
    /// Number of units of a layer in one direction.
    int64_t out_size() const { return out_size_; }
    /// Zeros [layers, sequences, out_size], as Chainer's init_hx.
    Variable init_hx(std::span<const Variable> xs) const;
    std::vector<std::pair<std::string, std::string>> printable_specs() const override;

protected:
    struct Kind {
        std::string name;
        int64_t weights;  ///< Number of matrices of a layer.
        bool both_directions, has_memory;
    };
    NStepStack(Kind kind, int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
               const NStepInit& init);

    NStepOptions options() const;
    NStepWeights ws() const { return weights('w'); }
    NStepWeights bs() const { return weights('b'); }

private:
    NStepWeights weights(char letter) const;
    int64_t n_layers_, in_size_, out_size_, weights_;
    double dropout_;
    bool both_directions_, has_memory_;
};

/// A stack without memory cells, called with (hx, xs): xs[i] [length, in_size] gives ys[i] [length,
/// out_size], twice as wide with both directions; hx and hy are [layers, sequences, out_size].
/// Called with (hx, rows), all sequences lie in one matrix, where one compiled program serves all
/// lengths.
class NStepPlain : public NStepStack {
public:
    /// hx and a list of sequences give the last states and the outputs.
    NStepResult operator()(const Variable& hx, std::span<const Variable> xs,
                           const std::source_location& at = std::source_location::current()) const;
    NStepResult operator()(const Variable& hx, std::initializer_list<Variable> xs,
                           const std::source_location& at = std::source_location::current()) const {
        return (*this)(hx, std::span(xs.begin(), xs.size()), at);
    }
    /// hx and sequences in one matrix give the last states and the outputs, in the rows of x.
    template <std::same_as<SequenceRows> Rows>  // So that {x0, x1} is always a list.
    NStepRows operator()(const Variable& hx, const Rows& x,
                         const std::source_location& at = std::source_location::current()) const {
        const LocationScope scope(at);
        return of_rows(hx, x);
    }

protected:
    NStepPlain(std::string name, NStepActivation activation, bool both_directions, int64_t n_layers,
               int64_t in_size, int64_t out_size, double dropout, const NStepInit& init);

private:
    NStepRows of_rows(const Variable& hx, const SequenceRows& x) const;
    NStepRows computed(const Variable& hx, const SequenceRows& x) const;
    NStepActivation activation_;
};
/// A stack of gated recurrent units, called as NStepPlain is.
class NStepGated : public NStepStack {
public:
    /// hx and a list of sequences give the last states and the outputs.
    NStepResult operator()(const Variable& hx, std::span<const Variable> xs,
                           const std::source_location& at = std::source_location::current()) const;
    NStepResult operator()(const Variable& hx, std::initializer_list<Variable> xs,
                           const std::source_location& at = std::source_location::current()) const {
        return (*this)(hx, std::span(xs.begin(), xs.size()), at);
    }
    /// hx and sequences in one matrix give the last states and the outputs, in the rows of x.
    template <std::same_as<SequenceRows> Rows>  // So that {x0, x1} is always a list.
    NStepRows operator()(const Variable& hx, const Rows& x,
                         const std::source_location& at = std::source_location::current()) const {
        const LocationScope scope(at);
        return of_rows(hx, x);
    }

protected:
    NStepGated(std::string name, bool both_directions, int64_t n_layers, int64_t in_size,
               int64_t out_size, double dropout, const NStepInit& init);

private:
    NStepRows of_rows(const Variable& hx, const SequenceRows& x) const;
    NStepRows computed(const Variable& hx, const SequenceRows& x) const;
};
/// A stack with memory cells, called with (hx, cx, xs): cx and cy are the states of the memory.
class NStepMemory : public NStepStack {
public:
    /// hx, cx and a list of sequences give the last states and the outputs.
    NStepLstmResult operator()(
        const Variable& hx, const Variable& cx, std::span<const Variable> xs,
        const std::source_location& at = std::source_location::current()) const;
    NStepLstmResult operator()(
        const Variable& hx, const Variable& cx, std::initializer_list<Variable> xs,
        const std::source_location& at = std::source_location::current()) const {
        return (*this)(hx, cx, std::span(xs.begin(), xs.size()), at);
    }
    /// hx, cx and sequences in one matrix give the last states and the outputs, in the rows of x.
    template <std::same_as<SequenceRows> Rows>  // So that {x0, x1} is always a list.
    NStepRows operator()(const Variable& hx, const Variable& cx, const Rows& x,
                         const std::source_location& at = std::source_location::current()) const {
        const LocationScope scope(at);
        return of_rows(hx, cx, x);
    }

protected:
    NStepMemory(std::string name, bool both_directions, int64_t n_layers, int64_t in_size,
                int64_t out_size, double dropout, const NStepInit& init);

private:
    NStepRows of_rows(const Variable& hx, const Variable& cx, const SequenceRows& x) const;
    NStepRows computed(const Variable& hx, const Variable& cx, const SequenceRows& x) const;
};

/// Layers of n_step_rnn with tanh.
struct NStepRNNTanh : NStepPlain {
    /// n_layers layers of out_size units; `dropout` is the share of inputs that each layer but the
    /// first drops.
    NStepRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                 const NStepInit& init = {});
};
/// Layers of n_step_rnn with relu.
struct NStepRNNReLU : NStepPlain {
    /// Layers as of NStepRNNTanh.
    NStepRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                 const NStepInit& init = {});
};
/// Layers of n_step_birnn with tanh.
struct NStepBiRNNTanh : NStepPlain {
    /// Layers as of NStepRNNTanh.
    NStepBiRNNTanh(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                   const NStepInit& init = {});
};
/// Layers of n_step_birnn with relu.
struct NStepBiRNNReLU : NStepPlain {
    /// Layers as of NStepRNNTanh.
    NStepBiRNNReLU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                   const NStepInit& init = {});
};
/// Layers of n_step_gru.
struct NStepGRU : NStepGated {
    /// Layers as of NStepRNNTanh.
    NStepGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
             const NStepInit& init = {});
};
/// Layers of n_step_bigru.
struct NStepBiGRU : NStepGated {
    /// Layers as of NStepRNNTanh.
    NStepBiGRU(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
               const NStepInit& init = {});
};
/// Layers of n_step_lstm.
struct NStepLSTM : NStepMemory {
    /// Layers as of NStepRNNTanh.
    NStepLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
              const NStepInit& init = {});
};
/// Layers of n_step_bilstm.
struct NStepBiLSTM : NStepMemory {
    /// Layers as of NStepRNNTanh.
    NStepBiLSTM(int64_t n_layers, int64_t in_size, int64_t out_size, double dropout,
                const NStepInit& init = {});
};

}  // namespace catena
