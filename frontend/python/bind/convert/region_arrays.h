#pragma once

#include <unordered_map>

#include "frontend/python/bind/convert/types.h"
#include "runtime/core/array/array.h"

namespace catena::python {

/// The ndarrays that the running call of a region reads, and the Array of each. It is the same one
/// at each use, by which the region recognises an argument. It shows the ndarray's memory, as
/// outside of regions; where Catena cannot read that, it is a copy until NumPy has changed an
/// element. One for each thread's outermost call; inner calls belong to it.
class RegionArrays {
public:
    RegionArrays();
    ~RegionArrays();
    RegionArrays(const RegionArrays&) = delete;

    Array of(PyObject* ndarray);
    /// An ndarray that nothing but this refers to when the region's code has returned was made in
    /// the call: NumPy computed it, perhaps from an argument, and no call may skip that.
    void say_what_was_made() const;

private:
    struct Known {
        /// The ndarray where the array does not hold it: another one at its place would be taken
        /// for it.
        nb::object ndarray;
        Array array;
        bool is_argument = false;  ///< Whether it is an argument of the outermost call.
    };
    RegionArrays* const previous_;
    std::unordered_map<PyObject*, Known> known_;
};

/// The Array of an ndarray among the arguments of the call that begins.
Array argument_array(PyObject* ndarray);
/// The Array that an operation is to read for this ndarray: array_of() outside of regions.
Array region_array(PyObject* ndarray);
/// Tells the recorder, at the end of a region's code, of ndarrays that NumPy made in it.
void say_what_was_made();

}  // namespace catena::python
