#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/ops/by_name/function.h"

// The op table: every registered op has rows, and one driver (op_table.cpp) checks each row against
// an independent float64 truth, numeric gradients, strided views, other dtypes and the meta device.
// A row:
//
//     static const int rows = add_rows({
//         {.op = "leaky_relu",
//          .set = {{"slope", "0.1"}},
//          .inputs = {{.shape = {3, 4}}},
//          .truth = each([](double x) { return x >= 0 ? x : 0.1 * x; })},
//     });

namespace catena::testing {

/// Elements as float64 in row-major order, whatever the dtype: what truths read and give.
struct Reference {
    Shape shape;
    std::vector<double> values;

    explicit Reference(const Shape& shape, double fill = 0)
        : shape(shape), values(size_t(element_count(shape)), fill) {}
    Reference(const Shape& shape, std::vector<double> values)
        : shape(shape), values(std::move(values)) {}

    int rank() const { return shape.rank(); }
    int64_t dim(int axis) const { return shape[axis]; }
    int64_t size() const { return int64_t(values.size()); }
    int64_t offset(const Dims& index) const;
    double& operator[](const Dims& index) { return values[offset(index)]; }
    double operator[](const Dims& index) const { return values[offset(index)]; }
    template <class... I>
    double& operator()(I... index) {
        return values[offset(Dims{int64_t(index)...})];
    }
    template <class... I>
    double operator()(I... index) const {
        return values[offset(Dims{int64_t(index)...})];
    }
};
using References = std::vector<Reference>;

/// Calls f(index) for every index of `shape`, the last axis fastest.
void for_each_index(const Shape& shape, const std::function<void(const Dims&)>& f);

/// One array argument.
struct Input {
    Shape shape;
    double low = -2, high = 2;   ///< Drawn uniformly between them; integers are rounded down.
    std::optional<Dtype> dtype;  ///< Of labels, indices, ...; otherwise the dtype of the run.
    bool differentiable =
        true;  ///< Gradients are checked towards it (when it is of the run's dtype).
    std::vector<double> values;  ///< These instead of drawn ones.
    bool absent = false;         ///< An optional array that is not given.
};

using Settings =
    std::map<std::string, std::string, std::less<>>;  ///< Literals: {{"axis", "(0, 1)"}}.
/// What the outputs must be: receives the arrays that are given, in order; returns all outputs.
struct Truth {
    std::function<References(const References&)> of;
    /// It holds at any shapes that broadcast: the driver adds broadcast, size-1, empty, NaN and inf
    /// runs.
    bool elementwise = false;

    Truth() = default;
    template <class F>
        requires std::is_invocable_r_v<References, F, const References&>
    Truth(F of, bool elementwise = false) : of(std::move(of)), elementwise(elementwise) {}
};

/// A call that must throw a catena::Error whose text contains `message`.
struct Reject {
    std::vector<Input> inputs;  ///< The row's when empty.
    Settings set;               ///< Added to the row's.
    std::string message;
    Dtype run = Dtype::float32;
};

struct Row {
    std::string op;        ///< The op that the row covers; "" when it covers its function alone.
    std::string function;  ///< Called by name; as `op` when empty.
    std::string note;      ///< Tells rows of one op apart: "negative_axis".
    Settings set;          ///< The arguments that are not arrays.
    std::vector<Input> inputs;
    Truth truth;
    /// In place of `truth`, for random results: fails by gtest's EXPECT.
    std::function<void(const References& inputs, const References& outputs)> verify;

    std::vector<Dtype> dtypes;  ///< Dtypes of the run, the float ones when empty. What no row of a
                                ///< function runs in must give a DtypeError.
    bool takes_whole = false;   ///< But integers and bools, which give what floats of them give.
    std::function<Dtype(Dtype)> result;  ///< Output dtype from the run's; the same when empty.
    bool specials = true;         ///< Elementwise: NaN and inf come out as the truth has them.
    bool gradient = true;         ///< Differentiable: check first gradients,
    bool double_gradient = true;  ///< and second ones.
    /// Runs before every call: sets the seed of random functions.
    std::function<void()> before;
    double tolerance = 1;      ///< Times the dtype's.
    bool every_digit = false;  ///< Small values count relative to themselves, not to 1.
    std::vector<Reject> rejects;
};

/// Truth of a map: f of one double per array, with NumPy broadcasting; elementwise.
Truth each(std::function<double(double)> f);
Truth each(std::function<double(double, double)> f);
Truth each(std::function<double(double, double, double)> f);
/// A truth with one output.
Truth one(std::function<Reference(const References&)> f);

std::vector<Dtype> float_dtypes();
std::vector<Dtype> number_dtypes();  ///< Floats and integers.
std::vector<Dtype> all_dtypes();     ///< And bool.
/// Row::result: this dtype, whatever the run's.
std::function<Dtype(Dtype)> always(Dtype dtype);
Dtype beside_an_integer(Dtype run);  ///< Row::result: int32 where the run's is bool.
Dtype beside_a_float(Dtype run);     ///< Row::result: float32 where the run's is none.

/// For static initialisers; returns the number of rows so far.
int add_rows(std::vector<Row> rows);
/// Those that run in floats alone, with takes_whole.
std::vector<Row> taking_whole(std::vector<Row> rows);
const std::vector<Row>& all_rows();

/// Calls a row's function on arrays through static_graph and gives what the compiled call returned.
/// Set by the suite that links the compiler; rows are compared with eager when it is there.
using CompiledCall = std::function<Variables(
    const std::function<Variables(const std::vector<Variable>&)>&, const std::vector<Variable>&)>;
CompiledCall& compiled();
/// The same without the demand that anything was compiled.
CompiledCall& in_region();
/// The same of a region that calls the function, reads the results on the host, and calls it again.
CompiledCall& compiled_with_a_break();

}  // namespace catena::testing
