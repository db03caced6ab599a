#include "frontend/capture/call/failed_array.h"

#include <array>
#include <mutex>

#include "runtime/core/array/pending.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena::capture {
namespace {

/// The Pending of arrays whose call failed. Stores the texts of the latest errors only.
class FailedArrays final : public Pending {
public:
    FailedArrays() { taken_by_forks(mutex_); }
    int add(std::string text) {
        std::lock_guard lock(mutex_);
        texts_[size_t(next_ % kept)] = std::move(text);
        return next_++;
    }
    /// Stands for an error whose text there was no memory for.
    int add_without_text() {
        std::lock_guard lock(mutex_);
        return next_ - kept - 1;
    }
    void force(ArrayBody& array) override {
        std::string text;
        {
            std::lock_guard lock(mutex_);
            text = next_ - array.value <= kept ? texts_[size_t(array.value % kept)]
                                               : "an earlier error";
        }
        fail<TraceError>(
            "an array ({}) was never computed: the call of its static region ended with an error: "
            "{}",
            to_string(array.type), text);
    }
    ArrayBody* look(ArrayBody&, const Shape&, const Strides&, int64_t) override { return nullptr; }
    Array row_major(ArrayBody&) override { return {}; }

private:
    static constexpr int kept = 64;
    std::mutex mutex_;
    std::array<std::string, kept> texts_;
    int next_ = 0;
};

FailedArrays& failed_arrays() {
    static FailedArrays& instance = *new FailedArrays;
    return instance;
}
[[maybe_unused]] FailedArrays& made_at_start = failed_arrays();  // While there is memory.

}  // namespace

void fail_array(ArrayBody& array, std::string_view region, std::string_view why) noexcept {
    try {
        array.value = failed_arrays().add(fmt::format("static_graph {}: {}", region, why));
    } catch (const std::bad_alloc&) {
        array.value = failed_arrays().add_without_text();
    }
    array.pending = &failed_arrays();
}

}  // namespace catena::capture
