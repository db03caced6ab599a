#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include "frontend/python/bind/convert/ndarray.h"

#include <numpy/arrayobject.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "frontend/python/bind/convert/foreign_object.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/from_host_data.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/settings/config.h"

namespace catena::python {
namespace {

/// NumPy's number of each dtype; bfloat16's is given by ml_dtypes at its import, -1 without.
std::array<int, dtype_count> numpy_numbers = {NPY_BOOL,    NPY_INT8,   NPY_INT16, NPY_INT32,
                                              NPY_INT64,   NPY_UINT8,  NPY_HALF,  -1,
                                              NPY_FLOAT32, NPY_FLOAT64};

int numpy_number(Dtype dtype) {
    const int number = numpy_numbers[size_t(dtype)];
    if (number < 0)
        fail<DtypeError>(
            "NumPy has no bfloat16: install ml_dtypes, or convert with astype('float32')");
    return number;
}

PyArrayObject* as_ndarray(PyObject* object) { return reinterpret_cast<PyArrayObject*>(object); }

std::string text_of(PyObject* object) {
    const nb::object text = nb::steal(PyObject_Str(object));
    if (!text.is_valid()) throw nb::python_error();
    return to_string(text.ptr());
}

/// The dtype of a descriptor, whatever the platform calls it (NPY_LONG and NPY_LONGLONG have 64
/// bits both).
std::optional<Dtype> dtype_of_descriptor(PyArray_Descr* descriptor) {
    const int number = descriptor->type_num;
    for (int i = 0; i < dtype_count; ++i)
        if (numpy_numbers[size_t(i)] == number) return Dtype(i);
    for (const Dtype dtype : {Dtype::int32, Dtype::int64})
        if (PyArray_EquivTypenums(number, numpy_number(dtype))) return dtype;
    return std::nullopt;
}

[[noreturn]] void refuse_dtype(PyObject* descriptor) {
    fail<DtypeError>(
        "there is no dtype {}: Catena has bool, int8, int16, int32, int64, uint8, float16, "
        "bfloat16, float32 and float64",
        text_of(descriptor));
}

Dtype dtype_of_array(PyArrayObject* array) {
    PyArray_Descr* const descriptor = PyArray_DESCR(array);
    if (const auto dtype = dtype_of_descriptor(descriptor)) return *dtype;
    refuse_dtype(reinterpret_cast<PyObject*>(descriptor));
}

Shape shape_of(PyArrayObject* array) {
    if (PyArray_NDIM(array) > max_rank)
        fail<ShapeError>("an array of {} axes: Catena's have up to {}", PyArray_NDIM(array),
                         max_rank);
    Shape shape;
    for (int i = 0; i < PyArray_NDIM(array); ++i) shape.push_back(PyArray_DIM(array, i));
    return shape;
}

/// NumPy's functions leave hidden elements out; Catena's would compute with what lies behind them.
void refuse_hidden_elements(PyObject* ndarray) {
    if (PyArray_CheckExact(ndarray)) return;
    const nb::module_ masked = nb::module_::import_("numpy.ma");
    if (nb::cast<bool>(masked.attr("is_masked")(nb::handle(ndarray))))
        fail<ValueError>(
            "a masked array with hidden elements: give x.filled(value), or x.data with all of "
            "them");
}

/// The type of an ndarray whose elements Catena can have.
Type type_of(PyObject* ndarray) {
    refuse_hidden_elements(ndarray);
    return {dtype_of_array(as_ndarray(ndarray)), shape_of(as_ndarray(ndarray))};
}

/// Strides in elements; none where they are no whole number of elements, as of a field of records.
std::optional<Strides> strides_of(PyArrayObject* array) {
    Strides strides;
    const npy_intp size = PyArray_ITEMSIZE(array);
    for (int i = 0; i < PyArray_NDIM(array); ++i) {
        if (PyArray_STRIDE(array, i) % size) return std::nullopt;
        strides.push_back(PyArray_STRIDE(array, i) / size);
    }
    return strides;
}

/// A row-major ndarray of this machine's byte order with the same elements.
nb::object tidy(PyObject* ndarray) {
    PyArray_Descr* const descriptor = PyArray_DescrFromType(PyArray_TYPE(as_ndarray(ndarray)));
    PyObject* const copy = PyArray_FromArray(
        as_ndarray(ndarray), descriptor,
        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSURECOPY);
    if (!copy) throw nb::python_error();
    return nb::steal(copy);
}

bool is_tidy(PyArrayObject* array) {
    return PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array) && strides_of(array);
}

void register_bfloat16() {
    const nb::object module = nb::steal(PyImport_ImportModule("ml_dtypes"));
    if (!module.is_valid()) return PyErr_Clear();  // Not installed.
    PyArray_Descr* descriptor = nullptr;
    const nb::object type = module.attr("bfloat16");
    if (PyArray_DescrConverter(type.ptr(), &descriptor) != NPY_SUCCEED) throw nb::python_error();
    numpy_numbers[size_t(Dtype::bfloat16)] = descriptor->type_num;
    Py_DECREF(descriptor);
}

/// NumPy's name of the object, or its own if it is a text that NumPy need not know.
std::optional<Dtype> dtype_by_name(PyObject* object) {
    if (!PyUnicode_Check(object)) return std::nullopt;
    const std::string name = to_string(object);
    for (int i = 0; i < dtype_count; ++i)
        if (name_of(Dtype(i)) == name) return Dtype(i);
    return std::nullopt;
}

PyObject* or_error(PyObject* made) {
    if (!made) throw nb::python_error();
    return made;
}

/// An ndarray over the memory of an array, which it keeps.
PyObject* ndarray_over(const Array& array) {
    const Type& type = array.type();
    std::array<npy_intp, max_rank> sizes{}, strides{};
    for (int i = 0; i < type.shape.rank(); ++i) {
        sizes[size_t(i)] = type.shape[i];
        strides[size_t(i)] = array.strides()[i] * npy_intp(size_of(type.dtype));
    }
    const nb::object keeper = nb::steal(keeper_of(array));
    void* const data = const_cast<void*>(array.elements());
    const bool is_writable = !array.storage()->is_read_only;
    static std::max_align_t nothing;  // NumPy allocates where it is given no memory.
    nb::object made = nb::steal(or_error(
        PyArray_New(&PyArray_Type, type.shape.rank(), sizes.data(), numpy_number(type.dtype),
                    strides.data(), data ? data : &nothing, 0,
                    NPY_ARRAY_ALIGNED | (is_writable ? NPY_ARRAY_WRITEABLE : 0), nullptr)));
    if (PyArray_SetBaseObject(as_ndarray(made.ptr()), Py_NewRef(keeper.ptr())) < 0)
        throw nb::python_error();
    return made.release().ptr();
}

/// Whether Python can get at the object by more than the one reference to it that is known.
bool is_shared(PyObject* object) {
    if (Py_REFCNT(object) != 1) return true;
    const Py_ssize_t offset = Py_TYPE(object)->tp_weaklistoffset;
    return offset > 0 && *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offset);
}

/// Memory that no Python object can change: of bytes, through ndarrays that cannot write.
bool is_constant(PyObject* object) {
    for (; object && PyArray_Check(object); object = PyArray_BASE(as_ndarray(object)))
        if (PyArray_ISWRITEABLE(as_ndarray(object))) return false;
    return object && PyBytes_CheckExact(object);
}

/// Whether NumPy may write to the memory of an ndarray of which an array holds a reference.
bool is_reachable(PyObject* ndarray) {
    for (PyObject* object = ndarray; PyArray_CheckExact(object) && !is_shared(object);
         object = PyArray_BASE(as_ndarray(object)))
        if (PyArray_CHKFLAGS(as_ndarray(object), NPY_ARRAY_OWNDATA)) return false;
    return !is_constant(ndarray);
}

Array copy_of(PyObject* ndarray) {
    PyArrayObject* const array = as_ndarray(ndarray);
    const Type type = type_of(ndarray);
    if (is_tidy(array)) return from_host_data(PyArray_DATA(array), type, *strides_of(array));
    const nb::object copy = tidy(ndarray);
    return from_host_data(PyArray_DATA(as_ndarray(copy.ptr())), type);
}

/// Makes the region's code run at every call: within a region, beside what operations read, NumPy
/// may have computed elements from an argument, which a call that skips the code would not.
void needs_code_of_region() {
    if (Recorder* recorder = current_recorder(); recorder && recorder->defers())
        recorder->needs_code("it keeps the elements of an ndarray");
}

PyObject* copy_from_device(const Array& array) { return ndarray_over(array.to(cpu_device())); }

}  // namespace

void import_numpy() {
    if (_import_array() < 0) throw nb::python_error();
    register_bfloat16();
}

bool is_ndarray(PyObject* object) { return PyArray_Check(object); }
bool is_numpy_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic); }

Array array_of(PyObject* ndarray) {
    needs_code_of_region();
    PyArrayObject* const array = as_ndarray(ndarray);
    const Type type = type_of(ndarray);
    if (!current_device().is_host() || !is_tidy(array)) return copied_array_of(ndarray);
    return array_over(ndarray, PyArray_DATA(array), type, *strides_of(array),
                      PyArray_ISWRITEABLE(array), is_reachable);
}

Array copied_array_of(PyObject* ndarray) {
    needs_code_of_region();
    return copy_of(ndarray);
}

bool shows(const Array& array, PyObject* ndarray) {
    PyArrayObject* const found = as_ndarray(ndarray);
    return object_behind(array) == ndarray && PyArray_DATA(found) == array.elements() &&
           shape_of(found) == array.shape() && dtype_of_array(found) == array.dtype() &&
           strides_of(found) == array.strides();
}

bool has_elements_of(PyObject* ndarray, const Array& array) {
    PyArrayObject* const found = as_ndarray(ndarray);
    if (shape_of(found) != array.shape() || dtype_of_array(found) != array.dtype()) return false;
    const Array tidy_copy = PyArray_ISCARRAY_RO(found) ? Array() : copied_array_of(ndarray);
    const void* const elements = tidy_copy.defined() ? tidy_copy.elements() : PyArray_DATA(found);
    const size_t bytes = size_t(array.size()) * size_of(array.dtype());
    return bytes == 0 || std::memcmp(elements, array.to(cpu_device()).elements(), bytes) == 0;
}

Array array_from(PyObject* object, std::optional<Dtype> dtype) {
    PyArray_Descr* const descriptor = dtype ? PyArray_DescrFromType(numpy_number(*dtype)) : nullptr;
    const bool has_dtype = is_ndarray(object) || is_numpy_scalar(object) ||
                           PyObject_HasAttrString(object, "__array__");
    const nb::object made = nb::steal(
        or_error(PyArray_FromAny(object, descriptor, 0, 0, NPY_ARRAY_CARRAY_RO, nullptr)));
    Array array = has_dtype ? copied_array_of(made.ptr()) : copy_of(made.ptr());
    // Python's floats have no dtype of their own.
    if (!dtype && !has_dtype && array.dtype() == Dtype::float64)
        return array.astype(config().dtype);
    return array;
}

PyObject* ndarray_of(const Array& array) {
    if (!array.defined()) Py_RETURN_NONE;
    if (!array.device().is_host()) return copy_from_device(array);
    if (PyObject* const origin = object_behind(array);
        origin && is_ndarray(origin) && shows(array, origin)) {
        // A static region is to know that NumPy may write from here on.
        if (!array.storage()->is_read_only) array.raw_data();
        return Py_NewRef(origin);
    }
    return ndarray_over(array);
}

Dtype dtype_of(PyObject* object) {
    if (const auto dtype = dtype_by_name(object)) return *dtype;
    PyArray_Descr* descriptor = nullptr;
    if (PyArray_DescrConverter(object, &descriptor) != NPY_SUCCEED) {
        // NumPy shows the object, which may have no repr().
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
        const bool is_text = PyUnicode_Check(object);
        fail<DtypeError>("{} is no dtype", is_text ? "'" + to_string(object) + "'"
                                                   : "a " + std::string(Py_TYPE(object)->tp_name));
    }
    const nb::object owned = nb::steal(reinterpret_cast<PyObject*>(descriptor));
    if (const auto dtype = dtype_of_descriptor(descriptor)) return *dtype;
    refuse_dtype(owned.ptr());
}

PyObject* numpy_dtype(Dtype dtype) {
    return or_error(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_number(dtype))));
}

}  // namespace catena::python
