#include "frontend/hdf5/dataset.h"

#include <fmt/format.h>

#include "runtime/core/system/error.h"

namespace catena::hdf5 {
namespace {

constexpr uint64_t most_rank = 32;

class DatasetReader {
public:
    explicit DatasetReader(const FileNumbers& file) : file_(file) {}

    DatasetHeader run(const std::vector<Message>& messages) {
        int spaces = 0, layouts = 0;
        for (const Message& message : messages) {
            const bool is_known = message.kind == Message::dataspace ||
                                  message.kind == Message::layout ||
                                  message.kind == Message::filters;
            if (message.is_shared && is_known)
                file_.damaged(message.content.place(), "a shared message");
            if (message.kind == Message::dataspace) read_space(message.content), ++spaces;
            if (message.kind == Message::datatype) made_.type = type_from(file_, message);
            if (message.kind == Message::layout) read_layout(message.content), ++layouts;
            if (message.kind == Message::filters) read_filters(message.content);
            if (message.kind == Message::fill_value) read_fill(message.content);
            if (message.kind == Message::old_fill_value && made_.fill.empty())
                read_old_fill(message.content);
            if (message.kind == Message::external_files) is_elsewhere_ = true;
        }
        if (spaces != 1 || layouts != 1)
            fail<FileError>("{}: is damaged: a dataset with {} spaces and {} layouts", file_.path(),
                            spaces, layouts);
        if (is_elsewhere_) made_.layout = Layout::elsewhere;
        if (made_.layout == Layout::chunked) check_chunk();
        if (made_.fill.size() != made_.type.bytes) made_.fill.clear();
        return std::move(made_);
    }

private:
    void read_space(Numbers content) {
        const uint64_t at = content.place(), version = content.next(1), rank = content.next(1),
                       flags = content.next(1), kind = content.next(1);
        if (version != 1 && version != 2)
            file_.damaged(at, fmt::format("a space of version {}", version));
        if (rank > most_rank) file_.damaged(at, fmt::format("a space of {} dimensions", rank));
        if (version == 1) content.skip(4);
        made_.is_null = version == 2 && kind == 2;
        for (uint64_t i = 0; i < rank; ++i) made_.sizes.push_back(file_.length(content));
        made_.most_sizes = made_.sizes;
        if (flags & 1)
            for (uint64_t& most : made_.most_sizes) {
                most = file_.length(content);
                const size_t bytes = file_.length_bytes();
                if (bytes < 8 && most == (uint64_t(1) << 8 * bytes) - 1) most = ~uint64_t(0);
            }
    }

    void read_layout(Numbers content) {
        const uint64_t version = content.next(1);
        if (version == 1 || version == 2) return read_old_layout(content);
        if (version != 3 && version != 4)
            file_.damaged(content.place(), fmt::format("a layout of version {}", version));
        const uint64_t kind = content.next(1);
        if (kind == 0) {
            made_.content = content.take(content.next(2));
            made_.stored = made_.content.size();
        } else if (kind == 1) {
            made_.layout = Layout::contiguous;
            made_.address = known(file_.address(content));
            made_.stored = file_.length(content);
        } else if (kind == 2 && version == 3) {
            made_.layout = Layout::chunked;
            const uint64_t rank = content.next(1);
            made_.address = known(file_.address(content));
            read_chunk(content, rank, 4);
        } else if (kind == 2) {
            read_new_chunks(content);
        } else {
            made_.layout = Layout::elsewhere;
        }
    }

    uint64_t known(uint64_t address) const {
        return file_.is_undefined(address) ? ~uint64_t(0) : address;
    }

    void read_old_layout(Numbers& content) {
        const uint64_t rank = content.next(1), kind = content.next(1);
        content.skip(5);
        if (kind != 0) made_.address = known(file_.address(content));
        if (kind == 2) {
            made_.layout = Layout::chunked;
            return read_chunk(content, rank, 4);
        }
        content.skip(4 * rank);
        if (kind == 1) {
            made_.layout = Layout::contiguous;
            made_.stored = ~uint64_t(0);  // As many bytes as there are elements.
        } else {
            made_.content = content.take(content.next(4));
            made_.stored = made_.content.size();
        }
    }

    /// Sizes of chunks, and behind them of an element.
    void read_chunk(Numbers& content, uint64_t rank, size_t size_bytes) {
        const uint64_t at = content.place();
        for (uint64_t i = 0; i < rank; ++i) {
            const uint64_t size = content.next(size_bytes);
            if (size == 0)
                file_.damaged(at,
                              fmt::format("a dataset whose chunks have size 0 in dimension {}", i));
            made_.chunk.push_back(size);
        }
        if (rank < 2) file_.damaged(at, "chunks without dimensions");
        element_bytes_ = made_.chunk.back();
        made_.chunk.pop_back();
    }

    void read_new_chunks(Numbers& content) {
        made_.layout = Layout::chunked;
        const uint64_t at = content.place(), flags = content.next(1), rank = content.next(1),
                       size_bytes = content.next(1);
        if (size_bytes > 8) file_.damaged(at, fmt::format("sizes of {} bytes", size_bytes));
        read_chunk(content, rank, size_t(size_bytes));
        constexpr uint64_t plain_edges = 1, is_filtered = 2;
        made_.has_plain_edges = flags & plain_edges;
        switch (content.next(1)) {
            case 1:
                made_.index = ChunkIndex::single;
                if (flags & is_filtered) {
                    made_.stored = file_.length(content);
                    made_.single_mask = content.next(4);
                }
                break;
            case 2:
                made_.index = ChunkIndex::in_order;
                break;
            case 3:
                made_.index = ChunkIndex::fixed_array;
                content.skip(1);
                break;
            case 4:
                made_.index = ChunkIndex::extensible_array;
                content.skip(5);
                break;
            case 5:
                made_.index = ChunkIndex::new_tree;
                content.skip(6);
                break;
            default:
                file_.damaged(at, "chunks that are found in an unknown way");
        }
        made_.address = known(file_.address(content));
    }

    void check_chunk() const {
        if (made_.chunk.size() != made_.sizes.size())
            fail<FileError>("{}: is damaged: a dataset of {} dimensions with chunks of {}",
                            file_.path(), made_.sizes.size(), made_.chunk.size());
        if (element_bytes_ != made_.type.bytes)
            fail<FileError>("{}: is damaged: elements of {} bytes in chunks of elements of {}",
                            file_.path(), made_.type.bytes, element_bytes_);
    }

    void read_filters(Numbers content) {
        const uint64_t at = content.place(), version = content.next(1), count = content.next(1);
        if (version != 1 && version != 2)
            file_.damaged(at, fmt::format("filters of version {}", version));
        if (version == 1) content.skip(6);
        constexpr uint64_t first_with_name = 256;
        for (uint64_t i = 0; i < count; ++i) {
            Filter filter{content.next(2), {}};
            const uint64_t name =
                version == 1 || filter.kind >= first_with_name ? content.next(2) : 0;
            content.skip(2);
            const uint64_t values = content.next(2);
            content.skip(version == 1 ? (name + 7) / 8 * 8 : name);
            for (uint64_t k = 0; k < values; ++k) filter.values.push_back(content.next(4));
            if (version == 1 && values % 2 == 1) content.skip(4);
            made_.filters.push_back(std::move(filter));
        }
    }

    void read_old_fill(Numbers content) { made_.fill = content.take(content.next(4)); }
    void read_fill(Numbers content) {
        const uint64_t version = content.next(1);
        bool is_defined = false;
        if (version == 3) {
            is_defined = content.next(1) & 0x20;
        } else {
            content.skip(2);
            is_defined = content.next(1) != 0 && (version > 1 || content.left() >= 4);
        }
        if (is_defined) made_.fill = content.take(content.next(4));
    }

    const FileNumbers& file_;
    DatasetHeader made_;
    bool is_elsewhere_ = false;
    uint64_t element_bytes_ = 0;
};

}  // namespace

DatasetHeader dataset_from(const FileNumbers& file, const std::vector<Message>& messages) {
    return DatasetReader(file).run(messages);
}

}  // namespace catena::hdf5
