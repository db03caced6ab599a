#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/hdf5/file_numbers.h"

namespace catena::hdf5 {

/// A message of an object's header: its kind and its content.
struct Message {
    enum Kind : uint64_t {
        dataspace = 1,
        link_info = 2,
        datatype = 3,
        old_fill_value = 4,
        fill_value = 5,
        link = 6,
        external_files = 7,
        layout = 8,
        filters = 11,
        continuation = 16,
        symbol_table = 17,
    };
    uint64_t kind = 0;
    bool is_shared = false;  ///< Whether the content is only the address of the message.
    Numbers content;
};

/// Reads the messages of the header at an address, of either version, and compares checksums.
/// FileError naming the byte where it is damaged.
std::vector<Message> messages_at(const FileNumbers& file, uint64_t address);

enum class ObjectKind { group, dataset, other };
ObjectKind kind_of(const std::vector<Message>& messages);

/// The first message of a kind; null if there is none.
const Message* find_message(const std::vector<Message>& messages, uint64_t kind);

}  // namespace catena::hdf5
