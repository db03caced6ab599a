// Messages between two ranks, bytes as messages, and which ranks share a machine.
#include <algorithm>
#include <cstring>

#include "runtime/comm/communicator_turns.h"

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

void Communicator::send(const Array& x, int dest, int tag) {
    check_peer("send", dest);
    if (dest == rank_) fail<ValueError>("send: rank {} sends to itself", dest);
    if (tag < 0) fail<ValueError>("send: the tag must not be negative, it is {}", tag);
    Array data = on_host(x);
    in_turn("send", [&] {
        Envelope e = envelope("send", &data.type());
        const Message messages[] = {{dest, &e, sizeof e},
                                    {dest, data.raw_data(), bytes_of(data.type())}};
        transfer("send", tag, messages, {});
        count(std::span(messages).subspan(1));
    });
}

Communicator::Envelope Communicator::next_envelope(int source, int tag) {
    if (auto found = opened_.find({source, tag}); found != opened_.end()) {
        Envelope e = found->second;
        opened_.erase(found);
        return e;
    }
    Envelope e;
    const Message message{source, &e, sizeof e};
    transfer("recv", tag, {}, std::span(&message, 1));
    return e;
}

Array Communicator::recv(int source, int tag) {
    check_peer("recv", source);
    if (source == rank_) fail<ValueError>("recv: rank {} receives from itself", source);
    if (tag < 0) fail<ValueError>("recv: the tag must not be negative, it is {}", tag);
    return in_turn("recv", [&] {
        Array x = Array::empty(next_envelope(source, tag).type(), cpu_device());
        const Message message{source, x.raw_data(), bytes_of(x.type())};
        transfer("recv", tag, {}, std::span(&message, 1));
        return x;
    });
}

Type Communicator::type_of_recv(int source, int tag) {
    check_peer("recv", source);
    return in_turn("recv", [&] {
        Envelope e = next_envelope(source, tag);
        opened_[{source, tag}] = e;
        return e.type();
    });
}

//---- bytes

void Communicator::send_bytes(std::string_view bytes, int dest, int tag) {
    send(as_array(bytes), dest, tag);
}
std::string Communicator::recv_bytes(int source, int tag) { return as_bytes(recv(source, tag)); }
std::string Communicator::bcast_bytes(std::string_view bytes, int root) {
    return as_bytes(bcast(as_array(bytes), root));
}

std::vector<std::string> Communicator::allgather_bytes(std::string_view bytes) {
    std::vector<std::string> all;
    std::vector<Array> same(size_t(size_), as_array(bytes));
    for (const Array& each : exchange("allgather_bytes", -1, same, false))
        all.push_back(as_bytes(each));
    return all;
}

void Communicator::find_neighbours(const std::string& machine) {
    std::vector<std::string> machines = allgather_bytes(machine), distinct;
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
