#include "frontend/python/bind/convert/location.h"

#include <frameobject.h>

#include <map>
#include <string>
#include <utility>

#include "runtime/core/system/host_language.h"
#include "runtime/graph/op/attributes.h"

namespace catena::python {
namespace {

bool is_own_file(PyObject* filename);

/// The frame of the code that called Catena: the innermost one that is none of the package's own.
PyFrameObject* frame_of_user() {
    PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame) {
        PyCodeObject* const code = PyFrame_GetCode(frame);
        const bool own = is_own_file(code->co_filename);
        Py_DECREF(code);
        if (!own) return frame;
        PyFrameObject* const back = PyFrame_GetBack(frame);
        if (!back) return frame;
        Py_DECREF(frame);
        frame = back;
    }
    return nullptr;
}

/// Where the package's Python files lie, with a slash at the end.
std::string own_folder;

bool is_own_file(PyObject* filename) {
    const char* const name = PyUnicode_AsUTF8(filename);
    if (!name) PyErr_Clear();
    return name && !own_folder.empty() && std::string_view(name).starts_with(own_folder);
}

/// A text that lives as long as the process; a name is looked up by its object once.
const char* lasting(PyObject* text) {
    const char* const characters = PyUnicode_AsUTF8(text);
    if (!characters) {
        PyErr_Clear();
        return "";
    }
    return intern(characters);
}

/// Where this thread was when it let others run.
thread_local SourceLoc left_at;

}  // namespace

OthersMayRun::OthersMayRun()
    : before_(std::exchange(left_at, python_location())), thread_(PyEval_SaveThread()) {}

OthersMayRun::~OthersMayRun() {
    PyEval_RestoreThread(thread_);
    left_at = before_;
}

SourceLoc python_location() noexcept {
    if (!PyGILState_Check()) return left_at;
    SourceLoc location;
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);  // Asking must not lose an exception under way.
    if (PyFrameObject* const frame = frame_of_user()) {
        PyCodeObject* const code = PyFrame_GetCode(frame);
        location.file = lasting(code->co_filename);
        location.function = lasting(code->co_name);
        location.line = uint32_t(PyFrame_GetLineNumber(frame));
        Py_DECREF(code);
        Py_DECREF(frame);
    }
    PyErr_Restore(type, value, traceback);
    return location;
}

void set_own_folder(std::string folder) {
    own_folder = std::move(folder);
    set_host_language(python_location);
}

}  // namespace catena::python
