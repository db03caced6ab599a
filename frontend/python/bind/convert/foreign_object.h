#pragma once

#include "frontend/python/bind/convert/types.h"
#include "runtime/core/array/array.h"

// Memory that Python's objects and Catena's arrays share. Neither side may free what the other
// still sees.

namespace catena::python {

/// Gives a reference back from any thread, with or without the interpreter's lock: without it the
/// reference is given back at the next chance.
void release_reference(PyObject* object) noexcept;
/// Gives back what threads without the lock left. Called with the lock.
void release_waiting_references();

/// An array over memory that `object` keeps, such as an ndarray; it holds a reference to it.
/// `others_may_write`: ForeignMemory::others_may_write, called with the interpreter's lock.
Array array_over(PyObject* object, void* data, const Type& type, const Strides& strides,
                 bool writable, bool (*others_may_write)(PyObject* object));
/// The object whose memory the array shows, a borrowed reference; null if it is Catena's own.
PyObject* object_behind(const Array& array);
/// A new reference to an object that keeps the array and its memory in place while it lives: the
/// base of an ndarray over it.
PyObject* keeper_of(const Array& array);

}  // namespace catena::python
