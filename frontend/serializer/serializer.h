#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/dtype/dtype.h"

namespace catena {

class ArchiveReader;
class ArchiveWriter;
class State;

/// Options of saving.
struct SaveOptions {
    /// Whether values are compressed: by DEFLATE, as numpy.savez_compressed; in HDF5 at level 4, as
    /// Chainer.
    bool compression = true;
};

/// Options of loading.
struct LoadOptions {
    /// Prefix of the keys to load, "updater/model:main" of a Chainer snapshot.
    std::string path = {};
    bool strict = true;  ///< Whether a missing key is an error; false: its value is unchanged.
    std::vector<std::string> ignore_names = {};  ///< Keys that are skipped.
    /// A function that returns true for keys to be skipped; it gets them without `path`.
    std::function<bool(std::string_view key)> ignore = {};
};

/// Saves or loads an object under a prefix of keys in a file. As in Chainer, one function does
/// both, and its keys are those of the file:
///
///     void serialize(const ct::Serializer& s) {
///         s("iteration", iteration_);
///         optimizer_.serialize(s["optimizer"]);
///     }
///
/// While loading, nothing changes until the whole file has been validated: s(key, value) checks at
/// once and sets later.
class Serializer {
public:
    /// Whether the serializer loads; else it saves.
    bool loading() const;
    /// The serializer of a part: "updater" of "updater/iteration".
    Serializer operator[](std::string_view key) const;
    /// Whether a key exists, for keys that other programs' files lack. While saving it is true.
    bool has(std::string_view key) const;

    /// Saves or loads a number, which is an int64 in the file.
    void operator()(std::string_view key, int64_t& value) const;
    /// Saves or loads a number, which is an int64 in the file.
    void operator()(std::string_view key, int& value) const;
    void operator()(std::string_view key, float& value) const;
    /// Saves or loads a number; integers in the file are accepted, too.
    void operator()(std::string_view key, double& value) const;
    /// Saves or loads a number that may be missing; no value is stored as None.
    void operator()(std::string_view key, std::optional<double>& value) const;
    void operator()(std::string_view key, bool& value) const;
    void operator()(std::string_view key, std::string& value) const;
    void operator()(std::string_view key, std::vector<int64_t>& values) const;
    void operator()(std::string_view key, std::vector<double>& values) const;
    void operator()(std::string_view key, std::vector<float>& values) const;
    /// Saves or loads an array of any shape; an undefined one is stored as None. A defined one
    /// keeps its dtype and device when it is loaded.
    void operator()(std::string_view key, Array& value) const;
    /// Saves or loads a state. `dtype` is the one it has when initialised. An uninitialised state
    /// is stored as None, and gets the file's shape.
    void operator()(std::string_view key, State& state, Dtype dtype) const;

    /// The value in the file, for further checks while loading; `otherwise` if read() is undefined.
    int64_t get(std::string_view key, int64_t otherwise) const;
    double get(std::string_view key, double otherwise) const;
    bool get(std::string_view key, bool otherwise) const;
    std::vector<int64_t> get(std::string_view key, const std::vector<int64_t>& otherwise) const;
    std::vector<double> get(std::string_view key, const std::vector<double>& otherwise) const;

    /// Writes an array; an undefined one is stored as None.
    void write(std::string_view key, const Array& array) const;
    void write(std::string_view key, std::string_view text) const;
    /// The array in the file. Undefined for None, for a missing key if options.strict is false, and
    /// for an ignored key.
    Array read(std::string_view key) const;
    /// The text in the file; "" where read() would be undefined.
    std::string read_text(std::string_view key) const;
    /// `array` as `dtype`. FileError if that would lose its kind: from float to integer.
    Array converted(std::string_view key, const Array& array, Dtype dtype) const;
    /// Defers a change until the file has been validated.
    void later(std::function<void()> change) const;
    /// Throws the FileError "FILE: 'KEY' PROBLEM".
    [[noreturn]] void wrong(std::string_view key, const std::string& problem) const;

private:
    struct Session;
    Serializer(Session* session, std::string prefix)
        : session_(session), prefix_(std::move(prefix)) {}
    std::string full(std::string_view key) const;
    bool wanted(const std::string& key) const;
    friend void save_to(ArchiveWriter& writer,
                        const std::function<void(const Serializer&)>& object);
    friend void load_from(const ArchiveReader& reader,
                          const std::function<void(const Serializer&)>& object,
                          const LoadOptions& options);

    Session* session_;
    std::string prefix_;  ///< The beginning of all keys: "" or a path that ends in '/'.
};

/// A function that saves or loads an object by a Serializer.
using SerializeFunction = std::function<void(const Serializer&)>;
/// Types that can be saved and loaded: links, optimizers, iterators, updaters, trainers, and your
/// own classes.
template <class T>
concept Serializable = requires(T& object, const Serializer& s) { object.serialize(s); };

/// A function that calls object.serialize; links are told their size, to find members that are not
/// listed.
template <Serializable T>
SerializeFunction serialize_function(T& object) {
    if constexpr (requires { object.know_size(sizeof(T)); }) object.know_size(sizeof(T));
    return [&object](const Serializer& s) { object.serialize(s); };
}

/// Writes an object and finishes the file.
void save_to(ArchiveWriter& writer, const SerializeFunction& object);
/// Reads an object; changes it only after everything has been validated.
void load_from(const ArchiveReader& reader, const SerializeFunction& object,
               const LoadOptions& options);

}  // namespace catena
