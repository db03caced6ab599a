#pragma once

#include <span>
#include <vector>

#include "runtime/cpu/recurrent/sequence_steps.h"
#include "runtime/graph/op/op.h"

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
    Variable rows;     ///< The rows, [total, features].
    Variable lengths;  ///< The lengths, integers [B] that add up to total (ValueError).
    RowOrder order = RowOrder::by_sequence;
};
/// The rows of sequences [length, features] one after another, and their lengths as int32.
SequenceRows rows_of_sequences(std::span<const Variable> xs);
/// The sequences as separate arrays. Their lengths are read at once, which cuts a static region.
std::vector<Variable> sequences_of_rows(const SequenceRows& x);

struct NStepOptions {
    int64_t n_layers = 1;
    double dropout_ratio = 0;
    bool both_directions = false;
};
struct NStepRows {
    Variable hy, cy;  ///< The last states; cy is undefined for cells without a memory.
    Variable ys;      ///< The last layer's h, in the rows of x: [total, N] or [total, 2 N].
};
/// n_step_rnn of sequences in one matrix.
NStepRows n_step_rnn_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x,
                          NStepActivation activation = NStepActivation::tanh);
/// n_step_gru of sequences in one matrix.
NStepRows n_step_gru_rows(const NStepOptions& options, const Variable& hx, const NStepWeights& ws,
                          const NStepWeights& bs, const SequenceRows& x);
/// n_step_lstm of sequences in one matrix.
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
/// A recurrent network in layers over sequences (Elman 1990): h' = activation(W0 x + W1 h + b0 +
/// b1). Sequences are sorted by decreasing length and given step by step, as transpose_sequence
/// gives them. In training mode a share of the inputs of each layer but the first is dropped.
/// Floats of one dtype; ShapeError and DtypeError name the argument and what it should be.
/// Chainer's function.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (L, B, units); zeros if not given.
/// - ws: A list for each layer: W0, (units, inputs), and W1, (units, units).
/// - bs: A list for each layer: two vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - activation: "tanh" or "relu".
/// - returns: hy, the states after the last step of each sequence, of hx's shape; and a list of the
///   last layer's h at each step, (B_t, units).
NStepResult n_step_rnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs, std::span<const Variable> xs,
                       NStepActivation activation = NStepActivation::tanh);
/// n_step_rnn in both directions, whose results are joined at each step and are the inputs of the
/// next layer.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (2 * L, B, units), forward and backward of each layer;
///   zeros if not given.
/// - ws: A list for each layer and direction: W0, (units, inputs), and W1, (units, units).
/// - bs: A list for each layer and direction: two vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - activation: "tanh" or "relu".
/// - returns: hy, of hx's shape; and a list of the last layer's results at each step, (B_t, 2 *
///   units).
NStepResult n_step_birnn(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs,
                         NStepActivation activation = NStepActivation::tanh);
/// Gated recurrent units in layers over sequences (Cho et al. 2014): r = s(W0 x + W3 h + b0 + b3),
/// z = s(W1 x + W4 h + b1 + b4) and h' = (1 - z) * tanh(W2 x + b2 + r * (W5 h + b5)) + z * h, where
/// s is sigmoid. Sequences, dropout and errors as of n_step_rnn. Chainer's function.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (L, B, units); zeros if not given.
/// - ws: A list for each layer: W0 to W2, (units, inputs), and W3 to W5, (units, units).
/// - bs: A list for each layer: six vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - returns: hy, the states after the last step of each sequence, of hx's shape; and a list of the
///   last layer's h at each step, (B_t, units).
NStepResult n_step_gru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                       const NStepWeights& ws, const NStepWeights& bs,
                       std::span<const Variable> xs);
/// n_step_gru in both directions, whose results are joined at each step and are the inputs of the
/// next layer.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (2 * L, B, units), forward and backward of each layer;
///   zeros if not given.
/// - ws: A list for each layer and direction: W0 to W2, (units, inputs), and W3 to W5, (units,
///   units).
/// - bs: A list for each layer and direction: six vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - returns: hy, of hx's shape; and a list of the last layer's results at each step, (B_t, 2 *
///   units).
NStepResult n_step_bigru(int64_t n_layers, double dropout_ratio, const Variable& hx,
                         const NStepWeights& ws, const NStepWeights& bs,
                         std::span<const Variable> xs);
/// Long short-term memory in layers over sequences (Hochreiter and Schmidhuber 1997): i, f, a, o =
/// W0..3 x + W4..7 h + b0..3 + b4..7, c' = s(i) * tanh(a) + s(f) * c and h' = s(o) * tanh(c'),
/// where s is sigmoid. Sequences, dropout and errors as of n_step_rnn. Chainer's function.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (L, B, units); zeros if not given.
/// - cx: The cells before the first step, of hx's shape; zeros if not given.
/// - ws: A list for each layer: W0 to W3, (units, inputs), and W4 to W7, (units, units).
/// - bs: A list for each layer: eight vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - returns: hy and cy, the states and cells after the last step of each sequence, of hx's shape;
///   and a list of the last layer's h at each step, (B_t, units).
NStepLstmResult n_step_lstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                            const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                            std::span<const Variable> xs);
/// n_step_lstm in both directions, whose results are joined at each step and are the inputs of the
/// next layer.
/// - n_layers: Number of layers, L.
/// - dropout_ratio: The share that is dropped.
/// - hx: The states before the first step, (2 * L, B, units), forward and backward of each layer;
///   zeros if not given.
/// - cx: The cells before the first step, of hx's shape; zeros if not given.
/// - ws: A list for each layer and direction: W0 to W3, (units, inputs), and W4 to W7, (units,
///   units).
/// - bs: A list for each layer and direction: eight vectors, (units).
/// - xs: The steps, (B_t, inputs).
/// - returns: hy and cy, of hx's shape; and a list of the last layer's results at each step, (B_t,
///   2 * units).
NStepLstmResult n_step_bilstm(int64_t n_layers, double dropout_ratio, const Variable& hx,
                              const Variable& cx, const NStepWeights& ws, const NStepWeights& bs,
                              std::span<const Variable> xs);

}  // namespace catena
