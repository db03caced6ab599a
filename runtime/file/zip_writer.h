#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/file/file.h"
#include "runtime/file/zip_entry.h"

namespace catena {

/// Writer of zip archives. The file is put in place atomically by finish().
class ZipWriter {
public:
    using Sink = std::function<void(const void* from, size_t bytes)>;
    explicit ZipWriter(const std::string& path) : file_(std::make_unique<AtomicFile>(path)) {}
    /// Receives the archive piece by piece.
    explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}
    /// Adds a file whose content add's caller writes through `write` until end().
    void begin(const std::string& name, bool compress);
    void write(const void* from, size_t bytes);
    void end();
    void finish();

private:
    struct Deflater;
    struct DeleteDeflater {
        void operator()(Deflater* deflater) const;
    };
    void put_out(const void* from, size_t bytes);
    std::unique_ptr<AtomicFile> file_;
    Sink sink_;  ///< Receiver of the archive's bytes, when it is not written to a file.
    uint64_t offset_ = 0;
    std::vector<ZipEntry> entries_;
    std::unique_ptr<Deflater, DeleteDeflater> deflater_;
};

}  // namespace catena
