#pragma once

#include <optional>

#include "frontend/python/bind/convert/types.h"
#include "runtime/graph/variable/scalar_operand.h"

namespace catena::python {

/// An argument of an operation, as Python has it: a Variable, what becomes one, or a number.
class PythonOperand {
public:
    /// Neither a Variable nor a number where the object is something else: is_known() is false.
    explicit PythonOperand(PyObject* object);
    bool is_known() const { return variable_ || number_; }
    bool is_number() const { return number_.has_value(); }
    const Variable& variable() const { return *variable_; }
    const Scalar& number() const { return *number_; }

private:
    Variable own_;
    const Variable* variable_ = nullptr;
    std::optional<Scalar> number_;
};

/// A Variable without gradient where the object is an ndarray, a number, or anything that NumPy
/// makes an array of; itself where it is a Variable. TypeError naming the argument otherwise.
Variable to_variable(PyObject* object, const char* function, const char* argument);

/// A bool, int, float or NumPy scalar; none for anything else. OverflowError for an int that
/// neither an int64 nor a double holds.
std::optional<Scalar> to_scalar(PyObject* object);

}  // namespace catena::python
