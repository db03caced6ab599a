#pragma once

#include <memory>
#include <string>

#include "frontend/python/bind/convert/types.h"
#include "runtime/comm/communicator.h"

// The parts of the binding of communicators, `_catena.distributed`.

namespace catena::python {

/// A communicator as Python holds it. Its end waits for what is sent in the background, and lets
/// other threads of Python run meanwhile.
class Group {
public:
    explicit Group(std::shared_ptr<Communicator> communicator)
        : communicator_(std::move(communicator)) {}
    Group(Group&&) = default;
    ~Group();
    Communicator& operator*() const { return *communicator_; }
    Communicator* operator->() const { return communicator_.get(); }
    const std::shared_ptr<Communicator>& shared() const { return communicator_; }

private:
    std::shared_ptr<Communicator> communicator_;
};

/// Calls f, which sends messages beside operations: within a static region everything recorded so
/// far is sent before, and no call of the region skips its code.
void before_messages();
template <class F>
auto beside_operations(F&& f) {
    before_messages();
    return f();
}

/// "sum", "mean"; ArgumentError for another.
Reduction reduction_of(const std::string& op);

/// allreduce, bcast, send, ...: of arrays, and of Variables with their gradients.
void bind_array_messages(nb::class_<Group>& type);
/// pseudo_connect(delegate, x).
void bind_pseudo_connect(nb::module_& m);
/// The exchange of gradients, and copies of models.
void bind_multi_node_training(nb::module_& m);

}  // namespace catena::python
