#pragma once

#include <filesystem>
#include <string>

namespace catena {

/// A file that is being written to a temporary name; keep() gives it its own name once it is whole.
class CachedFile {
public:
    /// Prepares the file and creates its folder; FileError when it cannot.
    explicit CachedFile(std::filesystem::path path);
    ~CachedFile();  ///< Removes the temporary file if keep() was not called.
    CachedFile(const CachedFile&) = delete;
    std::string temporary() const { return (folder_ / path_.filename()).string(); }
    void keep();  ///< Gives the file its name; FileError when nothing was written to temporary().

private:
    std::filesystem::path path_, folder_;
};

/// The content of a cached file, Chainer's cache_or_load_file: loader(path) if the file exists;
/// else creator(temporary path), which writes the file there and returns its content. Several
/// threads and processes may make the same file at once.
///
///     auto vocabulary = ct::cache_or_load_file(path, make_vocabulary, read_vocabulary);
template <class Create, class Load>
auto cache_or_load_file(const std::filesystem::path& path, Create&& creator, Load&& loader) {
    if (std::filesystem::exists(path)) return loader(path.string());
    CachedFile file(path);
    auto content = creator(file.temporary());
    file.keep();
    return content;
}

}  // namespace catena
