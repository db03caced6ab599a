#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/hdf5/element_type.h"

namespace catena::hdf5 {

using Sizes = std::vector<uint64_t>;

/// The place of a dataset's elements.
enum class Layout { compact, contiguous, chunked, elsewhere };
/// The kind of index by which chunks are found.
enum class ChunkIndex { tree, single, in_order, fixed_array, extensible_array, new_tree };

/// A step of encoding that chunks went through before they were written.
struct Filter {
    enum Kind : uint64_t { deflate = 1, shuffle = 2, fletcher = 3 };
    uint64_t kind = 0;
    std::vector<uint64_t> values;
};

/// The description of a dataset, from its header.
struct DatasetHeader {
    bool is_null = false;  ///< True for a dataset without any element, not even one.
    /// The sizes of the dataset, and the sizes to which it may grow; ~0: without limit.
    Sizes sizes, most_sizes;
    ElementType type;
    Layout layout = Layout::compact;
    std::string content;  ///< The elements of a compact dataset.
    /// Address of the elements, or of the index of the chunks; ~0: none.
    uint64_t address = ~uint64_t(0);
    uint64_t stored = 0;  ///< Stored bytes of a contiguous dataset, or of a single filtered chunk.
    Sizes chunk;          ///< The sizes of a chunk; none is 0.
    ChunkIndex index = ChunkIndex::tree;
    /// The filters that a single chunk has not gone through, a bit each.
    uint64_t single_mask = 0;
    /// Whether chunks that extend beyond the sizes went through no filters.
    bool has_plain_edges = false;
    std::vector<Filter> filters;
    std::string fill;  ///< The element to fill in where none was written; empty: zeros.
};

/// Reads a dataset's header. FileError naming the byte where it is damaged.
DatasetHeader dataset_from(const FileNumbers& file, const std::vector<Message>& messages);

}  // namespace catena::hdf5
