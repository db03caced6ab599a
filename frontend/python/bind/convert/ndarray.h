#pragma once

#include <optional>

#include "frontend/python/bind/convert/types.h"
#include "runtime/core/array/array.h"

// NumPy's arrays and Catena's. This is the only file that knows NumPy's C interface.

namespace catena::python {

/// Loads NumPy's C interface at import, and bfloat16 where ml_dtypes is installed. ImportError
/// without NumPy.
void import_numpy();

bool is_ndarray(PyObject* object);
/// Whether an object is one of NumPy's scalars (np.float32(1)) or bools.
bool is_numpy_scalar(PyObject* object);

/// The elements of an ndarray, shared with it where the device is the host and its memory is such
/// as Catena reads (aligned, of this machine's byte order), else copied. TypeError for a dtype that
/// Catena lacks.
Array array_of(PyObject* ndarray);
/// The array of an ndarray, always copied, on the current device.
Array copied_array_of(PyObject* ndarray);
/// Whether the array is one over the ndarray's memory, and of all of it.
bool shows(const Array& array, PyObject* ndarray);
/// Whether the array has the ndarray's type and the same bits.
bool has_elements_of(PyObject* ndarray, const Array& array);
/// What numpy.asarray(object, dtype) makes, as an Array of its own; for lists, numbers and all that
/// NumPy understands. A list of Python floats gives config().dtype unless a dtype is given.
Array array_from(PyObject* object, std::optional<Dtype> dtype);

/// A new reference to the ndarray with the same elements: that which the array was made from, if
/// it was, else one over the array's memory, which it keeps alive. On a device: a copy. In a static
/// region this is a host read.
PyObject* ndarray_of(const Array& array);

/// The dtype that an object names, which is anything that numpy.dtype() takes, or "bfloat16";
/// TypeError naming it otherwise.
Dtype dtype_of(PyObject* object);
/// A new reference to the numpy.dtype.
PyObject* numpy_dtype(Dtype dtype);

}  // namespace catena::python
