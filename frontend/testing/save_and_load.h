#pragma once

#include <string>

#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"

namespace catena {

/// A file name in the system's folder for temporary files, of a file that is removed with this
/// object.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& suffix);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Saves `from` and loads `to` from the file: a test of what a class of links, optimizers or
/// trainers serializes.
template <Serializable T>
void save_and_load_npz(T& from, T& to) {
    const TemporaryFile file(".npz");
    save_npz(file.path(), from);
    load_npz(file.path(), to);
}
template <Serializable T>
void save_and_load_hdf5(T& from, T& to) {
    const TemporaryFile file(".h5");
    save_hdf5(file.path(), from);
    load_hdf5(file.path(), to);
}
template <Serializable T>
void save_and_load(T& from, T& to) {
    save_and_load_npz(from, to);
}

}  // namespace catena
