#include "runtime/ops/communication/received_types.h"

#include "runtime/core/system/per_thread.h"

namespace catena::parallel {
namespace {

constinit PerThread<ReceivingCall*> call_of_thread;

}  // namespace

std::optional<Type> ReceivedTypes::find(const ReceivingPlace& place, int n) {
    std::lock_guard lock(mutex_);
    auto found = types_.find({place, n});
    return found == types_.end() ? std::nullopt : std::optional(found->second);
}

void ReceivedTypes::set(const ReceivingPlace& place, int n, const Type& type) {
    std::lock_guard lock(mutex_);
    types_[{place, n}] = type;
}

ReceivingCall::ReceivingCall(ReceivedTypes& types) : types_(types), outer_(call_of_thread.get()) {
    call_of_thread.get() = this;
}
ReceivingCall::~ReceivingCall() { call_of_thread.get() = outer_; }
ReceivingCall* ReceivingCall::current() { return call_of_thread.get(); }

}  // namespace catena::parallel
