#include "tests/ops/op_table.h"

#include <algorithm>

namespace catena::testing {

namespace {

std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
}

/// The value of a broadcast array at an index of the common shape.
double value_at(const Reference& x, const Dims& index) {
    Dims own;
    const int missing = index.rank() - x.rank();
    for (int i = 0; i < x.rank(); ++i) own.push_back(x.dim(i) == 1 ? 0 : index[missing + i]);
    return x[own];
}

template <class F>
Truth broadcasting(size_t count, F f) {
    return {[count, f](const References& xs) -> References {
                Shape shape;
                for (size_t i = 0; i < count; ++i)
                    if (!broadcast_shapes(shape, xs.at(i).shape, shape))
                        throw std::logic_error("the row's arrays do not broadcast");
                Reference y(shape);
                for_each_index(shape, [&](const Dims& index) { y[index] = f(xs, index); });
                return {y};
            },
            true};
}

}  // namespace

int64_t Reference::offset(const Dims& index) const {
    int64_t at = 0;
    for (int i = 0; i < shape.rank(); ++i) {
        if (index.rank() != shape.rank() || index[i] < 0 || index[i] >= shape[i])
            throw std::out_of_range("index " + to_string(index) + " of a reference " +
                                    to_string(shape));
        at = at * shape[i] + index[i];
    }
    return at;
}

void for_each_index(const Shape& shape, const std::function<void(const Dims&)>& f) {
    const int64_t count = element_count(shape);
    Dims index = Dims::filled(shape.rank(), 0);
    for (int64_t k = 0; k < count; ++k) {
        f(index);
        for (int i = shape.rank(); i-- > 0;) {
            if (++index[i] < shape[i]) break;
            index[i] = 0;
        }
    }
}

Truth each(std::function<double(double)> f) {
    return broadcasting(1,
                        [f](const References& x, const Dims& i) { return f(value_at(x[0], i)); });
}
Truth each(std::function<double(double, double)> f) {
    return broadcasting(2, [f](const References& x, const Dims& i) {
        return f(value_at(x[0], i), value_at(x[1], i));
    });
}
Truth each(std::function<double(double, double, double)> f) {
    return broadcasting(3, [f](const References& x, const Dims& i) {
        return f(value_at(x[0], i), value_at(x[1], i), value_at(x[2], i));
    });
}
Truth one(std::function<Reference(const References&)> f) {
    return [f](const References& x) { return References{f(x)}; };
}

std::vector<Dtype> float_dtypes() {
    return {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64};
}
std::vector<Dtype> number_dtypes() {
    return {Dtype::int8,    Dtype::int16,    Dtype::int32,   Dtype::int64,  Dtype::uint8,
            Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64};
}
std::vector<Dtype> all_dtypes() {
    std::vector<Dtype> all = number_dtypes();
    all.push_back(Dtype::bool_);
    return all;
}
Dtype beside_an_integer(Dtype run) { return run == Dtype::bool_ ? Dtype::int32 : run; }
Dtype beside_a_float(Dtype run) { return is_float(run) ? run : Dtype::float32; }
std::function<Dtype(Dtype)> always(Dtype dtype) {
    return [dtype](Dtype) { return dtype; };
}

std::vector<Row> taking_whole(std::vector<Row> rows) {
    for (Row& row : rows)
        row.takes_whole =
            std::ranges::all_of(row.dtypes, [](Dtype dtype) { return is_float(dtype); });
    return rows;
}

int add_rows(std::vector<Row> added) {
    for (Row& row : added) {
        if (row.function.empty()) row.function = row.op;
        if (row.dtypes.empty()) row.dtypes = float_dtypes();
        rows().push_back(std::move(row));
    }
    return int(rows().size());
}
const std::vector<Row>& all_rows() { return rows(); }

CompiledCall& compiled() {
    static CompiledCall call;
    return call;
}
CompiledCall& in_region() {
    static CompiledCall call;
    return call;
}
CompiledCall& compiled_with_a_break() {
    static CompiledCall call;
    return call;
}

}  // namespace catena::testing
