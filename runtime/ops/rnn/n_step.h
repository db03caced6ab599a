#pragma once

#include <span>
#include <vector>

#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/graph/op.h"

namespace catena {

// Stacked recurrent networks over sequences of different lengths. S layers (2 S with both
// directions: ws[2 i] and ws[2 i + 1] are layer i forward and backward, whose outputs are joined)
// of N units. States are [S, B, N]; an undefined one is zeros. ws[k] holds the matrices [N, inputs]
// of all gates for the input, then those [N, N] for h; bs[k] as many vectors [N]. In training mode
// a share of `dropout_ratio` of the inputs of each layer but the first is dropped.
//     rnn:  h' = activation(W0 x + W1 h + b0 + b1)
//     gru:  r = s(W0 x + W3 h + b0 + b3), z = s(W1 x + W4 h + b1 + b4), h' = (1 - z) tanh(W2 x + b2
//     + r (W5 h + b5)) + z h lstm: i, f, a, o = W0..3 x + W4..7 h + b0..7, c' = s(i) tanh(a) + s(f)
//     c, h' = s(o) tanh(c')
// ShapeError and DtypeError name the argument and what it should be.
using NStepWeights = std::vector<std::vector<Variable>>;
enum class NStepActivation : uint8_t { tanh, relu };

/// Sequences in one matrix, for the *_rows functions: a static region that takes `rows` and
/// `lengths` as arguments is one program for all lengths, where a list of arrays would be one for
/// each combination of them.
struct SequenceRows {
    Variable rows;     ///< [total, features]
    Variable lengths;  ///< Integers [B] that add up to total (ValueError).
    RowOrder order = RowOrder::by_sequence;
};
/// The rows of sequences [length, features] one after another, and their lengths as int32.
SequenceRows rows_of_sequences(std::span<const Variable> xs);
/// The sequences again. Their lengths are read at once: a cut of a static region.
std::vector<Variable> sequences_of_rows(const SequenceRows& x);

struct NStepOptions {
    int64_t n_layers = 1;
    double dropout_ratio = 0;
    bool both_directions = false;
};
struct NStepRows {
    Variable hy, cy;  ///< cy is undefined without a memory.
    Variable ys;      ///< [total, N] or [total, 2 N]: the last layer's h, in the rows of x.
};
NStepRows n_step_rnn_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x,
                          NStepActivation activation = NStepActivation::tanh);
NStepRows n_step_gru_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x);
NStepRows n_step_lstm_rows(const NStepOptions& options, const Variable& hx, const Variable& cx,
                           const NStepWeights& ws, const NStepWeights& bs, const SequenceRows& x);

// As in Chainer: xs[t] [B_t, features] holds step t of the sequences, which are sorted by
// decreasing length, and so does ys[t] (transpose_sequence). The links sort and transpose by
// themselves.
struct NStepResult {
    Variable hy;
    std::vector<Variable> ys;
};
struct NStepLstmResult {
    Variable hy, cy;
    std::vector<Variable> ys;
};
NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs, std::span<const Variable> xs,
                       NStepActivation activation = NStepActivation::tanh);
NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs,
                         NStepActivation activation = NStepActivation::tanh);
NStepResult n_step_gru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs,
                       std::span<const Variable> xs);
NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs);
NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                            std::span<const Variable> xs);
NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                              const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                              std::span<const Variable> xs);

}  // namespace catena
