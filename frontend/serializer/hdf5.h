#pragma once

#include <memory>
#include <string>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/named_arrays.h"
#include "frontend/serializer/serializer.h"

namespace catena {

// HDF5 support is in libcatena_hdf5, which is loaded with the first file: other programs do not
// need the library. FileError, naming the package to install, if it is missing.

/// True when HDF5 files can be read and written.
bool hdf5_available();
/// A file open for reading; FileError when it cannot be.
std::unique_ptr<ArchiveReader> open_hdf5(const std::string& path);

/// Reads all arrays of a file; texts are left out.
NamedArrays read_hdf5(const std::string& path);
/// Saves arrays in a file that h5py reads, as datasets under their names. The file is replaced
/// atomically.
void save_hdf5(const std::string& path, const NamedArrays& arrays, const SaveOptions& options = {});

/// Saves what a function writes.
void save_hdf5(const std::string& path, const SerializeFunction& object,
               const SaveOptions& options = {});
/// Loads what a function reads.
void load_hdf5(const std::string& path, const SerializeFunction& object,
               const LoadOptions& options = {});

/// Saves or loads an object, as save_npz and load_npz do, with Chainer's keys as groups and
/// datasets. None is stored as an empty dataset; texts are UTF-8.
template <Serializable T>
void save_hdf5(const std::string& path, T& object, const SaveOptions& options = {}) {
    save_hdf5(path, serialize_function(object), options);
}
/// Loads an object, as load_npz.
template <Serializable T>
void load_hdf5(const std::string& path, T& object, const LoadOptions& options = {}) {
    load_hdf5(path, serialize_function(object), options);
}

}  // namespace catena
