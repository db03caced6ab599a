#include "frontend/serializer/npz.h"

#include <istream>
#include <iterator>
#include <ostream>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/npy.h"
#include "runtime/file/zip_writer.h"

namespace catena {
namespace {

constexpr std::string_view suffix = ".npy";

class NpzWriter final : public ArchiveWriter {
public:
    NpzWriter(const std::string& path, const SaveOptions& options)
        : zip_(path), options_(options) {}
    NpzWriter(std::ostream& stream, const SaveOptions& options)
        : zip_([&stream](const void* from, size_t bytes) {
              if (!stream.write(static_cast<const char*>(from), std::streamsize(bytes)))
                  fail<FileError>("save_npz: the stream takes no more bytes");
          }),
          options_(options) {}
    void write(const std::string& key, const Array& array) override {
        add(key, [&](const ByteSink& sink) { write_npy(array, sink); });
    }
    void write_text(const std::string& key, std::string_view text) override {
        add(key, [&](const ByteSink& sink) { write_npy_text(text, sink); });
    }
    void finish() override { zip_.finish(); }

private:
    template <class Write>
    void add(const std::string& key, const Write& write) {
        zip_.begin(key + std::string(suffix), options_.compression);
        write([&](const void* from, size_t bytes) { zip_.write(from, bytes); });
        zip_.end();
    }
    ZipWriter zip_;
    SaveOptions options_;
};

void write_all(NpzWriter& writer, const NamedArrays& arrays) {
    for (const auto& [key, array] : arrays) writer.write(key, array);
    writer.finish();
}

std::string content_of(std::istream& stream, const std::string& name) {
    std::string content(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) fail<FileError>("{}: reading from the stream failed", name);
    return content;
}

}  // namespace

NpzFile::NpzFile(const std::string& path) : zip_(path) { check_others(); }
NpzFile::NpzFile(std::istream& stream, const std::string& name)
    : zip_(name, content_of(stream, name)) {
    check_others();
}

// An entry that is no array by its name in the directory may be one whose name is damaged there.
void NpzFile::check_others() const {
    for (const ZipEntry& entry : zip_.entries())
        if (!entry.name.ends_with(suffix)) zip_.open(entry);
}

std::vector<std::string> NpzFile::keys() const {
    std::vector<std::string> keys;
    for (const ZipEntry& entry : zip_.entries())
        if (entry.name.ends_with(suffix))
            keys.push_back(entry.name.substr(0, entry.name.size() - suffix.size()));
    return keys;
}

const ZipEntry* NpzFile::find(std::string_view key) const {
    for (const ZipEntry& entry : zip_.entries())
        if (entry.name.size() == key.size() + suffix.size() && entry.name.starts_with(key) &&
            entry.name.ends_with(suffix))
            return &entry;
    return nullptr;
}

std::unique_ptr<ByteSource> NpzFile::open(std::string_view key) const {
    const ZipEntry* entry = find(key);
    if (!entry) fail<FileError>("{}: there is no '{}'; {}", path(), key, nearest_key(key, keys()));
    return zip_.open(*entry);
}

Array NpzFile::read(std::string_view key) const {
    std::unique_ptr<ByteSource> source = open(key);
    Array array = read_npy(*source);
    if (array.defined() && source->remaining() > 0)
        fail<FileError>("{}: {} bytes follow the last element at byte {}", source->name(),
                        source->remaining(), source->offset());
    return array;
}

bool NpzFile::is_text(std::string_view key) const { return read_npy_header(*open(key)).is_text(); }

std::string NpzFile::read_text(std::string_view key) const { return read_npy_text(*open(key)); }

NamedArrays read_npz(const std::string& path) try {
    NpzFile file(path);
    NamedArrays arrays;
    for (const std::string& key : file.keys()) arrays.emplace_back(key, file.read(key));
    return arrays;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("read_npz", path);
}

void save_npz(const std::string& path, const NamedArrays& arrays, const SaveOptions& options) try {
    NpzWriter writer(path, options);
    write_all(writer, arrays);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_npz", path);
}

void save_npz(const std::string& path, const SerializeFunction& object,
              const SaveOptions& options) try {
    NpzWriter writer(path, options);
    save_to(writer, object);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_npz", path);
}

void load_npz(const std::string& path, const SerializeFunction& object,
              const LoadOptions& options) try {
    load_from(NpzFile(path), object, options);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("load_npz", path);
}

void save_npz(std::ostream& stream, const NamedArrays& arrays, const SaveOptions& options) try {
    NpzWriter writer(stream, options);
    write_all(writer, arrays);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_npz");
}

void save_npz(std::ostream& stream, const SerializeFunction& object,
              const SaveOptions& options) try {
    NpzWriter writer(stream, options);
    save_to(writer, object);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("save_npz");
}

void load_npz(std::istream& stream, const SerializeFunction& object,
              const LoadOptions& options) try {
    load_from(NpzFile(stream), object, options);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("load_npz");
}

}  // namespace catena
