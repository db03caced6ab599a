#include "frontend/hdf5/chunks.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/hdf5/extensible_array.h"
#include "frontend/hdf5/tree.h"

namespace catena::hdf5 {
namespace {

class ChunkWalk {
public:
    ChunkWalk(const FileNumbers& file, const DatasetHeader& dataset, uint64_t chunk_bytes,
              const std::function<void(const Chunk&)>& call)
        : file_(file), dataset_(dataset), chunk_bytes_(chunk_bytes), call_(call) {
        for (size_t i = 0; i < dataset.sizes.size(); ++i)
            counts_.push_back(chunks_along(dataset.sizes[i], i));
    }

    void run() {
        if (dataset_.address == ~uint64_t(0)) return;  // Nothing was written.
        switch (dataset_.index) {
            case ChunkIndex::tree:
                return walk_tree();
            case ChunkIndex::single:
                return give({Sizes(counts_.size(), 0), dataset_.address,
                             dataset_.filters.empty() ? chunk_bytes_ : dataset_.stored,
                             dataset_.single_mask});
            case ChunkIndex::in_order:
                return walk_in_order();
            case ChunkIndex::fixed_array:
                return walk_fixed_array();
            case ChunkIndex::extensible_array:
                return walk_extensible_array();
            case ChunkIndex::new_tree:
                return walk_new_tree_of_chunks();
        }
    }

private:
    uint64_t chunks_along(uint64_t size, size_t axis) const {
        return size / dataset_.chunk[axis] + (size % dataset_.chunk[axis] > 0);
    }

    void give(Chunk chunk) const {
        for (size_t i = 0; i < chunk.at.size(); ++i)
            if (chunk.at[i] >= dataset_.sizes[i]) return;
        if (!file_.is_undefined(chunk.address)) call_(chunk);
    }

    void walk_tree() {
        constexpr uint64_t offset_bytes = 8;
        const size_t rank = counts_.size();
        walk_old_tree(file_, dataset_.address, 1, 8 + (rank + 1) * offset_bytes,
                      [&](Numbers key, uint64_t address) {
                          const uint64_t at = key.place();
                          Chunk chunk{{}, address, key.next(4), key.next(4)};
                          for (size_t i = 0; i < rank; ++i) chunk.at.push_back(key.next(8));
                          check_place(at, chunk.at);
                          give(std::move(chunk));
                      });
    }
    void check_place(uint64_t at, const Sizes& place) const {
        for (size_t i = 0; i < place.size(); ++i)
            if (place[i] % dataset_.chunk[i] > 0)
                file_.damaged(at, fmt::format("a chunk that begins at {} in steps of {}", place[i],
                                              dataset_.chunk[i]));
    }

    /// Calls with all places in order, and their number where the array may grow as `most` says;
    /// `slowest` is counted last.
    template <class Call>
    void for_each_place(size_t slowest, Call&& call) const {
        const size_t rank = counts_.size();
        std::vector<size_t> order;  // From the slowest axis.
        if (slowest < rank) order.push_back(slowest);
        for (size_t i = 0; i < rank; ++i)
            if (i != slowest) order.push_back(i);
        Sizes steps(rank, 1);
        for (size_t k = rank; k-- > 1;) {
            const uint64_t along = chunks_along(dataset_.most_sizes[order[k]], order[k]);
            if (__builtin_mul_overflow(steps[order[k]], along, &steps[order[k - 1]])) return;
        }
        Sizes place(rank, 0);
        while (true) {
            uint64_t number = 0, part = 0;
            Chunk chunk;
            for (size_t i = 0; i < rank; ++i) {
                if (__builtin_mul_overflow(place[i], steps[i], &part) ||
                    __builtin_add_overflow(number, part, &number))
                    return;
                chunk.at.push_back(place[i] * dataset_.chunk[i]);
            }
            if (!call(number, std::move(chunk))) return;
            size_t k = rank;
            while (k > 0 && ++place[order[k - 1]] >= counts_[order[k - 1]]) place[order[--k]] = 0;
            if (k == 0) return;
        }
    }

    void walk_in_order() const {
        for_each_place(counts_.size(), [&](uint64_t number, Chunk chunk) {
            if (__builtin_mul_overflow(number, chunk_bytes_, &chunk.address) ||
                __builtin_add_overflow(chunk.address, dataset_.address, &chunk.address))
                file_.damaged(dataset_.address, "chunks that end behind the file");
            chunk.bytes = chunk_bytes_;
            give(std::move(chunk));
            return true;
        });
    }

    /// An element of an array: the address, and with filters bytes and mask.
    void read_element(Numbers element, uint64_t element_bytes, Chunk chunk) const {
        chunk.address = file_.address(element);
        chunk.bytes = chunk_bytes_;
        if (element_bytes > file_.address_bytes()) {
            if (element_bytes < file_.address_bytes() + 5)
                file_.damaged(element.place(), "a chunk without its size");
            chunk.bytes = element.next(size_t(element_bytes - file_.address_bytes() - 4));
            chunk.mask = element.next(4);
        }
        give(std::move(chunk));
    }

    void walk_fixed_array() const {
        const uint64_t address_bytes = file_.address_bytes();
        Numbers head =
            file_.read_checked(dataset_.address, 8 + file_.length_bytes() + address_bytes, "FAHD");
        head.skip(2);
        const uint64_t element = head.next(1), page_bits = head.next(1), count = file_.length(head),
                       block = file_.address(head);
        if (file_.is_undefined(block)) return;
        if (element < address_bytes || page_bits > 40)
            file_.damaged(dataset_.address, "an array of chunks without addresses");
        const uint64_t begin = 6 + address_bytes, page = uint64_t(1) << page_bits,
                       pages = count > page ? count / page + (count % page > 0) : 0;
        if (pages == 0) {
            file_.require_inside(block, begin);
            if (count > file_.size() / element) file_.damaged(block, "more chunks than bytes");
            const Numbers whole = file_.read_checked(block, begin + count * element, "FADB");
            return for_each_place(counts_.size(), [&](uint64_t number, Chunk chunk) {
                if (number < count)
                    read_element(whole.at(begin + number * element, element), element,
                                 std::move(chunk));
                return true;
            });
        }
        const uint64_t marks = pages / 8 + (pages % 8 > 0);
        if (count > file_.size() / element) file_.damaged(block, "more chunks than bytes");
        const Numbers whole = file_.read_checked(block, begin + marks, "FADB");
        for_each_place(counts_.size(), [&](uint64_t number, Chunk chunk) {
            const uint64_t p = number / page;
            if (number >= count) return true;
            if (!(uint8_t(whole.all()[size_t(begin + p / 8)]) >> (7 - p % 8) & 1)) return true;
            const uint64_t at =
                block + begin + marks + 4 + p * (page * element + 4) + number % page * element;
            read_element(file_.read(at, element), element, std::move(chunk));
            return true;
        });
    }

    void walk_extensible_array() const {
        size_t open = 0;  // The axis without end, which is the slowest.
        while (open < counts_.size() && dataset_.most_sizes[open] != ~uint64_t(0)) ++open;
        if (open == counts_.size())
            file_.damaged(dataset_.address, "an array of chunks that grows, of fixed size,");
        const ExtensibleArray array(file_, dataset_.address);
        for_each_place(open, [&](uint64_t number, Chunk chunk) {
            const std::optional<Numbers> element = array.element(number);
            if (element) read_element(*element, array.element_bytes(), std::move(chunk));
            return true;
        });
    }

    void walk_new_tree_of_chunks() const {
        const uint64_t type = dataset_.filters.empty() ? 10 : 11;
        const size_t rank = counts_.size();
        walk_new_tree(file_, dataset_.address, type, [&](Numbers record) {
            const uint64_t at = record.place(), fixed = file_.address_bytes() + rank * 8;
            Chunk chunk{{}, file_.address(record), chunk_bytes_, 0};
            if (type == 11) {
                const uint64_t rest = record.left() + file_.address_bytes();
                if (rest < fixed + 5) file_.damaged(at, "a chunk without its size");
                chunk.bytes = record.next(size_t(rest - fixed - 4));
                chunk.mask = record.next(4);
            }
            for (size_t i = 0; i < rank; ++i) {
                const uint64_t number = record.next(8);
                if (number >= counts_[i]) return;
                chunk.at.push_back(number * dataset_.chunk[i]);
            }
            give(std::move(chunk));
        });
    }

    const FileNumbers& file_;
    const DatasetHeader& dataset_;
    const uint64_t chunk_bytes_;
    const std::function<void(const Chunk&)>& call_;
    Sizes counts_;  ///< The number of chunks along each axis.
};

}  // namespace

void for_each_chunk(const FileNumbers& file, const DatasetHeader& dataset, uint64_t chunk_bytes,
                    const std::function<void(const Chunk&)>& call) {
    if (std::ranges::find(dataset.sizes, 0u) != dataset.sizes.end()) return;
    ChunkWalk(file, dataset, chunk_bytes, call).run();
}

}  // namespace catena::hdf5
