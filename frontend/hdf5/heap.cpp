#include "frontend/hdf5/heap.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/hdf5/number_bytes.h"

namespace catena::hdf5 {
namespace {

Numbers content_of_heap(const FileNumbers& file, uint64_t at) {
    Numbers heap = file.read(at, 8 + 2 * file.length_bytes() + file.address_bytes());
    if (heap.take(4) != "HEAP") file.damaged(at, "no heap");
    heap.skip(4);
    const uint64_t bytes = file.length(heap);
    file.length(heap);
    return file.read(file.address(heap), bytes);
}

}  // namespace

NameHeap::NameHeap(const FileNumbers& file, uint64_t address)
    : file_(file), address_(address), content_(content_of_heap(file, address)) {}

std::string NameHeap::name_at(uint64_t offset) const {
    const std::string_view all = content_.all();
    const size_t end = offset < all.size() ? all.find('\0', size_t(offset)) : all.npos;
    if (end == all.npos)
        file_.damaged(address_, fmt::format("a heap without the name at its byte {}", offset));
    return std::string(all.substr(size_t(offset), end - size_t(offset)));
}

FractalHeap::FractalHeap(const FileNumbers& file, uint64_t at) : file_(file), address_(at) {
    const uint64_t length = file.length_bytes(), address = file.address_bytes();
    Numbers head = file.read_checked(at, 22 + 12 * length + 3 * address, "FRHP");
    head.skip(1);
    id_bytes_ = head.next(2);
    const uint64_t filter_bytes = head.next(2);
    head.skip(1);
    const uint64_t managed = head.next(4);
    head.skip(10 * length + 2 * address);  // Counts, and the trees of what is free or large.
    width_ = head.next(2);
    least_ = file.length(head);
    most_ = file.length(head);
    bits_ = head.next(2);
    head.skip(2);
    root_ = file.address(head);
    rows_ = head.next(2);
    if (filter_bytes > 0) file.damaged(at, "names that are compressed, which is not supported,");
    if (!is_power_of_two(width_) || !is_power_of_two(least_) || !is_power_of_two(most_) ||
        least_ > most_ || most_ > uint64_t(1) << 40 || width_ > 1024 || bits_ > 62 || managed == 0)
        file.damaged(at, fmt::format("a heap of rows of {} blocks of {} to {} bytes", width_,
                                     least_, most_));
    length_bytes_ = std::min((log2_of(most_) + 7) / 8, log2_of(managed) / 8 + 1);
}

Numbers FractalHeap::object(Numbers id) const {
    const uint64_t kind = id.next(1) >> 4 & 3;
    const uint64_t offset_bytes = (bits_ + 7) / 8;
    if (kind != 0 || 1 + offset_bytes + length_bytes_ > id_bytes_)
        file_.damaged(address_, "a name that is too long, or stored in another way,");
    const uint64_t offset = id.next(size_t(offset_bytes)), bytes = id.next(size_t(length_bytes_));
    return rows_ == 0 ? in_block(root_, least_, offset, bytes)
                      : in_rows(root_, rows_, offset, bytes, 0);
}

Numbers FractalHeap::in_block(uint64_t block, uint64_t block_bytes, uint64_t offset,
                              uint64_t bytes) const {
    const uint64_t head = 5 + file_.address_bytes() + (bits_ + 7) / 8;
    if (offset < head || offset > block_bytes || bytes > block_bytes - offset)
        file_.damaged(block, fmt::format("a block without {} bytes at its byte {}", bytes, offset));
    if (file_.read(block, 4).all() != "FHDB") file_.damaged(block, "no block of a heap");
    return file_.read(block + offset, bytes);
}

Numbers FractalHeap::in_rows(uint64_t block, uint64_t rows, uint64_t offset, uint64_t bytes,
                             int depth) const {
    const uint64_t address = file_.address_bytes(), head = 5 + address + (bits_ + 7) / 8;
    if (depth > 8 || rows > bits_) file_.damaged(block, "a heap that is nested too deep");
    if (file_.read(block, 4).all() != "FHIB") file_.damaged(block, "no list of blocks of a heap");
    const uint64_t direct_rows = log2_of(most_) - log2_of(least_) + 2;
    uint64_t begin = 0;  // Of the row.
    for (uint64_t row = 0; row < rows; ++row) {
        const uint64_t each = row_bytes(row);
        if (offset - begin >= width_ * each) {
            begin += width_ * each;
            continue;
        }
        const uint64_t column = (offset - begin) / each;
        Numbers entry = file_.read(block + head + (row * width_ + column) * address, address);
        const uint64_t child = file_.address(entry), inside = (offset - begin) % each;
        if (row < direct_rows) return in_block(child, each, inside, bytes);
        return in_rows(child, log2_of(each) - log2_of(least_ * width_) + 1, inside, bytes,
                       depth + 1);
    }
    file_.damaged(block, fmt::format("a heap that ends before byte {}", offset));
}

}  // namespace catena::hdf5
