#pragma once

#include <cstdint>

namespace catena {

/// The cells of n_step_rnn, n_step_gru and n_step_lstm. Each has gates, of as many units as its state, whose sums are
/// x W^T + h R^T + b; gates stand one after the other in a row. s is the sigmoid.
enum class RecurrentCell : uint8_t {
    tanh,  ///< h' = tanh(a)
    relu,  ///< h' = relu(a)
    gru,   ///< r, z, a: h' = (1 - s(z)) tanh(x_a + s(r) h_a) + s(z) h, where x_a is a's sum over x and h_a that over h
    lstm,  ///< i, f, a, o: c' = s(i) tanh(a) + s(f) c, h' = s(o) tanh(c')
};

struct CellWidths {
    int64_t gates;      ///< What the products with W and R give for a unit.
    int64_t kept;       ///< What a step keeps for the gradient: the gates (gru: r, z, h_a, a), c', and h' last.
    int64_t gradients;  ///< The gradients of a step: those towards h R^T, and for gru that towards x_a.
    bool has_memory;    ///< c.
};
constexpr CellWidths widths_of(RecurrentCell cell) {
    switch (cell) {
        case RecurrentCell::lstm: return {4, 6, 4, true};
        case RecurrentCell::gru: return {3, 5, 4, false};
        default: return {1, 1, 1, false};
    }
}

/// Rows of a matrix that stand `stride` elements apart.
template <class T>
struct Rows {
    T* first;
    int64_t stride;
};

/// A step of the first `rows` sequences.
template <class T>
struct StepRows {
    int64_t rows, units;
    Rows<const T> h, c;  ///< Before the step; c for lstm only.
    Rows<T> kept;        ///< With the gates' sums where the gates will be; gru: with x_a where a will be.
};
template <class T>
struct StepGradients {
    int64_t rows, units;
    Rows<const T> h, c;
    Rows<const T> kept;
    T* gc;         ///< [rows, units]: towards c' before the call and towards c after it.
    T* gh;         ///< Towards h' before the call; after it the part of h's gradient that is not through h R^T: gru only.
    T* gradients;  ///< [rows, gradients units]
};

void step_cell(RecurrentCell cell, const StepRows<float>& step);
void step_cell(RecurrentCell cell, const StepRows<double>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<float>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<double>& step);

}  // namespace catena
