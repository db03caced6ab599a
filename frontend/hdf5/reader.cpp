#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "frontend/hdf5/elements.h"
#include "frontend/hdf5/groups.h"
#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5_library.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/file/bool_elements.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/graph/call/recorder.h"

namespace catena::hdf5 {
namespace {

/// Deflate compresses at most 1032 to 1; a larger declared ratio is rejected.
constexpr uint64_t largest_ratio = 1100, slack = 1 << 16;
/// Bytes of a dataset that need not be in the file.
constexpr uint64_t unwritten = 1 << 20;
/// Smaller chunks than this are so few as entries of an archive may be.
constexpr uint64_t small_chunk = 4096;

/// Turns the bytes of each element the other way round.
void turn_bytes(char* elements, uint64_t bytes, uint64_t element) {
    for (uint64_t at = 0; at + element <= bytes; at += element)
        std::reverse(elements + at, elements + at + element);
}

template <class From, class To>
void widen(const std::string& from, To* to) {
    for (size_t i = 0; i < from.size() / sizeof(From); ++i) {
        From value;
        std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
        to[i] = To(value);
    }
}

/// Nothing of a file reaches libhdf5, which was written for trusted ones: headers, trees, heaps and
/// chunks are read here, each number checked where it is used.
class Hdf5Reader final : public ArchiveReader {
public:
    explicit Hdf5Reader(const std::string& path)
        : path_(path),
          raw_(path),
          file_(raw_),
          limits_(file_limits()),
          budget_(path, raw_.size()),
          names_(path, raw_.size()) {
        std::vector<Message> messages = messages_at(file_, file_.root());
        if (kind_of(messages) != ObjectKind::group)
            fail<FileError>("{}: is damaged: it does not begin with a group", path);
        visit_group(file_.root(), messages, "", 0);
    }

    const std::string& path() const override { return path_; }
    std::vector<std::string> keys() const override { return keys_; }
    bool contains(std::string_view key) const override { return find(key) != nullptr; }

    Array read(std::string_view key) const override {
        const DatasetHeader dataset = open(key);
        if (dataset.is_null) return Array();
        const std::optional<Dtype> dtype = dataset.type.dtype;
        if (!dtype)
            fail<FileError>(
                "{}: '{}' has elements of a type that is not supported: {}; bool, int8 to int64, "
                "uint8 to uint64 and float16 to float64, as the standards have them, are",
                path_, key, dataset.type.description);
        const Shape shape = checked_shape(key, dataset);
        RecorderScope paused(nullptr);
        Array array = Array::empty({*dtype, shape}, cpu_device());
        if (array.size() > 0) fill(array, dataset, key);
        return array;
    }

    bool is_text(std::string_view key) const override { return is_text(open(key)); }

    std::string read_text(std::string_view key) const override {
        const DatasetHeader dataset = open(key);
        if (!is_text(dataset))
            fail<FileError>("{}: '{}' is not a string of fixed length", path_, key);
        check_storage(key, dataset, dataset.type.bytes);
        std::string text(size_t(dataset.type.bytes), '\0');
        read_elements(file_, dataset, name_of(key), text.data());
        return text.substr(0, text.find_last_not_of('\0') + 1);
    }

private:
    using Group = std::map<std::string, uint64_t, std::less<>>;

    static bool is_text(const DatasetHeader& dataset) {
        return dataset.type.is_text && dataset.sizes.empty() && !dataset.is_null;
    }
    std::string name_of(std::string_view key) const { return fmt::format("{}: '{}'", path_, key); }

    /// Visits a group once, whatever leads to it.
    void visit_group(uint64_t address, const std::vector<Message>& messages,
                     const std::string& prefix, int depth) {
        if (depth > limits_.depth)
            fail<FileError>("{}: groups are nested deeper than {}, at byte {}", path_,
                            limits_.depth, address);
        Group& group = groups_[address];
        for (auto& [name, object] : links_of(file_, messages)) {
            budget_.check_entries(++links_);
            const std::string key = prefix + name;
            group.emplace(std::move(name), object);
            if (groups_.contains(object) || headers_.contains(object)) continue;
            names_.ask(key.size(), "a name");
            std::vector<Message> found = messages_at(file_, object);
            const ObjectKind kind = kind_of(found);
            if (kind == ObjectKind::group) visit_group(object, found, key + "/", depth + 1);
            if (kind != ObjectKind::dataset) continue;
            headers_.insert(object);
            keys_.push_back(key);
        }
    }

    const uint64_t* find(std::string_view key) const {
        const uint64_t* at = nullptr;
        uint64_t group = file_.root();
        while (true) {
            const auto known = groups_.find(group);
            if (known == groups_.end()) return nullptr;
            const size_t slash = key.find('/');
            const auto found = known->second.find(key.substr(0, slash));
            if (found == known->second.end()) return nullptr;
            at = &found->second;
            if (slash == key.npos) break;
            group = *at;
            key.remove_prefix(slash + 1);
        }
        return headers_.contains(*at) ? at : nullptr;
    }

    DatasetHeader open(std::string_view key) const {
        const uint64_t* const address = find(key);
        if (!address)
            fail<FileError>("{}: there is no '{}'; {}", path_, key, nearest_key(key, keys_));
        return dataset_from(file_, messages_at(file_, *address));
    }

    Shape checked_shape(std::string_view key, const DatasetHeader& dataset) const {
        if (dataset.sizes.size() > size_t(max_rank))
            fail<FileError>("{}: '{}' has {} dimensions; at most {} are supported", path_, key,
                            dataset.sizes.size(), max_rank);
        const bool is_empty = std::ranges::find(dataset.sizes, 0u) != dataset.sizes.end();
        uint64_t bytes = dataset.type.bytes;
        Shape shape;
        for (const uint64_t size : dataset.sizes) {
            shape.push_back(int64_t(size));
            const bool fits = size <= uint64_t(std::numeric_limits<int64_t>::max()) &&
                              (is_empty || !__builtin_mul_overflow(bytes, size, &bytes));
            if (!fits || bytes > uint64_t(std::numeric_limits<int64_t>::max()) / 8)
                fail<FileError>("{}: '{}' declares more elements than fit into memory", path_, key);
        }
        if (!is_empty) check_storage(key, dataset, bytes);
        return shape;
    }

    /// Rejects data in other files, filters that are not known, and sizes that exceed the file.
    void check_storage(std::string_view key, const DatasetHeader& dataset, uint64_t bytes) const {
        if (dataset.layout == Layout::elsewhere)
            fail<FileError>("{}: '{}' is in another file; external links are not supported", path_,
                            key);
        uint64_t ratio = 1;
        for (const Filter& filter : dataset.filters) {
            if (filter.kind != Filter::deflate && filter.kind != Filter::shuffle &&
                filter.kind != Filter::fletcher)
                fail<FileError>(
                    "{}: '{}' is compressed by filter {}; deflate, shuffle and fletcher32 are "
                    "supported",
                    path_, key, filter.kind);
            if (filter.kind == Filter::deflate) ratio = largest_ratio;
        }
        const bool is_chunked = dataset.layout == Layout::chunked;
        const uint64_t chunk = is_chunked ? chunk_bytes_of(dataset) : 0;
        const auto check = [&](uint64_t stored, uint64_t room) {
            const uint64_t most = stored * ratio + (ratio > 1 ? slack : 0) + room;
            if (bytes > most || (is_chunked && chunk > most + slack))
                fail<FileError>(
                    "{}: '{}' declares {} bytes in chunks of {}, but the file contains {} for it",
                    path_, key, bytes, chunk, stored);
        };
        check(raw_.size(), unwritten);  // Before chunks are counted.
        if (is_chunked) check_chunk_count(key, dataset, bytes);
        const Stored stored = stored_of(file_, dataset);
        // The value to fill it with, where nothing is written yet.
        check(stored.bytes, stored.bytes == 0 ? unwritten : 0);
        uint64_t unpacked = 0;
        if (__builtin_mul_overflow(stored.chunks, chunk, &unpacked)) unpacked = ~uint64_t(0);
        if (asked_.emplace(key).second)
            budget_.ask(std::max({bytes, chunk, unpacked}), fmt::format("'{}'", key));
    }

    void check_chunk_count(std::string_view key, const DatasetHeader& dataset,
                           uint64_t bytes) const {
        uint64_t chunks = 1;  // As many as elements at most, which fit an int64.
        for (size_t i = 0; i < dataset.sizes.size(); ++i)
            chunks *= (dataset.sizes[i] - 1) / dataset.chunk[i] + 1;
        if (chunks > limits_.entries && chunks > bytes / small_chunk)
            fail<FileError>(
                "{}: '{}', in {} chunks, has more than the {} that are allowed of small ones; call "
                "set_file_limits() if you trust it",
                path_, key, chunks, limits_.entries);
    }

    void fill(const Array& array, const DatasetHeader& dataset, std::string_view key) const {
        const ElementType& type = dataset.type;
        const uint64_t bytes = uint64_t(array.size()) * type.bytes;
        char* const to = static_cast<char*>(array.to_fill());
        std::string apart;  // Elements that become larger ones.
        const bool becomes_larger = type.bytes < size_of(array.dtype());
        if (becomes_larger) apart = file_buffer(bytes, path_);
        char* const elements = becomes_larger ? apart.data() : to;
        read_elements(file_, dataset, name_of(key), elements);
        if (type.is_big_endian != (std::endian::native == std::endian::big))
            turn_bytes(elements, bytes, type.bytes);
        if (becomes_larger && type.bytes == 2)
            widen<uint16_t>(apart, static_cast<int32_t*>(array.to_fill()));
        else if (becomes_larger)
            widen<uint32_t>(apart, static_cast<int64_t*>(array.to_fill()));
        if (type.is_unsigned && type.bytes == 8) check_unsigned(array, key);
        settle_bools(array);
    }

    void check_unsigned(const Array& array, std::string_view key) const {
        const int64_t* const from = array.elements<int64_t>();
        for (int64_t i = 0; i < array.size(); ++i)
            if (from[i] < 0)
                fail<FileError>(
                    "{}: '{}': element {} is {}; of uint64 only what int64 can hold is read", path_,
                    key, i, uint64_t(from[i]));
    }

    std::string path_;
    FileReader raw_;
    FileNumbers file_;
    const FileLimits limits_;
    mutable FileBudget budget_;
    FileBudget names_;
    mutable std::set<std::string, std::less<>> asked_;  ///< Keys that the budget knows.
    std::vector<std::string> keys_;
    std::map<uint64_t, Group> groups_;  ///< The groups by the address of their header.
    std::set<uint64_t> headers_;        ///< The addresses of the datasets' headers.
    uint64_t links_ = 0;
};

}  // namespace
}  // namespace catena::hdf5

extern "C" catena::ArchiveReader* catena_hdf5_reader(const std::string& path) {
    return new catena::hdf5::Hdf5Reader(path);
}
