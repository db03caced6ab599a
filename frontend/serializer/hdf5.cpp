#include "frontend/serializer/hdf5.h"

#include <filesystem>

#include <dlfcn.h>

#include "frontend/serializer/hdf5_library.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/plugin/load_library.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

struct Library {
    MakeHdf5Reader* make_reader = nullptr;
    MakeHdf5Writer* make_writer = nullptr;
    std::string complaint;
};

std::filesystem::path library_path() {
    if (auto path = environment::text("CATENA_HDF5_PATH")) return *path;
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&hdf5_available), &info) || !info.dli_fname)
        return "libcatena_hdf5.so";
    return std::filesystem::path(info.dli_fname).parent_path() / "libcatena_hdf5.so";
}

Library load() {
    std::filesystem::path path = library_path();
    void* handle = load_library(path.c_str());
    if (!handle)
        return {.complaint = fmt::format(
                    "HDF5: {} cannot be loaded: {}; build with libhdf5-dev installed, or set "
                    "CATENA_HDF5_PATH to the file",
                    path.string(), dlerror())};
    Library library;
    library.make_reader = reinterpret_cast<MakeHdf5Reader*>(dlsym(handle, "catena_hdf5_reader"));
    library.make_writer = reinterpret_cast<MakeHdf5Writer*>(dlsym(handle, "catena_hdf5_writer"));
    if (!library.make_reader || !library.make_writer)
        library.complaint = fmt::format("HDF5: {} is not Catena's HDF5 library", path.string());
    return library;
}

const Library& loaded() {
    static const Library library = load();
    return library;
}

const Library& required() {
    if (!loaded().complaint.empty()) fail<FileError>("{}", loaded().complaint);
    return loaded();
}

}  // namespace

bool hdf5_available() { return loaded().complaint.empty(); }

std::unique_ptr<ArchiveReader> open_hdf5(const std::string& path) try {
    return std::unique_ptr<ArchiveReader>(required().make_reader(path));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("HDF5", path);
}

NamedArrays read_hdf5(const std::string& path) try {
    const std::unique_ptr<ArchiveReader> file = open_hdf5(path);
    NamedArrays arrays;
    for (const std::string& key : file->keys())
        if (!file->is_text(key)) arrays.emplace_back(key, file->read(key));
    return arrays;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("read_hdf5", path);
}

void save_hdf5(const std::string& path, const NamedArrays& arrays, const SaveOptions& options) try {
    std::unique_ptr<ArchiveWriter> writer(required().make_writer(path, options));
    for (const auto& [key, array] : arrays) writer->write(key, array);
    writer->finish();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_hdf5", path);
}

void save_hdf5(const std::string& path, const SerializeFunction& object,
               const SaveOptions& options) try {
    std::unique_ptr<ArchiveWriter> writer(required().make_writer(path, options));
    save_to(*writer, object);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_hdf5", path);
}

void load_hdf5(const std::string& path, const SerializeFunction& object,
               const LoadOptions& options) try {
    load_from(*open_hdf5(path), object, options);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("load_hdf5", path);
}

}  // namespace catena
