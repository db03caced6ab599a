#include "frontend/trainer/extensions/snapshot/snapshot_writer.h"

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "runtime/comm/background.h"
#include "runtime/core/array/device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"

namespace catena::snapshot_writers {
namespace {

/// Holds an object's present values as handles, because elements of arrays never change.
class KeptValues final : public ArchiveWriter {
public:
    explicit KeptValues(const SerializeFunction& object) { save_to(*this, object); }
    void write(const std::string& key, const Array& array) override {
        arrays_.emplace_back(key, array);
    }
    void write_text(const std::string& key, std::string_view text) override {
        texts_.emplace_back(key, text);
    }
    void finish() override {}
    void serialize(const Serializer& s) const {
        for (auto& [key, array] : arrays_) s.write(key, array);
        for (auto& [key, text] : texts_) s.write(key, std::string_view(text));
    }
    void move_to_host() {
        for (auto& [key, array] : arrays_)
            if (array.defined()) array = array.to(cpu_device()).as_contiguous();
    }

private:
    std::vector<std::pair<std::string, Array>> arrays_;
    std::vector<std::pair<std::string, std::string>> texts_;
};

/// Reads until the other side is closed.
std::string read_to_the_end(int file) {
    std::string text;
    char buffer[512];
    for (ssize_t n; (n = ::read(file, buffer, sizeof buffer)) != 0;) {
        if (n > 0)
            text.append(buffer, size_t(n));
        else if (errno != EINTR)
            break;
    }
    return text;
}

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno != EINTR) return;
        if (n > 0) text.remove_prefix(size_t(n));
    }
}

/// Runs f in a forked process and waits for it. FileError with the message or exit status when f
/// throws or the process dies.
void in_a_process(const std::string& path, const std::function<void()>& f) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
        fail<FileError>("snapshot: {}: no pipe: {}", path, std::strerror(errno));
    const pid_t process = fork();
    if (process == 0) {
        ::close(pipe_ends[0]);
        int status = 0;
        try {
            set_thread_count(1);  // The threads of OpenMP were not forked.
            f();
        } catch (const std::exception& error) {
            write_all(pipe_ends[1], error.what());
            status = 1;
        }
        _exit(status);  // Skips the parent's destructors.
    }
    const int problem = errno;
    ::close(pipe_ends[1]);
    const std::string words = process > 0 ? read_to_the_end(pipe_ends[0]) : "";
    ::close(pipe_ends[0]);
    if (process < 0)
        fail<FileError>("snapshot: {}: cannot create a process: {}", path, std::strerror(problem));
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        fail<FileError>("snapshot: {}: the process that wrote it was killed by signal {}", path,
                        WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) throw FileError(words);
}

}  // namespace

void Writer::save(const std::string& path, const SerializeFunction& object,
                  const std::function<void()>& after) const {
    if (format_ == SnapshotFormat::hdf5)
        save_hdf5(path, object);
    else
        save_npz(path, object);
    if (after) after();
}

struct ThreadQueueWriter::Body {
    std::mutex mutex;
    std::condition_variable changed;
    bool on_host = false;
    int pending = 0;
    std::exception_ptr error;
    /// The thread that writes; declared last, so that it goes first.
    std::unique_ptr<BackgroundThread> thread;

    void rethrow() {
        if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
};

ThreadQueueWriter::ThreadQueueWriter(SnapshotFormat format) : ThreadQueueWriter(format, false) {}
ThreadQueueWriter::ThreadQueueWriter(SnapshotFormat format, bool on_host)
    : Writer(format), body_(new Body) {
    body_->on_host = on_host;
}
ThreadQueueWriter::~ThreadQueueWriter() { end(); }
void ThreadQueueWriter::end() { body_->thread.reset(); }

void ThreadQueueWriter::operator()(const std::string& path, const SerializeFunction& object,
                                   const std::function<void()>& after) {
    Body& b = *body_;
    auto kept = std::make_shared<KeptValues>(object);
    if (b.on_host) kept->move_to_host();
    std::lock_guard lock(b.mutex);
    b.rethrow();
    ++b.pending;
    if (!b.thread) b.thread = std::make_unique<BackgroundThread>();
    b.thread->post([this, &b, path, kept, after] {
        std::exception_ptr error;
        try {
            write(path, [&](const Serializer& s) { kept->serialize(s); }, after);
        } catch (...) {
            error = std::current_exception();
        }
        std::lock_guard lock(b.mutex);
        if (error && !b.error) b.error = error;
        --b.pending;
        b.changed.notify_all();
    });
}

void ThreadQueueWriter::finalize() {
    Body& b = *body_;
    std::unique_lock lock(b.mutex);
    b.changed.wait(lock, [&] { return b.pending == 0; });
    b.rethrow();
}

void ProcessQueueWriter::write(const std::string& path, const SerializeFunction& object,
                               const std::function<void()>& after) {
    in_a_process(path, [&] { save(path, object, after); });
}

}  // namespace catena::snapshot_writers
