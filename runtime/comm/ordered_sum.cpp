#include "runtime/comm/ordered_sum.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "runtime/comm/collectives/reduce.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

using Message = Communicator::Message;

/// Pieces of a chain: small ones keep all ranks busy soon, large ones cost fewer messages.
constexpr int64_t smallest_piece = 16 << 10, largest_piece = 256 << 10;

/// The type in which reduce_parts() adds, as far as it shows: integers wrap in any.
template <class T>
using Partial = std::conditional_t<std::is_floating_point_v<T> || std::is_integral_v<T>, T, float>;

/// sum = (before or nothing) + own.
template <class T>
void add_to(const Partial<T>* before, const T* own, Partial<T>* sum, int64_t count) {
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
        add_to(before, data(piece), static_cast<P*>(sums_.raw_data()), elements_of(piece));
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

/// The buffer in a piece for each rank below `ranks_`, a power of two. A rank from there on lends
/// its buffer to the one that has its number less `ranks_`, and gets the result from it.
class Exchange {
public:
    Exchange(const OrderedSum& sum, const Array& buffer)
        : sum_(sum),
          buffer_(buffer),
          data_(static_cast<char*>(buffer.raw_data())),
          width_(int64_t(size_of(buffer.dtype()))),
          ranks_(int(std::bit_floor(unsigned(sum.size)))),
          held_(size_t(ranks_)) {}

    int64_t run(const char* call, Reduction reduction) {
        const int lender = sum_.rank + ranks_;
        if (sum_.rank >= ranks_) {
            const Message all{sum_.rank - ranks_, data_, size_t(begin(ranks_))};
            move({all}, {});
            move({}, {all});
            return sent_;
        }
        hold(sum_.rank, data_);
        if (lender < sum_.size) {
            char* const lent = room(begin(ranks_));
            move({}, {{lender, lent, size_t(begin(ranks_))}});
            hold(lender, lent);
        }
        for (int bit = 1; bit < ranks_; bit *= 2) pass_on(bit);
        add(call, reduction);
        for (int bit = 1; bit < ranks_; bit *= 2) spread(bit);
        if (lender < sum_.size) move({{lender, data_, size_t(begin(ranks_))}}, {});
        return sent_;
    }

private:
    /// What a rank gave of a piece.
    struct Part {
        int source;
        const char* data;
    };
    int64_t begin(int piece) const { return buffer_.size() * piece / ranks_ * width_; }
    size_t bytes(int piece) const { return size_t(begin(piece + 1) - begin(piece)); }
    char* room(int64_t bytes) {
        rooms_.push_back(Array::empty({Dtype::uint8, {bytes}}, cpu_device()));
        return static_cast<char*>(rooms_.back().raw_data());
    }
    void move(const std::vector<Message>& sends, const std::vector<Message>& receives) {
        sum_.transfer(sends, receives);
        for (const Message& m : sends) sent_ += int64_t(m.bytes);
    }
    void hold(int source, const char* data) {
        for (int piece = 0; piece < ranks_; ++piece)
            held_[size_t(piece)].push_back({source, data + begin(piece)});
    }
    /// The ranks whose parts a rank holds before it exchanges by this bit: those that differ from
    /// it in lower bits.
    std::vector<int> sources_of(int rank, int bit) const {
        std::vector<int> sources;
        for (int s = 0; s < sum_.size; ++s)
            if (((s % ranks_) ^ rank) < bit) sources.push_back(s);
        return sources;
    }
    /// Gives the partner all parts of pieces whose rank has its bit, and gets those with this
    /// rank's. Pieces and parts go in the order of their numbers.
    void pass_on(int bit) {
        const int rank = sum_.rank, partner = rank ^ bit;
        const std::vector<int> own = sources_of(rank, bit), theirs = sources_of(partner, bit);
        const auto goes_to = [&](int piece, int r) { return ((piece ^ r) & (2 * bit - 1)) == 0; };
        size_t out_bytes = 0, in_bytes = 0;
        for (int piece = 0; piece < ranks_; ++piece) {
            if (goes_to(piece, partner)) out_bytes += bytes(piece) * own.size();
            if (goes_to(piece, rank)) in_bytes += bytes(piece) * theirs.size();
        }
        char *const out = room(int64_t(out_bytes)), *const in = room(int64_t(in_bytes));
        char* to = out;
        for (int piece = 0; piece < ranks_; ++piece)
            if (goes_to(piece, partner))
                for (const Part& part : held_[size_t(piece)])
                    to = std::copy_n(part.data, bytes(piece), to);
        move({{partner, out, out_bytes}}, {{partner, in, in_bytes}});
        const char* from = in;
        for (int piece = 0; piece < ranks_; ++piece) {
            if (!goes_to(piece, rank)) continue;
            std::vector<Part>& parts = held_[size_t(piece)];
            for (int source : theirs) {
                parts.push_back({source, from});
                from += bytes(piece);
            }
            std::sort(parts.begin(), parts.end(),
                      [](const Part& a, const Part& b) { return a.source < b.source; });
        }
    }
    void add(const char* call, Reduction reduction) {
        std::vector<const void*> parts;
        for (const Part& part : held_[size_t(sum_.rank)]) parts.push_back(part.data);
        CATENA_ASSERT(int(parts.size()) == sum_.size, "every rank's part of the piece is there");
        reduce_parts(call, buffer_.dtype(), parts, data_ + begin(sum_.rank),
                     int64_t(bytes(sum_.rank)) / width_, reduction);
    }
    /// Spreads the results over one bit: before, this rank has those of all pieces that differ from
    /// its own in lower bits.
    void spread(int bit) {
        const auto block = [&](int rank) {
            const int first = rank & ~(bit - 1);
            return Message{sum_.rank ^ bit, data_ + begin(first),
                           size_t(begin(first + bit) - begin(first))};
        };
        move({block(sum_.rank)}, {block(sum_.rank ^ bit)});
    }

    const OrderedSum& sum_;
    const Array& buffer_;
    char* data_;
    int64_t width_, sent_ = 0;
    int ranks_;
    /// The parts of each piece, in the order of the sources.
    std::vector<std::vector<Part>> held_;
    std::vector<Array> rooms_;
};

}  // namespace

int64_t OrderedSum::operator()(const char* call, const Array& buffer, Reduction reduction) const {
    check_reducible(call, buffer.dtype(), reduction);
    if (buffer.size() * int64_t(size_of(buffer.dtype())) <= most_exchanged)
        return Exchange(*this, buffer).run(call, reduction);
    int64_t sent = 0;
    visit_dtype(buffer.dtype(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_same_v<T, bool>)
            sent = Chain<T>(*this, buffer, reduction == Reduction::mean).run();
    });
    return sent;
}

}  // namespace catena
