#include "frontend/hdf5/tree.h"

#include <set>

#include <fmt/format.h>

#include "frontend/hdf5/number_bytes.h"

namespace catena::hdf5 {
namespace {

constexpr uint64_t most_depth = 32;

class OldTree {
public:
    OldTree(const FileNumbers& file, uint64_t type, uint64_t key_bytes,
            const std::function<void(Numbers, uint64_t)>& leaf)
        : file_(file), type_(type), key_bytes_(key_bytes), leaf_(leaf) {}

    void walk(uint64_t at, uint64_t depth) {
        if (!seen_.insert(at).second) file_.damaged(at, "a part of a tree with two places");
        Numbers head = file_.read(at, 8 + 2 * file_.address_bytes());
        if (head.take(4) != "TREE" || head.next(1) != type_)
            file_.damaged(at, "not a B-tree of the expected type");
        const uint64_t level = head.next(1), count = head.next(2);
        if (depth > 0 ? level + 1 != above_ : level > most_depth)
            file_.damaged(at, fmt::format("a part of a tree at level {}", level));
        Numbers children = file_.read(at + 8 + 2 * file_.address_bytes(),
                                      count * (key_bytes_ + file_.address_bytes()));
        for (uint64_t i = 0; i < count; ++i) {
            Numbers key = file_.part(children, key_bytes_);
            const uint64_t child = file_.address(children);
            above_ = level;
            if (level > 0)
                walk(child, depth + 1);
            else
                leaf_(std::move(key), child);
        }
    }

private:
    const FileNumbers& file_;
    const uint64_t type_, key_bytes_;
    const std::function<void(Numbers, uint64_t)>& leaf_;
    uint64_t above_ = 0;  ///< The level of the node whose child is looked at.
    std::set<uint64_t> seen_;
};

class NewTree {
public:
    NewTree(const FileNumbers& file, uint64_t type, const std::function<void(Numbers)>& record)
        : file_(file), type_(type), record_(record) {}

    void walk(uint64_t at) {
        Numbers head =
            file_.read_checked(at, 18 + file_.address_bytes() + file_.length_bytes(), "BTHD");
        head.skip(1);
        const uint64_t type = head.next(1);
        node_bytes_ = head.next(4);
        record_bytes_ = head.next(2);
        const uint64_t depth = head.next(2);
        head.skip(2);
        const uint64_t root = file_.address(head), count = head.next(2);
        if (type != type_ || record_bytes_ == 0 || depth > most_depth ||
            node_bytes_ <= frame + record_bytes_)
            file_.damaged(at, fmt::format("a tree of type {} with {} bytes a record, {} a node",
                                          type, record_bytes_, node_bytes_));
        size_levels(at, depth);
        if (count > 0) walk_node(root, depth, count);
    }

private:
    /// The bytes of a node beside its entries: signature, version, type, checksum.
    static constexpr uint64_t frame = 10;

    /// What a node of each level can hold.
    struct Level {
        uint64_t records = 0, with_those_below = 0, pointer_bytes = 0;
    };

    void size_levels(uint64_t at, uint64_t depth) {
        const uint64_t leaf = (node_bytes_ - frame) / record_bytes_;
        count_bytes_ = bytes_for(leaf);
        levels_.push_back({leaf, leaf, 0});
        for (uint64_t d = 1; d <= depth; ++d) {
            Level level;
            level.pointer_bytes = file_.address_bytes() + count_bytes_ +
                                  (d > 1 ? bytes_for(levels_.back().with_those_below) : 0);
            if (level.pointer_bytes + frame < node_bytes_)
                level.records = (node_bytes_ - frame - level.pointer_bytes) /
                                (record_bytes_ + level.pointer_bytes);
            if (level.records == 0 ||
                __builtin_mul_overflow(level.records + 1, levels_.back().with_those_below,
                                       &level.with_those_below) ||
                __builtin_add_overflow(level.with_those_below, level.records,
                                       &level.with_those_below))
                file_.damaged(at, fmt::format("a tree {} nodes deep", depth));
            levels_.push_back(level);
        }
    }

    void walk_node(uint64_t at, uint64_t depth, uint64_t count) {
        if (!seen_.insert(at).second) file_.damaged(at, "a part of a tree with two places");
        const Level& level = levels_[size_t(depth)];
        if (count > level.records)
            file_.damaged(
                at, fmt::format("a node of {} records, of which {} fit", count, level.records));
        const uint64_t bytes =
            frame - 4 + count * record_bytes_ + (depth > 0 ? (count + 1) * level.pointer_bytes : 0);
        Numbers node = file_.read_checked(at, bytes, depth > 0 ? "BTIN" : "BTLF");
        node.skip(1);
        if (node.next(1) != type_) file_.damaged(at, "a node of another tree");
        std::vector<Numbers> records;
        for (uint64_t i = 0; i < count; ++i) records.push_back(file_.part(node, record_bytes_));
        for (uint64_t i = 0; i <= count; ++i) {
            if (depth > 0) {
                Numbers pointer = file_.part(node, level.pointer_bytes);
                const uint64_t child = file_.address(pointer);
                walk_node(child, depth - 1, pointer.next(size_t(count_bytes_)));
            }
            if (i < count) record_(records[size_t(i)]);
        }
    }

    const FileNumbers& file_;
    const uint64_t type_;
    const std::function<void(Numbers)>& record_;
    uint64_t node_bytes_ = 0, record_bytes_ = 0, count_bytes_ = 0;
    std::vector<Level> levels_;
    std::set<uint64_t> seen_;
};

}  // namespace

void walk_old_tree(const FileNumbers& file, uint64_t root, uint64_t type, uint64_t key_bytes,
                   const std::function<void(Numbers key, uint64_t address)>& leaf) {
    OldTree(file, type, key_bytes, leaf).walk(root, 0);
}

void walk_new_tree(const FileNumbers& file, uint64_t head, uint64_t type,
                   const std::function<void(Numbers record)>& record) {
    NewTree(file, type, record).walk(head);
}

}  // namespace catena::hdf5
