#include "runtime/comm/tcp/ordered_sum.h"

#include <algorithm>
#include <type_traits>

#include "runtime/comm/reduce.h"
#include "runtime/comm/tcp/meeting.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

using Message = Communicator::Message;

/// What rank 0 gets at most when every rank's buffer goes there.
constexpr int64_t most_at_root = 1 << 20;
/// Pieces of a chain: small ones keep all ranks busy soon, large ones cost fewer messages.
constexpr int64_t smallest_piece = 16 << 10, largest_piece = 256 << 10;

/// The type in which reduce_parts() adds, as far as it shows: integers wrap in any.
template <class T>
using Partial = std::conditional_t<std::is_floating_point_v<T> || std::is_integral_v<T>, T, float>;

/// sum = (before or nothing) + own.
template <class T>
void add(const Partial<T>* before, const T* own, Partial<T>* sum, int64_t count) {
    using P = Partial<T>;
    for (int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
            using U = std::make_unsigned_t<T>;
            sum[i] = P(U(before ? U(before[i]) + U(own[i]) : U(own[i])));
        } else {
            sum[i] = before ? before[i] + P(own[i]) : P(own[i]);
        }
    }
}

template <class T>
void finish(const Partial<T>* sum, int64_t ranks, bool mean, T* result, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
        result[i] = T(mean ? Partial<T>(sum[i] / Partial<T>(ranks)) : sum[i]);
}

/// The buffer in pieces on its way along the chain. Rank r sends the sums of piece p in step
/// p + r, and the result of piece p in step p + size + r (the last rank, where it begins: size
/// steps earlier).
template <class T>
class Chain {
public:
    Chain(const OrderedSum& sum, const Array& buffer, bool mean)
        : sum_(sum), data_(static_cast<T*>(buffer.raw_data())), count_(buffer.size()), mean_(mean) {
        const int64_t bytes = count_ * int64_t(sizeof(T));
        const int64_t piece = std::clamp(bytes / (2 * sum.size), smallest_piece, largest_piece);
        elements_ = std::max<int64_t>(1, piece / int64_t(sizeof(T)));
        pieces_ = (count_ + elements_ - 1) / elements_;
        const Type type{Dtype::uint8, {int64_t(sizeof(P)) * elements_}};
        arrived_ = Array::empty(type, cpu_device());
        sums_ = Array::empty(type, cpu_device());
    }
    int64_t run() {
        for (int64_t step = 0; step < pieces_ + 2 * sum_.size - 3; ++step) one_step(step);
        return sent_;
    }

private:
    using P = Partial<T>;
    void one_step(int64_t step) {
        const int last = sum_.size - 1, rank = sum_.rank;
        const int64_t up_out = rank < last ? step - rank : -1;
        const int64_t up_in = rank > 0 ? step - rank + 1 : -1;
        int64_t down_out = -1, down_in = -1;
        if (rank == last) down_out = step - last;
        if (rank < last - 1) down_out = step - sum_.size - rank;
        if (rank < last) down_in = step - last - rank;
        if (rank == 0 && is_piece(up_out)) add_own(up_out, nullptr);
        std::vector<Message> sends, receives;
        const int next = (rank + 1) % sum_.size, before = (rank + last) % sum_.size;
        if (is_piece(up_out)) sends.push_back({next, sums_.raw_data(), bytes(up_out, sizeof(P))});
        if (is_piece(down_out)) sends.push_back({next, data(down_out), bytes(down_out, sizeof(T))});
        if (is_piece(up_in))
            receives.push_back({before, arrived_.raw_data(), bytes(up_in, sizeof(P))});
        if (is_piece(down_in))
            receives.push_back({before, data(down_in), bytes(down_in, sizeof(T))});
        if (sends.empty() && receives.empty()) return;
        sum_.transfer(sends, receives);
        for (const Message& m : sends) sent_ += int64_t(m.bytes);
        if (!is_piece(up_in)) return;
        add_own(up_in, static_cast<const P*>(arrived_.elements()));
        if (rank == last)
            finish(static_cast<const P*>(sums_.elements()), sum_.size, mean_, data(up_in),
                   elements_of(up_in));
    }
    void add_own(int64_t piece, const P* before) {
        add(before, data(piece), static_cast<P*>(sums_.raw_data()), elements_of(piece));
    }
    bool is_piece(int64_t piece) const { return piece >= 0 && piece < pieces_; }
    T* data(int64_t piece) const { return data_ + piece * elements_; }
    int64_t elements_of(int64_t piece) const {
        return std::min(elements_, count_ - piece * elements_);
    }
    size_t bytes(int64_t piece, size_t width) const { return size_t(elements_of(piece)) * width; }

    const OrderedSum& sum_;
    T* data_;
    int64_t count_, elements_ = 1, pieces_ = 0, sent_ = 0;
    bool mean_;
    Array arrived_, sums_;  ///< A piece of sums: from the rank before, and with this rank's own.
};

}  // namespace

int64_t OrderedSum::operator()(const char* call, const Array& buffer, Reduction reduction) const {
    check_reducible(call, buffer.dtype(), reduction);
    const int64_t bytes = buffer.size() * int64_t(size_of(buffer.dtype()));
    return bytes * size <= most_at_root ? on_tree(call, buffer, reduction)
                                        : along_chain(call, buffer, reduction);
}

int64_t OrderedSum::on_tree(const char* call, const Array& buffer, Reduction reduction) const {
    const size_t bytes = size_t(buffer.size()) * size_of(buffer.dtype());
    // Of the ranks from this one on: those below it in the tree.
    const int below = rank == 0 ? size : std::min(rank & -rank, size - rank);
    Array all = Array::empty({Dtype::uint8, {int64_t(bytes) * below}}, cpu_device());
    char* const own = static_cast<char*>(all.raw_data());
    std::copy_n(static_cast<const char*>(buffer.elements()), bytes, own);
    std::vector<Message> up, down;
    int64_t sent = 0;
    for (int child : children_in_tree(rank, size)) {
        const int theirs = std::min(child & -child, size - child);
        up.push_back({child, own + bytes * size_t(child - rank), bytes * size_t(theirs)});
        down.push_back({child, buffer.raw_data(), bytes});
        sent += int64_t(bytes);
    }
    if (!up.empty()) transfer({}, up);
    if (rank > 0) {
        const Message to_parent{parent_in_tree(rank), own, bytes * size_t(below)},
            from_parent{parent_in_tree(rank), buffer.raw_data(), bytes};
        transfer({&to_parent, 1}, {});
        transfer({}, {&from_parent, 1});
        sent += int64_t(to_parent.bytes);
    } else {
        std::vector<const void*> parts;
        for (int r = 0; r < size; ++r) parts.push_back(own + bytes * size_t(r));
        reduce_parts(call, buffer.dtype(), parts, buffer.raw_data(), buffer.size(), reduction);
    }
    if (!down.empty()) transfer(down, {});
    return sent;
}

int64_t OrderedSum::along_chain(const char*, const Array& buffer, Reduction reduction) const {
    int64_t sent = 0;
    visit_dtype(buffer.dtype(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_same_v<T, bool>)
            sent = Chain<T>(*this, buffer, reduction == Reduction::mean).run();
    });
    return sent;
}

}  // namespace catena
