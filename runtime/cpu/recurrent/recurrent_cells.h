#pragma once

#include <cstdint>

#include "runtime/cpu/product/packed_matrix.h"

namespace catena {

/// The cells of n_step_rnn, n_step_gru and n_step_lstm. Each has gates, of as many units as its
/// state, whose sums are x W^T + h R^T + b; gates stand one after the other in a row. s is the
/// sigmoid.
enum class RecurrentCell : uint8_t {
    tanh,  ///< h' = tanh(a)
    relu,  ///< h' = relu(a)
    gru,   ///< r, z, a: h' = (1 - s(z)) tanh(x_a + s(r) h_a) + s(z) h, where x_a is a's sum over x
           ///< and h_a that over h
    lstm,  ///< i, f, a, o: c' = s(i) tanh(a) + s(f) c, h' = s(o) tanh(c')
};

struct CellWidths {
    int64_t gates;  ///< What the products with W and R give for a unit.
    int64_t kept;   ///< What a step keeps for the gradient: the gates (gru: r, z, h_a, a), c', and
                    ///< h' last.
    int64_t
        gradients;  ///< The gradients of a step: those towards h R^T, and for gru that towards x_a.
    bool has_memory;  ///< c.
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

/// The order of the gates in the rows of x, R and b: gate k stands at place[k]. That of gru's x_a
/// and h_a is the last one.
struct GatePlaces {
    int64_t place[4] = {0, 1, 2, 3};
    int64_t operator[](int64_t gate) const { return place[gate]; }
    friend bool operator==(const GatePlaces&, const GatePlaces&) = default;
};

/// A step of `rows` sequences, of the units [first, first + count).
template <class T>
struct StepRows {
    int64_t rows, units, first, count;
    Rows<const T> sums;  ///< h R^T of these units: `rows` rows for the gate at the first place,
                         ///< then for the next.
    GatePlaces places;
    const T* x;  ///< [total, G units]: x W^T, of which row[i] is this step of sequence i.
    const T* b;  ///< [G units]
    const int64_t* row;
    Rows<const T> h, c;  ///< Before the step; c for lstm only.
    Rows<T> kept;
    T* y;  ///< [total, units]: receives h'.
};
template <class T>
struct StepGradients {
    int64_t rows, units, first, count;
    GatePlaces places;
    Rows<const T> h, c;
    Rows<const T> kept;
    const T* gy;  ///< [total, units], of which row[i] is this step of sequence i.
    const int64_t* row;
    T* gc;  ///< [rows, units]: towards c' before the call and towards c after it.
    T* gh;  ///< Towards h' but for gy; after the call the part of h's gradient that is not through
            ///< h R^T: gru only.
    Rows<T> gradients;  ///< [rows, gradients units]: of the gates at their places, then gru's x_a.
};

// On the calling thread.
void step_cell(RecurrentCell cell, const StepRows<float>& step);
void step_cell(RecurrentCell cell, const StepRows<double>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<float>& step);
void step_cell_back(RecurrentCell cell, const StepGradients<double>& step);

}  // namespace catena
