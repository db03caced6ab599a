#pragma once

#include <cstdint>

#include "runtime/cpu/product/packed_matrix.h"

namespace catena {

/// The cells of n_step_rnn, n_step_gru and n_step_lstm. Each has gates, of as many units as its
/// state, whose sums are x W^T + h R^T + b; gates stand one after the other in a row. s is the
/// sigmoid.
enum class RecurrentCell : uint8_t {
    tanh,  ///< The cell h' = tanh(a).
    relu,  ///< The cell h' = relu(a).
    /// The cell with gates r, z, a: h' = (1 - s(z)) tanh(x_a + s(r) h_a) + s(z) h, where x_a is a's
    /// sum over x and h_a that over h.
    gru,
    lstm,  ///< The cell with gates i, f, a, o: c' = s(i) tanh(a) + s(f) c, h' = s(o) tanh(c').
};

struct CellWidths {
    /// The number of gates: numbers that the products with W and R give for a unit.
    int64_t gates;
    /// The number of values that a step saves for the gradient: the gates (gru: r, z, h_a, a), c',
    /// and h' last.
    int64_t kept;
    /// The number of gradients of a step: those towards h R^T, and for gru that towards x_a.
    int64_t gradients;
    bool has_memory;  ///< Whether the cell has a memory c.
};
constexpr CellWidths widths_of(RecurrentCell cell) {
    switch (cell) {
        case RecurrentCell::lstm:
            return {4, 6, 4, true};
        case RecurrentCell::gru:
            return {3, 5, 4, false};
        default:
            return {1, 1, 1, false};
    }
}

/// The order of the gates in the rows of x, R and b: gate k stands at place[k]. The place of gru's
/// x_a and h_a is the last one.
struct GatePlaces {
    int64_t place[4] = {0, 1, 2, 3};
    int64_t operator[](int64_t gate) const { return place[gate]; }
    friend bool operator==(const GatePlaces&, const GatePlaces&) = default;
};

/// The operands of a step of `rows` sequences, for the units [first, first + count).
template <class T>
struct StepRows {
    int64_t rows, units, first, count;
    /// The product h R^T of these units: `rows` rows for the gate at the first place, then for the
    /// next.
    Rows<const T> sums;
    GatePlaces places;
    /// The product x W^T, [total, G units], whose row row[i] is this step of sequence i.
    const T* x;
    const T* b;  ///< The bias, [G units].
    const int64_t* row;
    Rows<const T> h, c;  ///< The states before the step; c for lstm only.
    Rows<T> kept;
    T* y;  ///< Receives h', [total, units].
};
template <class T>
struct StepGradients {
    int64_t rows, units, first, count;
    GatePlaces places;
    Rows<const T> h, c;
    Rows<const T> kept;
    /// The gradients of y, [total, units], whose row row[i] is this step of sequence i.
    const T* gy;
    const int64_t* row;
    T* gc;  ///< Before the call the gradient towards c', after it that towards c; [rows, units].
    /// Before the call the gradient towards h' without gy; after it the part of h's gradient that
    /// does not flow through h R^T, for gru only.
    T* gh;
    /// The gradients of the gates at their places, then gru's x_a: [rows, gradients units].
    Rows<T> gradients;
};

// On the calling thread.
void step_cell(RecurrentCell cell, const StepRows<float>& step);
void step_cell(RecurrentCell cell, const StepRows<double>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<float>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<double>& step);

}  // namespace catena
