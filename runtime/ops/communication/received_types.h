#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "runtime/core/array/array.h"

namespace catena::parallel {

/// A place in the code at which arrays are received.
struct ReceivingPlace {
    std::string call;
    int64_t communicator;
    int peer, tag;
    std::string line;
    bool train;
    auto operator<=>(const ReceivingPlace&) const = default;
};

/// The types of the arrays that the calls of a region, with arguments of the same types, have
/// received: the type of the n-th array at each place. A recorded call takes it before the array
/// has come.
class ReceivedTypes {
public:
    std::optional<Type> find(const ReceivingPlace& place, int n);
    void set(const ReceivingPlace& place, int n, const Type& type);

private:
    std::mutex mutex_;
    std::map<std::pair<ReceivingPlace, int>, Type> types_;
};

/// Marks a call of a region on this thread, for its lifetime.
class ReceivingCall {
public:
    explicit ReceivingCall(ReceivedTypes& types);
    ~ReceivingCall();
    ReceivingCall(const ReceivingCall&) = delete;
    static ReceivingCall* current();

    ReceivedTypes& types() { return types_; }
    /// How many arrays the call has received at this place before.
    int count(const ReceivingPlace& place) { return counts_[place]++; }

private:
    ReceivedTypes& types_;
    ReceivingCall* outer_;
    std::map<ReceivingPlace, int> counts_;
};

}  // namespace catena::parallel
