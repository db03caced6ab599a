#include "tests/cuda/library_check.h"

#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>

namespace catena::testing {

Array waves(const Shape& shape, Dtype dtype, int phase) {
    std::vector<double> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = double((i * 37 + size_t(phase)) % 19) - 9;
    return Array::from(values, shape).astype(dtype);
}

const OpDef& op_with(LibraryRole role) {
    for (const OpDef* op : all_ops())
        if (library_role_of(*op) == role) return *op;
    throw std::logic_error("no op has this role");
}

void expect_same(Device& device, const OpDef& op, const std::vector<Array>& inputs,
                 const Attributes& attributes, double tolerance) {
    std::vector<Array> there;
    for (const Array& input : inputs) there.push_back(input.to(device));
    const std::vector<double>
        actual = run_kernel(op, there, attributes)[0].to(cpu_device()).to_vector<double>(),
        expected = run_kernel(op, inputs, attributes)[0].to_vector<double>();
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
        ASSERT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

Environment::Environment(const char* name, const char* value) : name(name) {
    setenv(name, value, 1);
}
Environment::~Environment() { unsetenv(name); }

}  // namespace catena::testing
