#pragma once

#include "frontend/python/bind/convert/ndarray.h"

// Arguments of type Dtype: whatever numpy.dtype() takes.

namespace nanobind::detail {

template <>
struct type_caster<catena::Dtype> {
    NB_TYPE_CASTER(catena::Dtype, const_name("numpy.typing.DTypeLike"))

    bool from_python(handle source, uint8_t, cleanup_list*) {
        value = catena::python::dtype_of(source.ptr());
        return true;
    }
    static handle from_cpp(catena::Dtype dtype, rv_policy, cleanup_list*) {
        return catena::python::numpy_dtype(dtype);
    }
};

}  // namespace nanobind::detail
