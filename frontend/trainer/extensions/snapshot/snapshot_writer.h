#pragma once

#include <functional>
#include <memory>
#include <string>

#include "frontend/serializer/serializer.h"
#include "runtime/core/memory/owned.h"

namespace catena::extensions {

/// The format of a snapshot: .npz or HDF5.
enum class SnapshotFormat { npz, hdf5 };

}  // namespace catena::extensions

/// Writers of snapshot files, with Chainer's names. The values written are those at the time of the
/// call. Files are replaced atomically. An error after the call has returned is thrown by the next
/// call, or by finalize().
namespace catena::snapshot_writers {

using extensions::SnapshotFormat;

/// Base of writers. Derive from it to write files in another way.
class Writer {
public:
    /// Writes files of this format.
    explicit Writer(SnapshotFormat format = SnapshotFormat::npz) : format_(format) {}
    virtual ~Writer() = default;
    /// Writes an object to a file. `after` is called by the writing thread when the file is
    /// complete.
    virtual void operator()(const std::string& path, const SerializeFunction& object,
                            const std::function<void()>& after = {}) = 0;
    /// Waits until all files are complete.
    virtual void finalize() {}
    /// The format of the files.
    SnapshotFormat format() const { return format_; }

protected:
    void save(const std::string& path, const SerializeFunction& object,
              const std::function<void()>& after) const;

private:
    SnapshotFormat format_;
};

/// A writer that writes in the call.
class SimpleWriter final : public Writer {
public:
    using Writer::Writer;
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override {
        save(path, object, after);
    }
};

/// A writer with a thread that writes the files in order; calls do not wait.
class ThreadQueueWriter : public Writer {
public:
    /// Writes files of this format.
    explicit ThreadQueueWriter(SnapshotFormat format = SnapshotFormat::npz);
    /// Writes all queued files first.
    ~ThreadQueueWriter() override;
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override;
    void finalize() override;

protected:
    /// A writer that copies the values to the host before they are queued, with `on_host`.
    ThreadQueueWriter(SnapshotFormat format, bool on_host);
    /// Called by the thread for each file.
    virtual void write(const std::string& path, const SerializeFunction& object,
                       const std::function<void()>& after) {
        save(path, object, after);
    }
    /// Ends the thread; for destructors of derived classes that override write().
    void end();

private:
    struct Body;
    Owned<Body> body_;
};

/// A writer with a thread; the next call waits for it.
class ThreadWriter final : public ThreadQueueWriter {
public:
    using ThreadQueueWriter::ThreadQueueWriter;
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override {
        finalize();
        ThreadQueueWriter::operator()(path, object, after);
    }
};

/// A writer that forks a process per file, one after the other; calls do not wait. Values are
/// copied to the host first. If a process dies, the training continues.
class ProcessQueueWriter : public ThreadQueueWriter {
public:
    /// Writes files of this format.
    explicit ProcessQueueWriter(SnapshotFormat format = SnapshotFormat::npz)
        : ThreadQueueWriter(format, true) {}
    ~ProcessQueueWriter() override { end(); }

protected:
    void write(const std::string& path, const SerializeFunction& object,
               const std::function<void()>& after) override;
};

/// A writer that forks a process; the next call waits for it.
class ProcessWriter final : public ProcessQueueWriter {
public:
    using ProcessQueueWriter::ProcessQueueWriter;
    ~ProcessWriter() override { end(); }
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override {
        finalize();
        ProcessQueueWriter::operator()(path, object, after);
    }
};

}  // namespace catena::snapshot_writers
