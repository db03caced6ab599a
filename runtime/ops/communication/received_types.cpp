#include "runtime/ops/communication/received_types.h"

namespace catena::parallel {
namespace {

thread_local ReceivingCall* call_of_thread = nullptr;

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

ReceivingCall::ReceivingCall(ReceivedTypes& types) : types_(types), outer_(call_of_thread) {
    call_of_thread = this;
}
ReceivingCall::~ReceivingCall() { call_of_thread = outer_; }
ReceivingCall* ReceivingCall::current() { return call_of_thread; }

}  // namespace catena::parallel
