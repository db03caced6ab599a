#pragma once

#include <filesystem>
#include <string>

namespace catena {

/// A file that is being made: under its name only once it is whole.
class CachedFile {
public:
    explicit CachedFile(
        std::filesystem::path path);  ///< Creates its folder; FileError when it cannot.
    ~CachedFile();                    ///< Removes what was not kept.
    CachedFile(const CachedFile&) = delete;
    std::string temporary() const { return (folder_ / path_.filename()).string(); }
    void keep();  ///< FileError when nothing was written to temporary().

private:
    std::filesystem::path path_, folder_;
};

/// Chainer's cache_or_load_file: loader(path) if the file exists; else creator(temporary path),
/// which writes the file there and returns its content. Several threads and processes may make the
/// same file at once.
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
