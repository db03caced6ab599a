#include "frontend/hdf5/structure_check.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/file/limits.h"

namespace catena::hdf5 {
namespace {

// Names and numbers as in "HDF5 File Format Specification Version 3.0".
enum Message { dataspace = 1, link = 6, layout = 8, continuation = 16, symbol_table = 17 };
enum Layout { compact = 0, contiguous = 1, chunked = 2 };
constexpr uint8_t has_times = 0x20, has_phases = 0x10, has_creation_order = 4, is_shared = 2;

/// Little-endian numbers one after the other.
class Numbers {
public:
    Numbers(const FileReader& file, uint64_t at, std::string bytes)
        : file_(&file), start_(at), bytes_(std::move(bytes)) {}
    size_t left() const { return bytes_.size() - at_; }
    uint64_t place() const { return start_ + at_; }
    std::string take(uint64_t bytes) {
        if (bytes > left())
            fail<FileError>("{}: is damaged: the object at byte {} is truncated", file_->path(),
                            start_);
        at_ += size_t(bytes);
        return bytes_.substr(at_ - size_t(bytes), size_t(bytes));
    }
    uint64_t next(size_t bytes) {
        const std::string part = take(bytes);
        uint64_t value = 0;
        for (size_t i = std::min<size_t>(bytes, 8); i-- > 0;) value = value << 8 | uint8_t(part[i]);
        return value;
    }

private:
    const FileReader* file_;
    uint64_t start_;
    std::string bytes_;
    size_t at_ = 0;
};

/// The chunk layout of one object, from its messages.
struct Object {
    int dataspaces = 0, layouts = 0;
    bool chunked = false;
    uint64_t rank = 0, chunk_rank = 0, chunk_tree = ~uint64_t(0);
};

class Walk {
public:
    Walk(const FileReader& file, const FileFormat& format) : file_(file), format_(format) {}

    void run(uint64_t root) {
        add_object(root);
        while (!objects_.empty()) {
            const auto [at, depth] = objects_.back();
            objects_.pop_back();
            depth_ = depth;
            check_object(at);
        }
    }

private:
    [[noreturn]] void damaged(uint64_t at, const std::string& what) const {
        fail<FileError>("{}: is damaged: {} at byte {}", file_.path(), what, at);
    }

    bool is_undefined(uint64_t address) const {
        return address == (format_.address_bytes >= 8
                               ? ~uint64_t(0)
                               : (uint64_t(1) << 8 * format_.address_bytes) - 1);
    }

    void require_inside(uint64_t address, uint64_t bytes) const {
        const uint64_t room = file_.size() - std::min(file_.size(), format_.base);
        if (address > room || bytes > room - address)
            fail<FileError>("{}: is damaged: {} bytes are declared at byte {}, the file has {}",
                            file_.path(), bytes, address, file_.size());
    }

    Numbers read(uint64_t address, uint64_t bytes) const {
        require_inside(address, bytes);
        std::string content = file_buffer(bytes, file_.path());
        file_.read_at(format_.base + address, content.data(), content.size());
        return {file_, address, std::move(content)};
    }
    uint64_t address(Numbers& numbers) const { return numbers.next(format_.address_bytes); }
    uint64_t length(Numbers& numbers) const { return numbers.next(format_.length_bytes); }

    /// In the group that is being looked at.
    void add_object(uint64_t address) {
        if (!seen_.insert(address).second) return;
        check_depth(address);
        if (seen_.size() > limits_.entries)
            fail<FileError>("{}: has more than {} objects", file_.path(), limits_.entries);
        objects_.emplace_back(address, depth_ + 1);
    }

    void check_depth(uint64_t address) const {
        if (depth_ >= limits_.depth)
            fail<FileError>("{}: groups are nested deeper than {}, at byte {}", file_.path(),
                            limits_.depth, address);
    }

    // Headers of objects.

    void check_object(uint64_t at) {
        Object object;
        std::vector<std::pair<uint64_t, uint64_t>> blocks;  // Parts of the header not read yet.
        const bool is_new = read(at, 4).take(4) == "OHDR";
        uint8_t flags = 0;
        if (is_new) {
            flags = uint8_t(read(at + 5, 1).next(1));
            uint64_t next = at + 6 + (flags & has_times ? 16 : 0) + (flags & has_phases ? 4 : 0);
            const size_t size_bytes = size_t(1) << (flags & 3);
            blocks.emplace_back(next + size_bytes, read(next, size_bytes).next(size_bytes));
        } else {
            Numbers prefix = read(at, 16);
            prefix.take(8);
            blocks.emplace_back(at + 16, prefix.next(4));
        }
        std::set<uint64_t> read_blocks;
        while (!blocks.empty()) {
            const auto [begin, bytes] = blocks.back();
            blocks.pop_back();
            if (!read_blocks.insert(begin).second) damaged(begin, "a header that refers to itself");
            check_messages(read(begin, bytes), is_new, flags, object, blocks);
        }
        check_chunks(at, object);
    }

    void check_messages(Numbers numbers, bool is_new, uint8_t flags, Object& object,
                        std::vector<std::pair<uint64_t, uint64_t>>& blocks) {
        const size_t prefix = is_new ? (flags & has_creation_order ? 6 : 4) : 8;
        while (numbers.left() >= prefix) {
            const uint64_t type = numbers.next(is_new ? 1 : 2), bytes = numbers.next(2),
                           own_flags = numbers.next(1);
            numbers.take(prefix - (is_new ? 4 : 5));
            const uint64_t at = numbers.place();
            if (is_new && bytes > numbers.left()) return;  // The gap at the end, and a checksum.
            Numbers content(file_, at, numbers.take(bytes));
            if ((type == dataspace || type == layout) && own_flags & is_shared)
                damaged(at, "a shared message");
            if (type == dataspace) {
                content.take(1);
                object.rank = content.next(1);
                ++object.dataspaces;
            }
            if (type == layout) check_layout(content, object);
            if (type == link) check_link(content);
            if (type == symbol_table) check_group(content);
            if (type != continuation) continue;
            const uint64_t next = address(content), size = length(content);
            constexpr uint64_t signature = 4, checksum = 4;
            if (!is_new)
                blocks.emplace_back(next, size);
            else if (size >= signature + checksum)
                blocks.emplace_back(next + signature, size - signature - checksum);
        }
    }

    void check_layout(Numbers& content, Object& object) const {
        const uint64_t at = content.place(), version = content.next(1);
        uint64_t kind = 0, rank = 0, size_bytes = 4;
        uint64_t data = ~uint64_t(0);
        if (version < 3) {
            rank = content.next(1);
            kind = content.next(1);
            content.take(5);
            if (kind != compact) data = address(content);
        } else {
            kind = content.next(1);
            if (kind == chunked) {
                if (version > 3) content.take(1);
                rank = content.next(1);
                if (version > 3)
                    size_bytes = content.next(1);
                else
                    data = address(content);
            } else if (kind == contiguous) {
                data = address(content);
            }
        }
        if (++object.layouts > 1) damaged(at, "a second layout of one object");
        if (kind != compact && !is_undefined(data) && version <= 3) require_inside(data, 0);
        if (kind != chunked) return;
        object.chunked = true;
        object.chunk_rank = rank;
        if (version <= 3 && !is_undefined(data)) object.chunk_tree = data;
        for (uint64_t i = 0; i < rank; ++i)
            if (content.next(size_t(size_bytes)) == 0)
                damaged(at, fmt::format("a dataset whose chunks have size 0 in dimension {}", i));
    }

    void check_chunks(uint64_t at, const Object& object) {
        if (!object.chunked) return;
        if (object.dataspaces != 1 || object.chunk_rank != object.rank + 1)
            damaged(at, fmt::format("a dataset of {} dimensions with chunks of {}", object.rank,
                                    int64_t(object.chunk_rank) - 1));
        if (object.chunk_tree == ~uint64_t(0)) return;
        constexpr uint64_t sizes_and_mask = 8, offset_bytes = 8;
        walk_tree(object.chunk_tree, 1, sizes_and_mask + object.chunk_rank * offset_bytes,
                  [&](uint64_t child) { require_inside(child, 0); });
    }

    // Groups.

    void check_link(Numbers& content) {
        content.take(1);
        const uint64_t flags = content.next(1), kind = flags & 8 ? content.next(1) : 0;
        if (flags & 4) content.take(8);
        if (flags & 16) content.take(1);
        content.take(content.next(size_t(1) << (flags & 3)));
        if (kind == 0) add_object(address(content));
    }

    void check_group(Numbers& content) {
        const uint64_t tree = address(content), heap = address(content);
        if (heaps_.insert(heap).second) check_heap(heap);
        walk_tree(tree, 0, format_.length_bytes, [&](uint64_t node) {
            if (seen_.insert(node).second) check_symbols(node);
        });
    }

    void check_heap(uint64_t at) const {
        Numbers heap = read(at, 8 + 2 * format_.length_bytes + format_.address_bytes);
        if (heap.take(4) != "HEAP") damaged(at, "no heap");
        heap.take(4);
        const uint64_t bytes = length(heap);
        length(heap);
        require_inside(address(heap), bytes);
    }

    void check_symbols(uint64_t at) {
        Numbers head = read(at, 8);
        if (head.take(4) != "SNOD") damaged(at, "not a symbol table node");
        head.take(2);
        const uint64_t count = head.next(2), scratch = 16,
                       bytes = format_.length_bytes + format_.address_bytes + 8 + scratch;
        Numbers entries = read(at + 8, count * bytes);
        for (uint64_t i = 0; i < count; ++i) {
            length(entries);
            const uint64_t object = address(entries), cached = entries.next(4);
            entries.take(4);
            Numbers pad(file_, entries.place(), entries.take(scratch));
            constexpr uint64_t soft_link = 2, group = 1;
            if (cached == soft_link) continue;
            add_object(object);
            if (cached != group) continue;
            check_depth(object);
            ++depth_;
            check_group(pad);
            --depth_;
        }
    }

    /// Calls leaf(address) for all children of the lowest level.
    template <class Leaf>
    void walk_tree(uint64_t root, uint64_t type, uint64_t key_bytes, const Leaf& leaf) {
        std::vector<uint64_t> nodes{root};
        while (!nodes.empty()) {
            const uint64_t at = nodes.back();
            nodes.pop_back();
            if (!seen_.insert(at).second) continue;
            Numbers head = read(at, 8 + 2 * format_.address_bytes);
            if (head.take(4) != "TREE" || head.next(1) != type)
                damaged(at, "not a B-tree of the expected type");
            const uint64_t level = head.next(1), count = head.next(2);
            for (int sibling = 0; sibling < 2; ++sibling)
                if (const uint64_t next = address(head); !is_undefined(next)) nodes.push_back(next);
            Numbers children = read(at + 8 + 2 * format_.address_bytes,
                                    count * (key_bytes + format_.address_bytes));
            for (uint64_t i = 0; i < count; ++i) {
                children.take(key_bytes);
                const uint64_t child = address(children);
                if (level > 0)
                    nodes.push_back(child);
                else
                    leaf(child);
            }
        }
    }

    const FileReader& file_;
    const FileFormat& format_;
    const FileLimits limits_ = file_limits();
    std::vector<std::pair<uint64_t, int>> objects_;  ///< With the groups around each.
    int depth_ = 0;
    std::set<uint64_t> seen_, heaps_;  ///< Structures may lead back to each other.
};

}  // namespace

void check_structure(const FileReader& file, const FileFormat& format, uint64_t root) {
    Walk(file, format).run(root);
}

}  // namespace catena::hdf5
