#include <algorithm>
#include <atomic>
#include <vector>

#include "frontend/hdf5/checksum.h"
#include "frontend/hdf5/handle.h"
#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5_library.h"
#include "frontend/serializer/serializer.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"

namespace catena::hdf5 {
namespace {

constexpr unsigned compression_level = 4;  // As Chainer's.
constexpr hsize_t chunk_bytes = 1 << 20;

/// Builds the file in memory and writes it as a whole, so that AtomicFile handles a full disk.
class Hdf5Writer final : public ArchiveWriter {
public:
    Hdf5Writer(const std::string& path, const SaveOptions& options)
        : path_(path), options_(options), output_(path) {
        Lock lock;
        Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        check(access, "cannot create a file in memory");
        check(H5Pset_fapl_core(access, chunk_bytes, false), "cannot create a file in memory");
        // From this version on all headers, names and places of chunks have checksums: a bit that
        // changes is noticed. HDF5 1.10 or later reads it.
        check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110),
              "cannot create a file in memory");
        static std::atomic<uint64_t> images{0};  // The library identifies files in memory by name.
        std::string name = fmt::format("catena-image-{}", images++);
        file_ = Handle(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
        check(file_, "cannot create a file in memory");
        groups_ = Handle(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
        check(groups_, "cannot create groups");
        check(H5Pset_create_intermediate_group(groups_, 1), "cannot create groups");
    }
    ~Hdf5Writer() override {
        Lock lock;
        groups_ = Handle();
        file_ = Handle();
    }

    void write(const std::string& key, const Array& array) override {
        Lock lock;
        if (!array.defined()) {  // As h5py.Empty('f').
            add(key, type_of(Dtype::float32), Handle(H5Screate(H5S_NULL), H5Sclose), Handle(),
                nullptr);
            return;
        }
        Array host = array.to(cpu_device()).as_contiguous();
        if (host.dtype() == Dtype::bfloat16) host = host.astype(Dtype::float32);
        std::vector<hsize_t> dims(host.shape().begin(), host.shape().end());
        Handle space(dims.empty() ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(int(dims.size()), dims.data(), nullptr),
                     H5Sclose);
        add(key, type_of(host.dtype()), space, in_chunks(dims, host),
            host.size() > 0 ? host.elements() : nullptr);
    }

    void write_text(const std::string& key, std::string_view text) override {
        Lock lock;
        Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
        check(type, "a text cannot be written");
        check(H5Tset_size(type, std::max<size_t>(text.size(), 1)), "a text cannot be written");
        check(H5Tset_strpad(type, H5T_STR_NULLPAD), "a text cannot be written");
        check(H5Tset_cset(type, H5T_CSET_UTF8), "a text cannot be written");
        std::string padded(text.empty() ? std::string_view("\0", 1) : text);
        add(key, type, Handle(H5Screate(H5S_SCALAR), H5Sclose), Handle(), padded.data());
    }

    void finish() override {
        Lock lock;
        check(H5Fflush(file_, H5F_SCOPE_LOCAL), "the file cannot be completed");
        ssize_t bytes = H5Fget_file_image(file_, nullptr, 0);
        check(hid_t(bytes), "the file cannot be completed");
        std::vector<char> image(static_cast<size_t>(bytes));
        check(hid_t(H5Fget_file_image(file_, image.data(), image.size())),
              "the file cannot be completed");
        put_checksum(image);
        output_.write(image.data(), image.size());
        output_.commit();
    }

private:
    /// Writes the checksum of the superblock, which libhdf5 changes in an image after it has summed
    /// it up.
    static void put_checksum(std::vector<char>& image) {
        constexpr size_t summed = 12 + 4 * 8;
        const uint32_t sum = metadata_checksum({image.data(), summed});
        for (size_t i = 0; i < 4; ++i) image[summed + i] = char(sum >> 8 * i);
    }

    void check(hid_t result, const std::string& problem) const {
        if (result < 0) fail<FileError>("{}: {}: {}", path_, problem, last_error());
    }

    /// Chunks with a checksum, which is a part of deflate's format. Neither for a single number: it
    /// would take a hundred times its bytes.
    Handle in_chunks(const std::vector<hsize_t>& dims, const Array& array) const {
        if (array.size() <= 1) return Handle();
        Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        check(properties, "an array cannot be divided into chunks");
        const std::vector<hsize_t> chunk = chunk_of(dims, size_of(array.dtype()));
        check(H5Pset_chunk(properties, int(chunk.size()), chunk.data()),
              "an array cannot be divided into chunks");
        check(options_.compression ? H5Pset_deflate(properties, compression_level)
                                   : H5Pset_fletcher32(properties),
              "an array cannot have checksums");
        return properties;
    }

    /// The size of a chunk: whole rows, about a megabyte of them; at least one element.
    static std::vector<hsize_t> chunk_of(std::vector<hsize_t> dims, hsize_t element) {
        for (hsize_t& dim : dims) {
            hsize_t bytes = element;
            for (hsize_t d : dims) bytes *= d;
            if (bytes <= chunk_bytes) break;
            dim = std::max<hsize_t>(1, dim * chunk_bytes / bytes);
        }
        return dims;
    }

    void add(const std::string& key, const Handle& type, const Handle& space,
             const Handle& properties, const void* elements) {
        Handle dataset(
            H5Dcreate2(file_, key.c_str(), type, space, groups_,
                       properties.valid() ? hid_t(properties) : H5P_DEFAULT, H5P_DEFAULT),
            H5Dclose);
        check(dataset, fmt::format("'{}' cannot be written", key));
        if (elements)
            check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements),
                  fmt::format("'{}' cannot be written", key));
    }

    std::string path_;
    SaveOptions options_;
    AtomicFile output_;
    Handle file_, groups_;
};

}  // namespace
}  // namespace catena::hdf5

extern "C" catena::ArchiveWriter* catena_hdf5_writer(const std::string& path,
                                                     const catena::SaveOptions& options) {
    return new catena::hdf5::Hdf5Writer(path, options);
}
