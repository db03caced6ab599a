#include "frontend/python/bind/collector.h"

#include "runtime/graph/node/owned_objects.h"

namespace catena::python {
namespace {

int traverse_variable(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    int stopped = 0;
    visit_owned_objects(variable_in(self), [&](void* held) {
        if (!stopped) stopped = visit(static_cast<PyObject*>(held), arg);
    });
    return stopped;
}

/// Frees the graph that only this Variable leads to, and the objects in it.
int clear_variable(PyObject* self) {
    if (nb::inst_ready(self)) *nb::inst_ptr<Variable>(nb::handle(self)) = Variable();
    return 0;
}

}  // namespace

std::vector<PyType_Slot> collector_slots() {
    return {{Py_tp_traverse, reinterpret_cast<void*>(traverse_variable)},
            {Py_tp_clear, reinterpret_cast<void*>(clear_variable)}};
}

}  // namespace catena::python
