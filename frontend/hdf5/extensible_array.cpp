#include "frontend/hdf5/extensible_array.h"

#include <fmt/format.h>

#include "frontend/hdf5/number_bytes.h"

namespace catena::hdf5 {
ExtensibleArray::ExtensibleArray(const FileNumbers& file, uint64_t address)
    : file_(file), address_(address) {
    Numbers head =
        file.read_checked(address, 12 + 6 * file.length_bytes() + file.address_bytes(), "EAHD");
    head.skip(2);
    element_bytes_ = head.next(1);
    bits_ = head.next(1);
    in_index_ = head.next(1);
    least_ = head.next(1);
    least_pointers_ = head.next(1);
    const uint64_t page_bits = head.next(1);
    head.skip(6 * file.length_bytes());
    index_ = file.address(head);
    if (element_bytes_ < file.address_bytes() || bits_ == 0 || bits_ > 64 ||
        !is_power_of_two(least_) || !is_power_of_two(least_pointers_) || page_bits > 40 ||
        bits_ < log2_of(least_) + 2 * log2_of(least_pointers_))
        file.damaged(address, fmt::format("an array of elements of {} bytes in blocks of {}",
                                          element_bytes_, least_));
    page_ = uint64_t(1) << page_bits;
}

const Numbers& ExtensibleArray::kept(uint64_t address, uint64_t bytes,
                                     const char* signature) const {
    const auto found = blocks_.find(address);
    if (found != blocks_.end()) return found->second;
    return blocks_.emplace(address, file_.read_checked(address, bytes, signature)).first->second;
}

std::optional<Numbers> ExtensibleArray::element(uint64_t number) const {
    if (file_.is_undefined(index_)) return std::nullopt;
    const uint64_t address_bytes = file_.address_bytes(), head = 6 + address_bytes;
    // The blocks of level i are 2^(i/2), each with least * 2^((i+1)/2) elements; the addresses of
    // those of the first levels stand in the index.
    const uint64_t levels = 1 + bits_ - log2_of(least_),
                   levels_in_index = 2 * log2_of(least_pointers_),
                   blocks_in_index = 2 * (least_pointers_ - 1);
    const uint64_t bytes = head + in_index_ * element_bytes_ + blocks_in_index * address_bytes +
                           (levels - levels_in_index) * address_bytes;
    const Numbers& index = kept(index_, bytes, "EAIB");
    if (number < in_index_) return index.at(head + number * element_bytes_, element_bytes_);
    number -= in_index_;
    uint64_t blocks_before = 0;
    for (uint64_t level = 0; level < levels && level < 120; ++level) {
        const uint64_t blocks = uint64_t(1) << level / 2, elements = least_ << (level + 1) / 2;
        if (number / elements >= blocks) {
            number -= blocks * elements;
            blocks_before += blocks;
            continue;
        }
        const uint64_t pointers = head + in_index_ * element_bytes_;
        if (level < levels_in_index) {
            Numbers pointer = index.at(
                pointers + (blocks_before + number / elements) * address_bytes, address_bytes);
            return in_block(file_.address(pointer), elements, number % elements, true);
        }
        Numbers pointer = index.at(
            pointers + (blocks_in_index + level - levels_in_index) * address_bytes, address_bytes);
        return in_super_block(file_.address(pointer), number / elements, blocks, elements,
                              number % elements);
    }
    return std::nullopt;
}

std::optional<Numbers> ExtensibleArray::in_super_block(uint64_t address, uint64_t block,
                                                       uint64_t blocks, uint64_t block_elements,
                                                       uint64_t number) const {
    if (file_.is_undefined(address)) return std::nullopt;
    const uint64_t address_bytes = file_.address_bytes(),
                   head = 6 + address_bytes + (bits_ + 7) / 8,
                   pages = block_elements > page_ ? block_elements / page_ : 0,
                   mark_bytes = (pages + 7) / 8;
    if (blocks > file_.size()) file_.damaged(address, "more blocks than bytes");
    const Numbers& whole =
        kept(address, head + blocks * mark_bytes + blocks * address_bytes, "EASB");
    Numbers pointer = whole.at(head + blocks * mark_bytes + block * address_bytes, address_bytes);
    bool is_written = true;
    if (pages > 0) {
        // One bit after the other, though the bytes are those of blocks.
        const uint64_t bit = block * pages + number / page_;
        is_written = uint8_t(whole.all()[size_t(head + bit / 8)]) >> (7 - bit % 8) & 1;
    }
    return in_block(file_.address(pointer), block_elements, number, is_written);
}

std::optional<Numbers> ExtensibleArray::in_block(uint64_t address, uint64_t block_elements,
                                                 uint64_t number, bool page_is_written) const {
    if (file_.is_undefined(address) || !page_is_written) return std::nullopt;
    const uint64_t head = 6 + file_.address_bytes() + (bits_ + 7) / 8;
    if (block_elements > file_.size()) file_.damaged(address, "more chunks than bytes");
    if (block_elements <= page_) {
        const Numbers& whole = kept(address, head + block_elements * element_bytes_, "EADB");
        return whole.at(head + number * element_bytes_, element_bytes_);
    }
    kept(address, head, "EADB");
    const uint64_t page = number / page_,
                   at = address + head + 4 + page * (page_ * element_bytes_ + 4);
    return file_.read(at + number % page_ * element_bytes_, element_bytes_);
}

}  // namespace catena::hdf5
