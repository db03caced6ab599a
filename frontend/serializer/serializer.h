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

struct SaveOptions {
    bool compression =
        true;  ///< DEFLATE, as numpy.savez_compressed; level 4 in HDF5, as Chainer's.
};

struct LoadOptions {
    std::string path =
        {};  ///< Prefix of the keys to load, "updater/model:main" of a Chainer snapshot.
    bool strict = true;  ///< A missing key is an error; false: its value is unchanged.
    std::vector<std::string> ignore_names = {};  ///< Keys that are skipped.
    std::function<bool(std::string_view key)> ignore =
        {};  ///< Keys for which it is true are skipped, too; without `path`.
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
    bool loading() const;
    /// The serializer of a part: "updater" of "updater/iteration".
    Serializer operator[](std::string_view key) const;
    /// Saving: true. Loading: the file has the key; for keys that other programs' files lack.
    bool has(std::string_view key) const;

    void operator()(std::string_view key, int64_t& value) const;
    void operator()(std::string_view key, int& value) const;  ///< An int64 in the file.
    void operator()(std::string_view key, float& value) const;
    void operator()(std::string_view key, double& value) const;  ///< Integers are accepted, too.
    void operator()(std::string_view key,
                    std::optional<double>& value) const;  ///< No value is None.
    void operator()(std::string_view key, bool& value) const;
    void operator()(std::string_view key, std::string& value) const;
    void operator()(std::string_view key, std::vector<int64_t>& values) const;
    void operator()(std::string_view key, std::vector<double>& values) const;
    void operator()(std::string_view key, std::vector<float>& values) const;
    /// Any shape; undefined is None. Of a defined array the dtype and the device stay.
    void operator()(std::string_view key, Array& value) const;
    /// `dtype` is that of the state when initialised. Uninitialised states are None, and get the
    /// file's shape.
    void operator()(std::string_view key, State& state, Dtype dtype) const;

    /// While loading: the value, for further checks; `otherwise` if read() is undefined.
    int64_t get(std::string_view key, int64_t otherwise) const;
    double get(std::string_view key, double otherwise) const;
    bool get(std::string_view key, bool otherwise) const;
    std::vector<int64_t> get(std::string_view key, const std::vector<int64_t>& otherwise) const;
    std::vector<double> get(std::string_view key, const std::vector<double>& otherwise) const;

    void write(std::string_view key, const Array& array) const;  ///< Undefined: None.
    void write(std::string_view key, std::string_view text) const;
    /// Undefined: None; or there is no such key and options.strict is false; or the key is ignored.
    Array read(std::string_view key) const;
    std::string read_text(std::string_view key) const;  ///< "" where read() is undefined.
    /// FileError unless `array` can become `dtype` without loss of kind: not from float to integer.
    Array converted(std::string_view key, const Array& array, Dtype dtype) const;
    /// Defers a change until the file has been validated.
    void later(std::function<void()> change) const;
    /// FileError: "FILE: 'KEY' PROBLEM".
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
    std::string prefix_;  ///< "" or ending in '/'.
};

using SerializeFunction = std::function<void(const Serializer&)>;
/// Types that can be saved and loaded: links, optimizers, iterators, updaters, trainers, and your
/// own classes.
template <class T>
concept Serializable = requires(T& object, const Serializer& s) { object.serialize(s); };

/// object.serialize; links are told their size, to find members that are not listed.
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
