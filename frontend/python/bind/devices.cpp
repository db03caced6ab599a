#include <nanobind/stl/string.h>

#include <memory>
#include <vector>

#include "frontend/python/bind/module.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena::python {
namespace {

/// Python's `with using_device("cuda:0"): ...`
class UsingDevice {
public:
    explicit UsingDevice(const std::string& name) : device_(get_device(name)) {}
    UsingDevice(UsingDevice&&) = default;
    void enter() { scopes_.push_back(std::make_unique<DeviceScope>(device_)); }
    void exit() {
        if (scopes_.empty()) fail<ValueError>("using_device: left more often than entered");
        scopes_.pop_back();
    }

private:
    Device& device_;
    std::vector<std::unique_ptr<DeviceScope>> scopes_ = {};
};

}  // namespace

void bind_devices(nb::module_& m) {
    nb::class_<UsingDevice>(m, "using_device", "The device of new arrays, until the block ends.")
        .def(nb::init<std::string>(), nb::arg("device"))
        .def("__enter__",
             [](nb::pointer_and_handle<UsingDevice> self) {
                 self.p->enter();
                 return nb::borrow(self.h);
             })
        .def("__exit__", [](UsingDevice& self, nb::args) { self.exit(); });
    m.def(
        "current_device", [] { return current_device().name(); },
        "The device of new arrays on this thread.");
    m.def(
        "has_device",
        [](const std::string& name) {
            try {
                get_device(name);
                return true;
            } catch (const Error&) {
                return false;
            }
        },
        nb::arg("device"), "Whether there is such a device and what it needs.");
    m.def("release_cached_memory", &release_cached_memory,
          "Gives unused blocks of memory back to the system.");
    m.def(
        "memory_in_use", [] { return cpu_memory_statistics().bytes_in_use; },
        "Bytes of live arrays on the host.");
}

}  // namespace catena::python
