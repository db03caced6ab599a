#include "runtime/program/file/package.h"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/file/npy.h"
#include "runtime/file/zip_reader.h"
#include "runtime/file/zip_writer.h"

namespace catena::program {

namespace {

using Json = nlohmann::json;

constexpr const char* format_name = "catena program";

std::string read_text(const ZipReader& zip, const ZipEntry& entry) {
    std::string text = file_buffer(entry.bytes, zip.path() + "(" + entry.name + ")");
    zip.open(entry)->read(text.data(), text.size());
    return text;
}

const ZipEntry* find_entry(const ZipReader& zip, const std::string& name) {
    auto found = std::find_if(zip.entries().begin(), zip.entries().end(),
                              [&](const ZipEntry& entry) { return entry.name == name; });
    return found == zip.entries().end() ? nullptr : &*found;
}

Json read_manifest(const ZipReader& zip) {
    const ZipEntry* entry = find_entry(zip, "manifest.json");
    if (!entry)
        fail<FileError>("{}: is not a program package: it has no manifest.json", zip.path());
    const std::string text = read_text(zip, *entry);
    check_json(text, zip.path() + "(manifest.json)");
    Json manifest = Json::parse(text, nullptr, false);
    if (!manifest.is_object() || manifest.value("format", "") != format_name)
        fail<FileError>("{}: is not a program package: its manifest does not name it one",
                        zip.path());
    const int version = manifest.value("version", 0);
    if (version > package_version)
        fail<FileError>(
            "{}: was written by a newer Catena ({}): it is of version {}, this one reads up to {}",
            zip.path(), manifest.value("written_by", "unknown"), version, package_version);
    if (version < 1) fail<FileError>("{}: has the invalid version {}", zip.path(), version);
    if (version < package_version)
        fail<FileError>(
            "{}: was written by an older Catena ({}): it is of version {}, this one reads {}; save "
            "it again",
            zip.path(), manifest.value("written_by", "unknown"), version, package_version);
    return manifest;
}

/// The archive has what the manifest lists and nothing else.
void check_entries(const ZipReader& zip, const Json& listed) {
    if (!listed.is_object()) fail<FileError>("{}: the manifest lists no entries", zip.path());
    if (zip.entries().size() != listed.size() + 1)
        fail<FileError>("{}: has {} entries, the manifest lists {}", zip.path(),
                        zip.entries().size() - 1, listed.size());
    for (const auto& [name, sum] : listed.items()) {
        const ZipEntry* entry = find_entry(zip, name);
        if (!entry) fail<FileError>("{}: entry '{}' is missing", zip.path(), name);
        if (sum.value("bytes", uint64_t(0)) != entry->bytes ||
            sum.value("crc32", uint32_t(0)) != entry->crc)
            fail<FileError>(
                "{}: entry '{}' does not match the manifest (checksum {:08x}, not {:08x})",
                zip.path(), name, entry->crc, sum.value("crc32", uint32_t(0)));
    }
}

std::string npy_text(const Array& array) {
    std::string text;
    write_npy(array, [&](const void* from, size_t bytes) {
        text.append(static_cast<const char*>(from), bytes);
    });
    return text;
}

/// One entry; what the manifest says of it.
Json write_entry(ZipWriter& zip, const std::string& name, const std::string& content,
                 bool compressed) {
    zip.begin(name, compressed);
    zip.write(content.data(), content.size());
    zip.end();
    uLong crc = crc32(0, nullptr, 0);
    for (size_t at = 0; at < content.size(); at += size_t(1) << 30)
        crc = crc32(crc, reinterpret_cast<const Bytef*>(content.data()) + at,
                    uInt(std::min(content.size() - at, size_t(1) << 30)));
    return {{"bytes", content.size()}, {"crc32", uint32_t(crc)}};
}

/// A file that is something else should be told so, not of its archive's records.
void check_begin(const std::string& path) {
    const FileReader file(path);
    char begin[2] = {};
    if (file.size() >= sizeof begin) file.read_at(0, begin, sizeof begin);
    if (std::string_view(begin, sizeof begin) != "PK")
        fail<FileError>(
            "{}: is no program of Catena (.catena): it is not a valid zip archive, and begins as "
            "none; the names of models end "
            "with .onnx or .caffemodel, of arrays with .npz, .npy or .h5",
            path);
}

}  // namespace

Package read_package(const std::string& path, Json& manifest) {
    check_begin(path);
    const ZipReader zip(path);
    Package package;
    try {
        manifest = read_manifest(zip);
        check_entries(zip, manifest.value("entries", Json()));
        for (const ZipEntry& entry : zip.entries()) {
            if (entry.name == "manifest.json") continue;
            if (entry.name.ends_with(".npy")) {
                const auto source = zip.open(entry);
                Array array = read_npy(*source);
                if (!array.defined() || source->remaining() > 0)
                    fail<FileError>("{}: entry '{}' is not an array", path, entry.name);
                package.arrays.emplace(entry.name, std::move(array));
            } else {
                package.texts.emplace(entry.name, read_text(zip, entry));
            }
        }
    } catch (const nlohmann::json::exception& error) {
        fail<FileError>("{}: the manifest is damaged: {}", path, error.what());
    }
    return package;
}

void write_package(const std::string& path, Json manifest, const Package& package,
                   bool compressed) {
    manifest["format"] = format_name;
    manifest["version"] = package_version;
    Json entries = Json::object();
    ZipWriter zip(path);
    for (const auto& [name, text] : package.texts)
        entries[name] = write_entry(zip, name, text, compressed);
    for (const auto& [name, array] : package.arrays)
        entries[name] = write_entry(zip, name, npy_text(array), compressed);
    manifest["entries"] = std::move(entries);
    write_entry(zip, "manifest.json", manifest.dump(1), compressed);
    zip.finish();
}

}  // namespace catena::program
