#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "frontend/hdf5/chunk_check.h"
#include "frontend/hdf5/handle.h"
#include "frontend/hdf5/structure_check.h"
#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5_library.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/graph/recorder.h"

namespace catena::hdf5 {
namespace {

/// Deflate compresses at most 1032 to 1; a larger declared ratio is rejected.
constexpr uint64_t largest_ratio = 1100, slack = 1 << 16;
/// Bytes of a dataset that need not be in the file.
constexpr uint64_t unwritten = 1 << 20;

class Hdf5Reader final : public ArchiveReader {
public:
    explicit Hdf5Reader(const std::string& path)
        : path_(path),
          raw_(path),  // With the system's reason when it cannot be read.
          budget_(path, raw_.size()) {
        Lock lock;
        if (H5Fis_hdf5(path.c_str()) <= 0) fail<FileError>("{}: is not an HDF5 file", path);
        file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
        if (!file_.valid()) fail<FileError>("{}: is damaged or incomplete: {}", path, last_error());
        const Handle made(H5Fget_create_plist(file_), H5Pclose);
        hsize_t base = 0;
        if (!made.valid() ||
            H5Pget_sizes(made, &format_.address_bytes, &format_.length_bytes) < 0 ||
            H5Pget_userblock(made, &base) < 0)
            fail<FileError>("{}: is damaged or incomplete: {}", path, last_error());
        format_.base = base;
        const std::optional<H5O_info_t> root = info_of("/");
        if (!root) fail<FileError>("{}: is damaged or incomplete: {}", path, last_error());
        check_structure(raw_, format_, root->addr);
    }
    ~Hdf5Reader() override {
        Lock lock;
        file_ = Handle();
    }

    const std::string& path() const override { return path_; }

    std::vector<std::string> keys() const override {
        Lock lock;
        std::vector<std::string> found;
        auto add = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
            if (info->type == H5O_TYPE_DATASET)
                static_cast<std::vector<std::string>*>(list)->push_back(name);
            return 0;
        };
        if (H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_NATIVE, add, &found, H5O_INFO_BASIC) < 0)
            fail<FileError>("{}: its list of contents is damaged: {}", path_, last_error());
        budget_.check_entries(found.size());
        return found;
    }

    bool contains(std::string_view key) const override {
        Lock lock;
        std::string name(key);
        if (std::ranges::count(name, '/') > file_limits().depth) return false;
        for (size_t slash = name.find('/');; slash = name.find('/', slash + 1)) {
            std::string part = name.substr(0, slash);
            H5L_info_t link;
            // Soft and external links may refer to anything.
            if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0 ||
                H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT) < 0 ||
                link.type != H5L_TYPE_HARD)
                return false;
            if (slash == std::string::npos) break;
        }
        const std::optional<H5O_info_t> info = info_of(name);
        return info && info->type == H5O_TYPE_DATASET;
    }

    Array read(std::string_view key) const override {
        Lock lock;
        Handle dataset = open(key), space(H5Dget_space(dataset), H5Sclose),
               type(H5Dget_type(dataset), H5Tclose);
        check(space.valid() && type.valid(), key);
        H5S_class_t kind = H5Sget_simple_extent_type(space);
        if (kind == H5S_NULL) return Array();
        std::optional<Dtype> dtype = dtype_of(type);
        if (!dtype)
            fail<FileError>(
                "{}: '{}' has elements of a type that is not supported: {}; bool, int8 to int64, "
                "uint8 to uint64 and float16 to float64, as the standards have them, are",
                path_, key, description_of(type));
        Shape shape = checked_shape(key, dataset, space, H5Tget_size(type));
        RecorderScope paused(nullptr);
        Array array = Array::empty({*dtype, shape}, cpu_device());
        if (array.size() == 0) return array;
        if (counted_.emplace(key).second)
            ask_for_chunks(key, dataset, space, uint64_t(array.size()) * size_of(*dtype));
        check_chunk_contents(dataset, raw_.size(), fmt::format("{}: '{}'", path_, key));
        const bool as_it_is = H5Tget_class(type) == H5T_ENUM;
        const Handle memory = as_it_is          ? Handle(H5Tcopy(type), H5Tclose)
                              : is_uint64(type) ? Handle(H5Tcopy(H5T_STD_U64LE), H5Tclose)
                                                : type_of(*dtype);
        check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.to_fill()) >= 0, key);
        if (is_uint64(type)) check_unsigned(array, key);
        if (*dtype == Dtype::bool_)
            for (char *x = static_cast<char*>(array.to_fill()), *end = x + array.size(); x < end;
                 ++x)
                *x = *x != 0;
        return array;
    }

    bool is_text(std::string_view key) const override {
        Lock lock;
        const Handle dataset = open(key), space(H5Dget_space(dataset), H5Sclose),
                     type(H5Dget_type(dataset), H5Tclose);
        check(space.valid() && type.valid(), key);
        return is_text(space, type);
    }

    std::string read_text(std::string_view key) const override {
        Lock lock;
        Handle dataset = open(key), space(H5Dget_space(dataset), H5Sclose),
               type(H5Dget_type(dataset), H5Tclose);
        check(space.valid() && type.valid(), key);
        if (!is_text(space, type))
            fail<FileError>("{}: '{}' is not a string of fixed length", path_, key);
        check_storage(key, dataset, H5Tget_size(type));
        std::string text(H5Tget_size(type), '\0');
        check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0, key);
        return text.substr(0, text.find_last_not_of('\0') + 1);
    }

private:
    void check(bool good, std::string_view key) const {
        if (!good) fail<FileError>("{}: '{}' cannot be read: {}", path_, key, last_error());
    }

    static bool is_text(const Handle& space, const Handle& type) {
        return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0 &&
               H5Sget_simple_extent_type(space) == H5S_SCALAR;
    }

    void check_unsigned(const Array& array, std::string_view key) const {
        const int64_t* const from = array.elements<int64_t>();
        for (int64_t i = 0; i < array.size(); ++i)
            if (from[i] < 0)
                fail<FileError>(
                    "{}: '{}': element {} is {}; of uint64 only what int64 can hold is read", path_,
                    key, i, uint64_t(from[i]));
    }

    /// What the library has in memory for each chunk while it reads, beyond the elements' own
    /// `bytes`: a file of a few bytes can have millions of chunks.
    void ask_for_chunks(std::string_view key, const Handle& dataset, const Handle& space,
                        uint64_t bytes) const {
        constexpr uint64_t bytes_a_chunk = 4096;
        const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
        if (H5Pget_layout(properties) != H5D_CHUNKED) return;
        hsize_t sizes[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
        const int rank = H5Sget_simple_extent_dims(space, sizes, nullptr);
        uint64_t chunks = 1;
        if (H5Pget_chunk(properties, H5S_MAX_RANK, chunk) == rank)
            for (int i = 0; i < rank; ++i)  // As many as elements at most, which fit an int64.
                chunks *= (sizes[i] + chunk[i] - 1) / chunk[i];
        const uint64_t taken = std::min(chunks, ~uint64_t(0) / bytes_a_chunk) * bytes_a_chunk;
        if (taken > bytes)
            budget_.ask(taken - bytes, fmt::format("'{}', in {} chunks,", key, chunks));
    }

    /// Checks that do not depend on the storage layout.
    std::optional<H5O_info_t> info_of(const std::string& name) const {
        H5O_info_t info;
        if (H5Oget_info_by_name2(file_, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
            return std::nullopt;
        return info;
    }

    Handle open(std::string_view key) const {
        if (!contains(key))
            fail<FileError>("{}: there is no '{}'; {}", path_, key, nearest_key(key, keys()));
        Handle dataset(H5Dopen2(file_, std::string(key).c_str(), H5P_DEFAULT), H5Dclose);
        check(dataset.valid(), key);
        return dataset;
    }

    Shape checked_shape(std::string_view key, const Handle& dataset, const Handle& space,
                        size_t element) const {
        int rank = H5Sget_simple_extent_ndims(space);
        if (rank < 0 || rank > max_rank)
            fail<FileError>("{}: '{}' has {} dimensions; at most {} are supported", path_, key,
                            rank, max_rank);
        std::vector<hsize_t> dims(static_cast<size_t>(rank));
        check(H5Sget_simple_extent_dims(space, dims.data(), nullptr) == rank, key);
        Shape shape;
        uint64_t bytes = element;
        bool empty = std::find(dims.begin(), dims.end(), 0u) != dims.end();
        for (hsize_t d : dims) {
            shape.push_back(int64_t(d));
            if (!empty && (__builtin_mul_overflow(bytes, uint64_t(d), &bytes) ||
                           bytes > uint64_t(std::numeric_limits<int64_t>::max()) / 8))
                fail<FileError>("{}: '{}' declares more elements than fit into memory", path_, key);
        }
        if (!empty) check_storage(key, dataset, bytes);
        return shape;
    }

    /// Rejects sizes that exceed the file, data in other files, and filters that are not built into
    /// the library.
    void check_storage(std::string_view key, const Handle& dataset, uint64_t bytes) const {
        Handle properties(H5Dget_create_plist(dataset), H5Pclose);
        check(properties.valid(), key);
        H5D_layout_t layout = H5Pget_layout(properties);
        uint64_t stored = std::min<uint64_t>(H5Dget_storage_size(dataset), raw_.size()),
                 most = stored;
        bool in_file =
            (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
            H5Pget_external_count(properties) <= 0;
        if (!in_file)
            fail<FileError>("{}: '{}' is in another file; external links are not supported", path_,
                            key);
        uint64_t chunk = 0;
        if (layout == H5D_CHUNKED) {
            bool packed = false;
            for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
                H5Z_filter_t filter = filter_of(properties, unsigned(i));
                if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
                    filter != H5Z_FILTER_FLETCHER32)
                    fail<FileError>(
                        "{}: '{}' is compressed by filter {}; deflate, shuffle and fletcher32 are "
                        "supported",
                        path_, key, int(filter));
                packed |= filter == H5Z_FILTER_DEFLATE;
            }
            hsize_t dims[H5S_MAX_RANK];
            int rank = H5Pget_chunk(properties, H5S_MAX_RANK, dims);
            Handle type(H5Dget_type(dataset), H5Tclose);
            chunk = H5Tget_size(type);
            for (int i = 0; i < rank; ++i)
                if (__builtin_mul_overflow(chunk, uint64_t(dims[i]), &chunk)) chunk = ~uint64_t(0);
            if (packed) most = stored * largest_ratio + slack;
        }
        // The value to fill it with, where nothing is written yet.
        if (H5Dget_storage_size(dataset) == 0) most += unwritten;
        if (bytes > most || (layout == H5D_CHUNKED && chunk > most + slack))
            fail<FileError>(
                "{}: '{}' declares {} bytes in chunks of {}, but the file contains {} for it",
                path_, key, bytes, chunk, stored);
        if (asked_.emplace(key).second)
            budget_.ask(std::max(bytes, chunk), fmt::format("'{}'", key));
    }

    static H5Z_filter_t filter_of(const Handle& properties, unsigned index) {
        unsigned flags = 0, config = 0;
        size_t values = 0;
        char name[1];
        return H5Pget_filter2(properties, index, &flags, &values, nullptr, sizeof name, name,
                              &config);
    }

    std::string path_;
    FileReader raw_;  ///< For what is looked at before the library sees it.
    FileFormat format_;
    mutable FileBudget budget_;
    mutable std::set<std::string, std::less<>> asked_, counted_;  ///< Keys, or the chunks of keys,
                                                                  ///< that the budget knows.
    Handle file_;
};

}  // namespace
}  // namespace catena::hdf5

extern "C" catena::ArchiveReader* catena_hdf5_reader(const std::string& path) {
    return new catena::hdf5::Hdf5Reader(path);
}
