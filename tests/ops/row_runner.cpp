#include "tests/ops/row_runner.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "runtime/core/array/device.h"

namespace catena::testing {

bool runs_in(const Row& row, Dtype dtype) {
    return std::find(row.dtypes.begin(), row.dtypes.end(), dtype) != row.dtypes.end();
}

bool has_run_dtype(const Row& row) {
    return std::any_of(row.inputs.begin(), row.inputs.end(),
                       [](const Input& input) { return !input.absent && !input.dtype; });
}

Generator generator_for(const Row& row) {
    uint32_t seed = 17;
    for (char c : row.op + row.function + row.note) seed = seed * 31 + uint8_t(c);
    return Generator(seed);
}

Arrays draw(const std::vector<Input>& inputs, Dtype run, Generator& generator) {
    Arrays arrays;
    for (const Input& input : inputs) {
        if (input.absent) {
            arrays.emplace_back();
            continue;
        }
        const Dtype dtype = input.dtype.value_or(run);
        const double low = dtype == Dtype::uint8 ? std::max(0.0, input.low) : input.low;
        std::uniform_real_distribution<double> uniform(low, std::max(low + 1e-9, input.high));
        Reference values(input.shape);
        for (double& value : values.values) {
            value = uniform(generator);
            if (is_integer(dtype)) value = std::floor(value);
            if (dtype == Dtype::bool_) value = value < (low + input.high) / 2;
        }
        if (!input.values.empty()) values = Reference(input.shape, input.values);
        arrays.push_back(to_array(values, dtype));
    }
    return arrays;
}

Array draw_like(const Type& type, Generator& generator) {
    std::normal_distribution<double> normal;
    Reference values(type.shape);
    for (double& value : values.values) value = normal(generator);
    return to_array(values, type.dtype);
}

Array to_array(const Reference& reference, Dtype dtype) {
    return Array::from(reference.values, reference.shape).astype(dtype);
}

Reference to_reference(const Array& array) {
    return Reference(array.shape(), array.to_vector<double>());
}

References to_references(const Arrays& arrays) {
    References result;
    for (const Array& array : arrays)
        if (array.defined()) result.push_back(to_reference(array));
    return result;
}

Array strided_copy(const Array& array) {
    const int rank = array.rank();
    Shape storage;
    for (int i = rank; i-- > 0;) storage.push_back(array.dim(i));
    storage.push_back(2);
    const Array base = Array::full({array.dtype(), storage}, 1);
    const Strides dense = contiguous_strides(storage);
    Strides strides;
    for (int i = 0; i < rank; ++i) strides.push_back(dense[rank - 1 - i]);
    int64_t offset = base.body()->offset + 1;
    if (rank > 0 && array.dim(0) > 0) {
        offset += strides[0] * (array.dim(0) - 1);
        strides[0] = -strides[0];
    }
    const Array view = base.view(array.shape(), strides, offset);
    copy_elements(array, view);
    return view;
}

Variables call_row(const Row& row, const std::vector<Variable>& inputs, const Settings& more) {
    std::map<std::string, LiteralValue, std::less<>> values;
    for (const auto& [name, text] : row.set) values[name] = parse_literal(text);
    for (const auto& [name, text] : more) values[name] = parse_literal(text);
    if (row.before) row.before();
    return call_function(row.function, inputs, values);
}

std::vector<Variable> as_variables(const Arrays& arrays, bool requires_grad) {
    std::vector<Variable> variables;
    for (const Array& array : arrays)
        variables.push_back(array.defined()
                                ? Variable(array, requires_grad && is_float(array.dtype()))
                                : Variable());
    return variables;
}

std::vector<size_t> differentiable_inputs(const Row& row) {
    std::vector<size_t> result;
    for (size_t i = 0; i < row.inputs.size(); ++i)
        if (row.inputs[i].differentiable && !row.inputs[i].dtype && !row.inputs[i].absent)
            result.push_back(i);
    return result;
}

double tolerance_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float64:
            return 1e-12;
        case Dtype::float32:
            return 3e-6;
        case Dtype::float16:
            return 4e-3;
        case Dtype::bfloat16:
            return 3e-2;
        default:
            return 0;
    }
}

void expect_near(const Array& y, const Reference& truth, double tolerance, bool every_digit) {
    ASSERT_EQ(to_string(y.shape()), to_string(truth.shape));
    // What the truth becomes in y's dtype: rounded, or inf past the largest number.
    const std::vector<double> expected = to_array(truth, y.dtype()).to_vector<double>();
    const std::vector<double> actual = y.to_vector<double>();
    for (size_t i = 0; i < actual.size(); ++i) {
        const double a = actual[i], e = expected[i];
        if (std::isnan(e) ? std::isnan(a) : a == e) continue;
        ASSERT_LE(std::abs(a - e), tolerance * ((every_digit ? 0 : 1) + std::abs(e)))
            << "element " << i << " of " << actual.size() << " is " << a << ", the truth " << e;
    }
}

void expect_truth(const Row& row, const Arrays& inputs, const Variables& outputs, Dtype run) {
    for (const Variable& y : outputs) ASSERT_TRUE(y.defined());
    if (has_run_dtype(row) || row.result) {
        EXPECT_EQ(name_of(outputs[0].dtype()), name_of(row.result ? row.result(run) : run));
    }
    if (row.verify) {
        References ys;
        for (const Variable& y : outputs) ys.push_back(to_reference(y.array()));
        row.verify(to_references(inputs), ys);
        return;
    }
    const References truth = row.truth.of(to_references(inputs));
    ASSERT_EQ(outputs.size(), truth.size());
    for (size_t i = 0; i < truth.size(); ++i) {
        SCOPED_TRACE("output " + std::to_string(i));
        const Dtype dtype = is_float(outputs[i].dtype()) ? run : outputs[i].dtype();
        const double tolerance = std::max(tolerance_of(dtype), tolerance_of(outputs[i].dtype()));
        expect_near(outputs[i].array(), truth[i], row.tolerance * tolerance, row.every_digit);
    }
}

}  // namespace catena::testing
