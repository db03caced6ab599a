// Sums over the ranks by messages between two ranks.
#include <bit>
#include <cstring>
#include <vector>

#include "runtime/comm/collectives/pair_collectives.h"
#include "runtime/comm/collectives/reduce.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

Array bytes_for_sums(size_t bytes) {
    return Array::empty({Dtype::uint8, {int64_t(bytes)}}, cpu_device());
}

}  // namespace

/// Elements cut into parts of nearly equal sizes.
struct PairCollectives::Cut {
    Cut(void* data, int64_t count, Dtype dtype, int parts)
        : data(static_cast<char*>(data)),
          count(count),
          width(int64_t(size_of(dtype))),
          parts(parts) {}
    int64_t begin(int part) const { return count * part / parts; }
    int64_t length(int first, int end) const { return begin(end) - begin(first); }
    /// The parts from `first` to `end`.
    Block block(int first, int end) const {
        return {data + begin(first) * width, size_t(length(first, end) * width)};
    }
    Block block(int part) const { return block(part, part + 1); }
    char* data;
    int64_t count, width;
    int parts;
};

int64_t PairCollectives::reduce_scatter(const char* call, Dtype dtype, std::span<const Block> parts,
                                        Block result, Reduction reduction, Sums) {
    const size_t own = parts[size_t(rank_)].bytes;
    Array scratch = bytes_for_sums(own * size_t(size_));
    std::vector<Message> sends, receives;
    std::vector<const void*> terms;
    for (int r = 0; r < size_; ++r) {
        char* place = static_cast<char*>(scratch.raw_data()) + own * size_t(r);
        terms.push_back(r == rank_ ? parts[size_t(r)].data : place);
        if (r == rank_) continue;
        if (parts[size_t(r)].bytes > 0)
            sends.push_back({r, parts[size_t(r)].data, parts[size_t(r)].bytes});
        if (own > 0) receives.push_back({r, place, own});
    }
    const int64_t sent = move(call, sends, receives, {scratch});
    reduce_parts(call, dtype, terms, result.data, int64_t(own / size_of(dtype)), reduction);
    return sent;
}

int64_t PairCollectives::all_reduce(const char* call, Dtype dtype, void* data, int64_t count,
                                    Reduction reduction, Sums sums) {
    check_reducible(call, dtype, reduction);
    if (size_t(count) * size_of(dtype) * size_t(size_) <= largest_copied)
        return reduce_copies(call, dtype, data, count, reduction);
    if (sums == Sums::rank_order) return reduce_pieces(call, dtype, data, count, reduction);
    // Partial sums travel, and must not be rounded to 16 bits.
    Widened wide(dtype, data, count);
    const int64_t sent = keeping(
        {wide.memory()}, [&] { return reduce_by_halving(call, wide.dtype(), wide.data(), count); });
    if (reduction == Reduction::mean) divide_by_ranks(wide.dtype(), wide.data(), count, size_);
    wide.round_into(data);
    return sent;
}

/// Sums arrays in that every rank gets every rank's array, and adds them all.
int64_t PairCollectives::reduce_copies(const char* call, Dtype dtype, void* data, int64_t count,
                                       Reduction reduction) {
    const size_t bytes = size_t(count) * size_of(dtype);
    Array copies = bytes_for_sums(bytes * size_t(size_));
    std::vector<Block> blocks;
    std::vector<const void*> terms;
    for (int r = 0; r < size_; ++r) {
        blocks.push_back({static_cast<char*>(copies.raw_data()) + bytes * size_t(r), bytes});
        terms.push_back(blocks.back().data);
    }
    if (bytes > 0) std::memcpy(blocks[size_t(rank_)].data, data, bytes);
    const int64_t sent = keeping({copies}, [&] { return all_gather_packed(call, blocks); });
    reduce_parts(call, dtype, terms, data, count, reduction);
    return sent;
}

/// Rank r adds the r-th piece of every rank's array, and sends the sum to all.
int64_t PairCollectives::reduce_pieces(const char* call, Dtype dtype, void* data, int64_t count,
                                       Reduction reduction) {
    const Cut cut(data, count, dtype, size_);
    std::vector<Block> pieces;
    for (int r = 0; r < size_; ++r) pieces.push_back(cut.block(r));
    const int64_t sent = PairCollectives::reduce_scatter(call, dtype, pieces, pieces[size_t(rank_)],
                                                         reduction, Sums::rank_order);
    return sent + all_gather_directly(call, pieces);
}

/// Recursive halving and doubling (Thakur, Rabenseifner and Gropp, 2005). Two ranks exchange the
/// halves of what they have, each adds one, and goes on with it among half of the ranks; then the
/// sums go back the same way. Where the number of ranks is no power of two, some add their arrays
/// to a neighbour's first, and get the sum from it. Each piece is added by one rank, so all ranks
/// get the same bits.
class PairCollectives::Halving {
public:
    Halving(PairCollectives& of, const char* call, Dtype dtype, void* data, int64_t count)
        : of_(of),
          call_(call),
          dtype_(dtype),
          taking_part_(int(std::bit_floor(unsigned(of.size_)))),
          paired_(2 * (of.size_ - taking_part_)),
          cut_(data, count, dtype, taking_part_),
          scratch_(bytes_for_sums(size_t(count * cut_.width))) {}
    int64_t run() {
        const bool is_paired = of_.rank_ < paired_, gives = is_paired && of_.rank_ % 2 == 0;
        const int neighbour = of_.rank_ ^ 1;
        const Block all = cut_.block(0, taking_part_), none{};
        if (gives) {
            swap_with(neighbour, all, none);
            swap_with(neighbour, none, all);
            return sent_;
        }
        if (is_paired) add_from(neighbour, none, 0, taking_part_);
        add_and_share();
        if (is_paired) swap_with(neighbour, all, none);
        return sent_;
    }

private:
    int rank_of(int place) const {
        return 2 * place < paired_ ? 2 * place + 1 : place + paired_ / 2;
    }
    void add_and_share() {
        const int place = of_.rank_ < paired_ ? of_.rank_ / 2 : of_.rank_ - paired_ / 2;
        int first = 0, end = taking_part_;
        for (int half = taking_part_ / 2; half > 0; half /= 2) {
            const int middle = first + half, partner = rank_of(place ^ half);
            const bool upper = place & half;
            const Block other = upper ? cut_.block(first, middle) : cut_.block(middle, end);
            (upper ? first : end) = middle;
            add_from(partner, other, first, end);
        }
        for (int length = 1; length < taking_part_; length *= 2) {
            const bool upper = place & length;
            const int others = upper ? first - length : end;
            swap_with(rank_of(place ^ length), cut_.block(first, end),
                      cut_.block(others, others + length));
            (upper ? first : end) += upper ? -length : length;
        }
    }
    /// Sends `sent`, and adds what comes to the pieces from `first` to `end`.
    void add_from(int peer, Block sent, int first, int end) {
        const Block own = cut_.block(first, end);
        swap_with(peer, sent, {scratch_.raw_data(), own.bytes});
        const void* terms[] = {own.data, scratch_.raw_data()};
        reduce_parts(call_, dtype_, terms, own.data, cut_.length(first, end), Reduction::sum);
    }
    void swap_with(int peer, Block sent, Block received) {
        const Message out{peer, sent.data, sent.bytes}, in{peer, received.data, received.bytes};
        sent_ += of_.move(call_, {&out, sent.bytes > 0 ? 1u : 0u},
                          {&in, received.bytes > 0 ? 1u : 0u}, {scratch_});
    }

    PairCollectives& of_;
    const char* call_;
    Dtype dtype_;
    int taking_part_;  ///< How many ranks halve: a power of two.
    int paired_;       ///< The first ranks, of which the even ones give to their neighbours.
    Cut cut_;
    Array scratch_;
    int64_t sent_ = 0;
};

int64_t PairCollectives::reduce_by_halving(const char* call, Dtype dtype, void* data,
                                           int64_t count) {
    return Halving(*this, call, dtype, data, count).run();
}

}  // namespace catena
