#include "frontend/python/bind/convert/interpreter_lock.h"

#include <Python.h>

#include "runtime/core/system/host_lock.h"

namespace catena::python {
namespace {

class InterpreterLock final : public HostLock {
public:
    void* let_go() noexcept override {
        return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr;
    }
    void take(void* held) noexcept override {
        PyEval_RestoreThread(static_cast<PyThreadState*>(held));
    }
    void* enter() noexcept override {
        if (!Py_IsInitialized() || PyGILState_Check()) return nullptr;
        PyGILState_Ensure();
        return this;
    }
    void leave(void*) noexcept override { PyGILState_Release(PyGILState_UNLOCKED); }
};

}  // namespace

void lend_interpreter_lock() {
    static InterpreterLock& lock = *new InterpreterLock;
    set_host_lock(&lock);
}

}  // namespace catena::python
