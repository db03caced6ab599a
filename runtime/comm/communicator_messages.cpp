// Messages between two ranks, bytes as messages, and which ranks share a machine.
#include <algorithm>
#include <cstring>

#include "runtime/comm/communicator_turns.h"
#include "runtime/core/array/sizes.h"

namespace catena {
namespace {

Array as_array(std::string_view bytes) {
    Array array = Array::empty({Dtype::uint8, {int64_t(bytes.size())}}, cpu_device());
    if (!bytes.empty()) std::memcpy(array.to_fill(), bytes.data(), bytes.size());
    return array;
}
std::string as_bytes(const Array& array) {
    return array.size()
               ? std::string(static_cast<const char*>(array.elements()), size_t(array.size()))
               : "";
}

}  // namespace

void Communicator::check_message(const char* call, const char* verb, int peer, int tag) const {
    check_peer(call, peer);
    if (peer == rank_) fail<ValueError>("{}: rank {} {} itself", call, peer, verb);
    if (tag < 0) fail<ValueError>("{}: the tag must not be negative, it is {}", call, tag);
    if (tag > largest_tag())
        fail<ValueError>("{}: the tag is {}, the maximum is {}", call, tag, largest_tag());
}

void Communicator::send_as(const Terms& terms, const Array& x, int dest, int tag) {
    check_message(terms.call, "sends to", dest, tag);
    Array data = on_host(defined(terms.call, x, rank_));
    std::vector<Envelope> e{envelope(terms, &data.type())};
    in_turn(terms.call, [&] {
        const Message messages[] = {
            {dest, e.data(), sizeof(Envelope)},
            {dest, const_cast<void*>(data.elements()), byte_count(data.type())}};
        move(terms.call, tag, messages, {}, e, data);
        count(std::span(messages).subspan(1));
    });
}

Communicator::Envelope Communicator::next_envelope(int source, int tag) {
    std::map<std::pair<int, int>, Envelope>& opened = background_->opened;
    if (auto found = opened.find({source, tag}); found != opened.end()) {
        Envelope e = found->second;
        opened.erase(found);
        return e;
    }
    std::vector<Envelope> e(1);
    const Message message{source, e.data(), sizeof(Envelope)};
    move("recv", tag, {}, std::span(&message, 1), e);
    return e[0];
}

Array Communicator::recv_as(const Terms& terms, int source, int tag) {
    check_message(terms.call, "receives from", source, tag);
    const Envelope own = envelope(terms, nullptr);
    return in_turn(terms.call, [&] {
        const Envelope e = next_envelope(source, tag);
        Array x = Array::empty(e.content.type(), cpu_device());
        const Message message{source, x.raw_data(), byte_count(x.type())};
        move(terms.call, tag, {}, std::span(&message, 1), x);
        // After the message has been taken, so that the next one is found.
        const bool of_bytes = std::strcmp(e.call, "send_bytes") == 0;
        if (of_bytes != (std::strcmp(own.call, "recv_bytes") == 0) ||
            std::strcmp(e.label, own.label) != 0)
            fail<CommunicationError>("{} of rank {} with tag {} meets {} of rank {}",
                                     title(own.call, own.label), rank_, tag, title(e.call, e.label),
                                     source);
        return x;
    });
}

void Communicator::send(const Array& x, int dest, int tag) {
    send_as({.call = "send"}, x, dest, tag);
}
Array Communicator::recv(int source, int tag) { return recv_as({.call = "recv"}, source, tag); }

Type Communicator::type_of_recv(int source, int tag) {
    check_message("recv", "receives from", source, tag);
    return in_turn("recv", [&] {
        Envelope e = next_envelope(source, tag);
        background_->opened[{source, tag}] = e;
        return e.content.type();
    });
}

//---- bytes

void Communicator::send_bytes(std::string_view bytes, int dest, int tag, std::string_view label) {
    send_as({.call = "send_bytes", .label = label}, as_array(bytes), dest, tag);
}
std::string Communicator::recv_bytes(int source, int tag, std::string_view label) {
    return as_bytes(recv_as({.call = "recv_bytes", .label = label}, source, tag));
}
std::string Communicator::bcast_bytes(std::string_view bytes, int root, std::string_view label) {
    return as_bytes(
        bcast_as({.call = "bcast_bytes", .gives = Gives::of_root, .root = root, .label = label},
                 as_array(bytes)));
}

std::vector<std::string> Communicator::allgather_bytes(std::string_view bytes,
                                                       std::string_view label) {
    std::vector<std::string> all;
    for (const Array& each : all_gather_as(
             {.call = "allgather_bytes", .gives = Gives::one, .label = label}, as_array(bytes)))
        all.push_back(as_bytes(each));
    return all;
}

void Communicator::find_neighbours(const std::string& machine) {
    std::vector<std::string> machines = allgather_bytes(machine, "the name of the machine"),
                             distinct;
    intra_size_ = 0;
    for (int r = 0; r < size_; ++r) {
        const std::string& other = machines[size_t(r)];
        auto known = std::find(distinct.begin(), distinct.end(), other);
        if (other == machine) {
            if (r < rank_) ++intra_rank_;
            ++intra_size_;
            inter_rank_ = int(known - distinct.begin());
        }
        if (known == distinct.end()) distinct.push_back(other);
    }
    inter_size_ = int(distinct.size());
}

void Communicator::share_one_machine() {
    intra_rank_ = rank_, intra_size_ = size_;
    inter_rank_ = 0, inter_size_ = 1;
}

void Communicator::find_neighbours_as(const Communicator& other) {
    intra_rank_ = other.intra_rank_, intra_size_ = other.intra_size_;
    inter_rank_ = other.inter_rank_, inter_size_ = other.inter_size_;
}

}  // namespace catena
