#include "runtime/comm/collectives/pair_collectives.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/array/device.h"

namespace catena {
namespace {

size_t largest_of(std::span<const Block> blocks) {
    size_t largest = 0;
    for (const Block& block : blocks) largest = std::max(largest, block.bytes);
    return largest;
}

Array bytes_for_blocks(size_t bytes) {
    return Array::empty({Dtype::uint8, {int64_t(bytes)}}, cpu_device());
}

void copy_bytes(void* to, const void* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

int64_t PairCollectives::move(const char* call, std::span<const Message> sends,
                              std::span<const Message> receives,
                              std::initializer_list<Array> memory) {
    if (sends.empty() && receives.empty()) return 0;
    keeping(memory, [&] { transfer_(call, sends, receives); });
    int64_t bytes = 0;
    for (const Message& m : sends) bytes += int64_t(m.bytes);
    return bytes;
}

std::shared_ptr<void> PairCollectives::take_memory_in_use() {
    if (in_use_.empty()) return nullptr;
    return std::make_shared<std::vector<Array>>(std::move(in_use_));
}

/// The binomial tree of a root. Its nodes are numbered from the root, 0: those below node v are the
/// ones from v to v + step - 1, where step is the largest power of two that divides v.
struct PairCollectives::Tree {
    Tree(int rank, int size, int root)
        : node((rank - root + size) % size), root(root), size(size), step(1) {
        while (step < size && node % (2 * step) == 0) step *= 2;
    }
    int rank_of(int of) const { return (of + root) % size; }
    int parent() const { return rank_of(node - step); }
    /// The number behind the last node below this one.
    int end() const { return std::min(size, node == 0 ? size : node + step); }
    /// Calls f(first, end) for the nodes below each child, the largest number of them first.
    template <class F>
    void for_each_child(F f) const {
        for (int half = step / 2; half > 0; half /= 2)
            if (node + half < size) f(node + half, std::min(size, node + 2 * half));
    }
    int node, root, size, step;
};

int64_t PairCollectives::broadcast(const char* call, int root, Block block) {
    if (block.bytes == 0) return 0;
    const Tree tree(rank_, size_, root);
    if (tree.node > 0) {
        const Message from_parent{tree.parent(), block.data, block.bytes};
        move(call, {}, std::span(&from_parent, 1));
    }
    std::vector<Message> sends;
    tree.for_each_child(
        [&](int child, int) { sends.push_back({tree.rank_of(child), block.data, block.bytes}); });
    return move(call, sends, {});
}

int64_t PairCollectives::broadcast_directly(const char* call, int root, Block block) {
    if (block.bytes == 0) return 0;
    std::vector<Message> sends, receives;
    if (rank_ != root) receives.push_back({root, block.data, block.bytes});
    for (int r = 0; r < size_; ++r)
        if (rank_ == root && r != root) sends.push_back({r, block.data, block.bytes});
    return move(call, sends, receives);
}

//---- one with all

namespace {

/// The blocks of the nodes below one node of a tree, one behind the other.
class PackedBlocks {
public:
    /// block_of(node) is a block of the nodes from `begin` to `end`.
    template <class F>
    PackedBlocks(int begin, int end, F block_of) : begin_(begin) {
        offsets_.push_back(0);
        for (int v = begin; v < end; ++v) offsets_.push_back(offsets_.back() + block_of(v).bytes);
        memory = bytes_for_blocks(offsets_.back());
    }
    /// The part of the nodes from `first` to `end`.
    Block part(int first, int end) {
        const size_t at = offsets_[size_t(first - begin_)];
        return {static_cast<char*>(memory.raw_data()) + at, offsets_[size_t(end - begin_)] - at};
    }
    Array memory;

private:
    int begin_;
    std::vector<size_t> offsets_;
};

void add_message(std::vector<CommunicatorMessage>& messages, int peer, Block block) {
    if (block.bytes > 0) messages.push_back({peer, block.data, block.bytes});
}

}  // namespace

int64_t PairCollectives::gather_directly(const char* call, int root,
                                         std::span<const Block> blocks) {
    std::vector<Message> sends, receives;
    if (rank_ != root) add_message(sends, root, blocks[size_t(rank_)]);
    for (int r = 0; r < size_; ++r)
        if (rank_ == root && r != root) add_message(receives, r, blocks[size_t(r)]);
    return move(call, sends, receives);
}

int64_t PairCollectives::gather(const char* call, int root, std::span<const Block> blocks) {
    if (largest_of(blocks) > largest_packed) return gather_directly(call, root, blocks);
    const Tree tree(rank_, size_, root);
    auto block_of = [&](int node) { return blocks[size_t(tree.rank_of(node))]; };
    PackedBlocks packed(tree.node, tree.end(), block_of);
    copy_bytes(packed.memory.raw_data(), blocks[size_t(rank_)].data, blocks[size_t(rank_)].bytes);
    std::vector<Message> sends, receives;
    tree.for_each_child([&](int first, int end) {
        add_message(receives, tree.rank_of(first), packed.part(first, end));
    });
    move(call, {}, receives, {packed.memory});
    if (tree.node > 0) {
        add_message(sends, tree.parent(), packed.part(tree.node, tree.end()));
        return move(call, sends, {}, {packed.memory});
    }
    for (int v = 1; v < size_; ++v)
        copy_bytes(block_of(v).data, packed.part(v, v + 1).data, block_of(v).bytes);
    return 0;
}

int64_t PairCollectives::scatter_directly(const char* call, int root,
                                          std::span<const Block> blocks) {
    std::vector<Message> sends, receives;
    if (rank_ != root) add_message(receives, root, blocks[size_t(rank_)]);
    for (int r = 0; r < size_; ++r)
        if (rank_ == root && r != root) add_message(sends, r, blocks[size_t(r)]);
    return move(call, sends, receives);
}

int64_t PairCollectives::scatter(const char* call, int root, std::span<const Block> blocks) {
    if (largest_of(blocks) > largest_packed) return scatter_directly(call, root, blocks);
    const Tree tree(rank_, size_, root);
    auto block_of = [&](int node) { return blocks[size_t(tree.rank_of(node))]; };
    PackedBlocks packed(tree.node, tree.end(), block_of);
    std::vector<Message> sends, receives;
    if (tree.node == 0) {
        for (int v = 1; v < size_; ++v)
            copy_bytes(packed.part(v, v + 1).data, block_of(v).data, block_of(v).bytes);
    } else {
        add_message(receives, tree.parent(), packed.part(tree.node, tree.end()));
        move(call, {}, receives, {packed.memory});
        copy_bytes(blocks[size_t(rank_)].data, packed.memory.raw_data(),
                   blocks[size_t(rank_)].bytes);
    }
    tree.for_each_child([&](int first, int end) {
        add_message(sends, tree.rank_of(first), packed.part(first, end));
    });
    return move(call, sends, {}, {packed.memory});
}

//---- all with all

int64_t PairCollectives::all_gather(const char* call, std::span<const Block> blocks) {
    // Up to 4 ranks three messages at once are faster than two one after the other.
    const bool directly = size_ <= 4 || largest_of(blocks) > largest_packed;
    return directly ? all_gather_directly(call, blocks) : all_gather_packed(call, blocks);
}

int64_t PairCollectives::all_gather_directly(const char* call, std::span<const Block> blocks) {
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        add_message(sends, r, blocks[size_t(rank_)]);
        add_message(receives, r, blocks[size_t(r)]);
    }
    return move(call, sends, receives);
}

/// Bruck's method: a rank that has the blocks of `step` ranks from its own on gives them to the
/// rank `step` before it, and then has twice as many.
int64_t PairCollectives::all_gather_packed(const char* call, std::span<const Block> blocks) {
    auto block_of = [&](int behind) { return blocks[size_t((rank_ + behind) % size_)]; };
    PackedBlocks packed(0, size_, block_of);
    copy_bytes(packed.memory.raw_data(), block_of(0).data, block_of(0).bytes);
    int64_t sent = 0;
    for (int step = 1; step < size_; step *= 2) {
        const int count = std::min(step, size_ - step);
        std::vector<Message> sends, receives;
        add_message(sends, (rank_ - step + size_) % size_, packed.part(0, count));
        add_message(receives, (rank_ + step) % size_, packed.part(step, step + count));
        sent += move(call, sends, receives, {packed.memory});
    }
    for (int i = 1; i < size_; ++i)
        copy_bytes(block_of(i).data, packed.part(i, i + 1).data, block_of(i).bytes);
    return sent;
}

int64_t PairCollectives::all_to_all(const char* call, std::span<const Block> to_ranks,
                                    std::span<const Block> from_ranks, size_t) {
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        add_message(sends, r, to_ranks[size_t(r)]);
        add_message(receives, r, from_ranks[size_t(r)]);
    }
    return move(call, sends, receives);
}

}  // namespace catena
