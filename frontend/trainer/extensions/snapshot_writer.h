#pragma once

#include <functional>
#include <memory>
#include <string>

#include "frontend/serializer/serializer.h"

namespace catena::extensions {

enum class SnapshotFormat { npz, hdf5 };

}  // namespace catena::extensions

/// Who writes the files of snapshots, and when: Chainer's names. Values are those of the moment of the call. A file
/// appears when it is complete, whoever writes it. What goes wrong later than the call is thrown by the next one, or
/// by finalize().
namespace catena::snapshot_writers {

using extensions::SnapshotFormat;

class Writer {
public:
    explicit Writer(SnapshotFormat format = SnapshotFormat::npz) : format_(format) {}
    virtual ~Writer() = default;
    /// `after` is called when the file is there, by who wrote it.
    virtual void operator()(const std::string& path, const SerializeFunction& object,
                            const std::function<void()>& after = {}) = 0;
    virtual void finalize() {}  ///< Returns when all files are there.
    SnapshotFormat format() const { return format_; }

protected:
    void save(const std::string& path, const SerializeFunction& object, const std::function<void()>& after) const;

private:
    SnapshotFormat format_;
};

/// In the call.
class SimpleWriter final : public Writer {
public:
    using Writer::Writer;
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override {
        save(path, object, after);
    }
};

/// By a thread, one file after the other, in order; calls do not wait.
class ThreadQueueWriter : public Writer {
public:
    explicit ThreadQueueWriter(SnapshotFormat format = SnapshotFormat::npz);
    ~ThreadQueueWriter() override;  ///< Writes what it was given first.
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override;
    void finalize() override;

protected:
    /// With `on_host` the thread gets values that were copied to the host before.
    ThreadQueueWriter(SnapshotFormat format, bool on_host);
    /// What the thread does with a file.
    virtual void write(const std::string& path, const SerializeFunction& object, const std::function<void()>& after) {
        save(path, object, after);
    }
    void end();  ///< For destructors of those that have another write().

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

/// By a thread; the next call waits for it.
class ThreadWriter final : public ThreadQueueWriter {
public:
    using ThreadQueueWriter::ThreadQueueWriter;
    void operator()(const std::string& path, const SerializeFunction& object,
                    const std::function<void()>& after = {}) override {
        finalize();
        ThreadQueueWriter::operator()(path, object, after);
    }
};

/// By a forked process for each file, one after the other, in order; calls do not wait. Values are copied to the host
/// first. A process that dies takes no training with it.
class ProcessQueueWriter : public ThreadQueueWriter {
public:
    explicit ProcessQueueWriter(SnapshotFormat format = SnapshotFormat::npz) : ThreadQueueWriter(format, true) {}
    ~ProcessQueueWriter() override { end(); }

protected:
    void write(const std::string& path, const SerializeFunction& object, const std::function<void()>& after) override;
};

/// By a forked process; the next call waits for it.
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
