#include "frontend/link/walk_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <unordered_set>
#include <vector>

namespace catena {
namespace {

using Word = uint64_t;
constexpr size_t word_bytes = sizeof(Word), most_bytes = size_t(1) << 20, most_nodes = 4096;

/// Words that the kernel copies, so that an address that is none is no crash; fewer where memory
/// ends, none where a sandbox forbids it.
std::vector<Word> words_at(Word address, size_t count) {
    std::vector<Word> words(count);
    const iovec local{words.data(), count * word_bytes},
        remote{reinterpret_cast<void*>(address), count * word_bytes};
    const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    words.resize(copied > 0 ? size_t(copied) / word_bytes : 0);
    return words;
}

bool may_be_pointer(Word word) {
    return word % word_bytes == 0 && word > 0xffff && word < Word(1) << 47;
}

/// The size of what malloc of glibc gave at an address, by the word before it; 0 where that does
/// not look like one.
size_t block_size(Word address) {
    constexpr Word flags = 7, is_mapped = 2;
    const std::vector<Word> before = words_at(address - word_bytes, 1);
    if (before.empty()) return 0;
    const Word chunk = before[0] & ~flags;
    if (chunk < 32 || chunk % 16 != 0 || chunk > most_bytes) return 0;
    return size_t(chunk) - (before[0] & is_mapped ? 16 : 8);
}

class Walk {
public:
    explicit Walk(MemoryWalk::Visit visit) : visit_(visit) {}

    void add(Word address, std::vector<Word> words) {
        waiting_.push_back({address, std::move(words)});
    }
    void run() {
        for (; !waiting_.empty(); waiting_.pop_front()) look_into(waiting_.front());
    }

private:
    struct Piece {
        Word address;
        std::vector<Word> words;
        Word at(size_t i) const { return i < words.size() ? words[i] : 0; }
    };

    void look_into(const Piece& piece) {
        for (size_t i = 0; i < piece.words.size(); ++i) {
            if (!may_be_pointer(piece.words[i])) continue;
            if (is_short_text(piece, i)) {
                i += 3;
                continue;
            }
            const auto* to = reinterpret_cast<const char*>(piece.words[i]);
            visit_(to, to + 1);
            if (!vector_at(piece, i) && !list_at(piece, i) && !tree_at(piece, i) &&
                !table_at(piece, i))
                deque_at(piece, i);
        }
    }

    /// A std::string whose letters are in it. What its end does not use is still what was there
    /// before: such a pointer leads to whatever has that memory now.
    static bool is_short_text(const Piece& piece, size_t i) {
        return piece.words[i] == piece.address + (i + 2) * word_bytes && piece.at(i + 1) < 16;
    }

    /// Elements of a container: they are visited, and looked into.
    void enter(Word begin, size_t bytes) {
        if (bytes == 0 || bytes > left_ || !entered_.insert(begin).second) return;
        left_ -= bytes;
        const auto* from = reinterpret_cast<const char*>(begin);
        visit_(from, from + bytes);
        add(begin, words_at(begin, bytes / word_bytes));
    }
    /// What a node holds behind its links.
    void enter_node(Word node, size_t links) {
        const size_t size = block_size(node);
        if (size > links * word_bytes) enter(node + links * word_bytes, size - links * word_bytes);
    }

    /// Begin, end, end of the memory.
    bool vector_at(const Piece& piece, size_t i) {
        const Word begin = piece.at(i), end = piece.at(i + 1), limit = piece.at(i + 2);
        if (begin >= end || end > limit || limit - begin > most_bytes) return false;
        // Of three pointers to neighbours on the heap the first has not the size of all.
        const size_t size = block_size(begin);
        const size_t rounded = limit - begin < (64 << 10) ? 24 : 4096 + 24;
        if (size < limit - begin || size > limit - begin + rounded) return false;
        enter(begin, size_t(end - begin));
        return true;
    }

    /// Lists the nodes of a ring: next, previous, number.
    bool list_at(const Piece& piece, size_t i) {
        const Word head = piece.address + i * word_bytes, count = piece.at(i + 2);
        if (count == 0 || count > most_nodes || !may_be_pointer(piece.at(i + 1))) return false;
        std::vector<Word> nodes;
        Word before = head;
        for (Word node = piece.at(i); node != head; node = nodes.size() ? next_ : 0) {
            const std::vector<Word> links = words_at(node, 2);
            if (links.size() < 2 || links[1] != before || nodes.size() == count) return false;
            nodes.push_back(node);
            before = node;
            next_ = links[0];
        }
        if (nodes.size() != count) return false;
        for (Word node : nodes) enter_node(node, 2);
        return true;
    }

    /// Root, first, last, number, behind the colour of the header: the root's parent is the header.
    bool tree_at(const Piece& piece, size_t i) {
        const Word count = piece.at(i + 3);
        if (i == 0 || count == 0 || count > most_nodes) return false;
        const Word header = piece.address + (i - 1) * word_bytes;
        const std::vector<Word> root = words_at(piece.at(i), 4);
        if (root.size() < 4 || root[1] != header) return false;
        std::vector<Word> nodes = {piece.at(i)};
        for (size_t n = 0; n < nodes.size() && nodes.size() <= count; ++n) {
            const std::vector<Word> links = words_at(nodes[n], 4);
            if (links.size() < 4) return false;
            for (const Word child : {links[2], links[3]})
                if (child) nodes.push_back(child);
        }
        if (nodes.size() != count) return false;
        for (Word node : nodes) enter_node(node, 4);
        return true;
    }

    /// Buckets, their number, first node, number of elements: a chain of as many nodes.
    bool table_at(const Piece& piece, size_t i) {
        const Word buckets = piece.at(i + 1), count = piece.at(i + 3);
        if (buckets == 0 || buckets > most_bytes || count == 0 || count > most_nodes) return false;
        std::vector<Word> nodes;
        for (Word node = piece.at(i + 2); node; node = next_) {
            const std::vector<Word> links = words_at(node, 1);
            if (!may_be_pointer(node) || links.empty() || nodes.size() == count) return false;
            nodes.push_back(node);
            next_ = links[0];
        }
        if (nodes.size() != count) return false;
        for (Word node : nodes) enter_node(node, 1);
        return true;
    }

    /// A list of blocks, its length, and for first and last element: it, its block's begin, end,
    /// and place in the list.
    void deque_at(const Piece& piece, size_t i) {
        const Word first = piece.at(i + 5), last = piece.at(i + 9), cur = piece.at(i + 2),
                   end = piece.at(i + 6);
        if (!may_be_pointer(first) || last < first || (last - first) / word_bytes >= most_nodes)
            return;
        const std::vector<Word> blocks = words_at(first, size_t(last - first) / word_bytes + 1);
        if (blocks.empty() || blocks.front() != piece.at(i + 3) ||
            blocks.back() != piece.at(i + 7) || piece.at(i + 4) < piece.at(i + 3))
            return;
        const size_t bytes = size_t(piece.at(i + 4) - piece.at(i + 3));
        for (size_t b = 0; b < blocks.size(); ++b) {
            const Word from = b == 0 ? cur : blocks[b];
            const Word to = b + 1 == blocks.size() ? end : blocks[b] + bytes;
            if (from < to) enter(from, size_t(to - from));
        }
    }

    MemoryWalk::Visit visit_;
    std::deque<Piece> waiting_;
    std::unordered_set<Word> entered_;
    size_t left_ = most_bytes;
    Word next_ = 0;
};

}  // namespace

void MemoryWalk::from(const char* begin, const char* end, Visit visit) {
    std::vector<Word> words(size_t(end - begin) / word_bytes);
    if (words.empty()) return;
    std::memcpy(words.data(), begin, words.size() * word_bytes);
    Walk walk(visit);
    walk.add(reinterpret_cast<Word>(begin), std::move(words));
    walk.run();
}

}  // namespace catena
