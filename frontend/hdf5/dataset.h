#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/hdf5/element_type.h"

namespace catena::hdf5 {

using Sizes = std::vector<uint64_t>;

/// Where the elements are.
enum class Layout { compact, contiguous, chunked, elsewhere };
/// How chunks are found.
enum class ChunkIndex { tree, single, in_order, fixed_array, extensible_array, new_tree };

/// A step that chunks went through before they were written.
struct Filter {
    enum Kind : uint64_t { deflate = 1, shuffle = 2, fletcher = 3 };
    uint64_t kind = 0;
    std::vector<uint64_t> values;
};

/// What a dataset's header says of it.
struct DatasetHeader {
    bool is_null = false;     ///< No elements, not even one.
    Sizes sizes, most_sizes;  ///< The second: to which they may grow, ~0 without end.
    ElementType type;
    Layout layout = Layout::compact;
    std::string content;              ///< Compact.
    uint64_t address = ~uint64_t(0);  ///< Of the elements, or what chunks are found by; ~0: none.
    uint64_t stored = 0;              ///< Contiguous, or of a single filtered chunk.
    Sizes chunk;                      ///< Its sizes; none is 0.
    ChunkIndex index = ChunkIndex::tree;
    uint64_t single_mask = 0;      ///< Of the filters that a single chunk has not gone through.
    bool has_plain_edges = false;  ///< Chunks that end behind the sizes went through no filters.
    std::vector<Filter> filters;
    std::string fill;  ///< An element; empty: zeros.
};

/// FileError naming the byte where it is damaged.
DatasetHeader dataset_from(const FileNumbers& file, const std::vector<Message>& messages);

}  // namespace catena::hdf5
