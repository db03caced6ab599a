#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/ops/communication/communication.h"

// What the operations that send messages are made of.
namespace catena::parallel {

// Every op takes the communicator's order state last and gives its next value last, which is
// assigned: no compiled program can drop one, merge two, or run them in another order.

inline Communicator& communicator_in(const Attributes& a) {
    return communicator_of(a.integer("communicator"));
}
inline int int_in(const Attributes& a, std::string_view name) { return int(a.integer(name)); }
inline Type order_type() { return {Dtype::int64, {}}; }
inline Type delegate_type() { return {Dtype::float32, {0}}; }
inline Type type_in(const Attributes& a) { return {a.dtype("dtype"), a.dims("shape")}; }

/// Writes a new content of the order state. The content itself is irrelevant; only the dependences
/// between calls matter.
inline void advance(const KernelCall& c) { copy_elements(c.inputs.back(), c.outputs.back()); }
/// The inputs of a call without the order state.
inline std::span<const Array> data_of(const KernelCall& c) {
    return c.inputs.first(c.inputs.size() - 1);
}
/// Stores `value` as an output. CommunicationError unless it has the recorded type.
void give(const KernelCall& c, size_t output, const Array& value);
/// Stores an array that `call` received from `peer` as an output: its type was only expected, see
/// incoming().
void give_received(const KernelCall& c, const char* call, int peer, int tag, const Array& value);
/// Throws, in debug mode, if the result of an all-reduce is not finite.
void check_finite(const Array& y);

/// The order state, moved to the device of the op's arrays: one state for all devices, so that it
/// keeps its identity.
const Variable& beside(const Variable& state, Device& device);
/// An input that makes a receiving op part of the graph if no other input does.
const Variable& anchor(Device& device);
Variable empty_delegate(Device& device);

/// Runs an op that sends messages; returns its results without the order.
Variables issue(const OpDef& op, Communicator& comm, std::span<const Variable> inputs,
                std::vector<Attributes::Entry> entries, const SourceLoc& at);
/// Whether this thread's recorder holds messages that were not sent yet, for which other ranks may
/// be waiting. Without the buckets of an optimizer.
bool are_messages_pending();
/// Runs an op that sends messages in a gradient, with the communicator of the forward call.
Variables issue_again(const OpDef& op, const GradientCall& g, std::span<const Variable> inputs,
                      std::vector<Attributes::Entry> entries);

/// The type of the array to receive: as given, or as announced by the sender. While a region is
/// recorded it is the type that earlier calls, with arguments of the same types, received at their
/// n-th time here. The last batch may be smaller, and a loop may receive arrays of many sizes.
Type incoming(const char* call, Communicator& comm, int peer, int tag,
              const ReceiveOptions& options, const std::function<Type()>& ask);
/// The attributes of an op that receives an array of this type.
std::vector<Attributes::Entry> received(const Type& type,
                                        std::initializer_list<Attributes::Entry> more);
/// ValueError when x is undefined: this rank gives no array.
void check_given(const char* call, Communicator& comm, const Variable& x);
/// ValueError when there is no such rank.
void check_rank(const char* call, Communicator& comm, int rank);

Types types_with_order(std::initializer_list<Type> types);
OpDef message(const char* name);
/// Registers an op that sends from host memory: a message between two ranks.
const OpDef& register_message(OpDef op);
/// Registers an op of all ranks, whose arrays a communicator may reach where they are.
const OpDef& register_anywhere(OpDef op);

}  // namespace catena::parallel
