#include "frontend/capture/failed_array.h"

#include <array>
#include <mutex>

#include "runtime/core/error.h"
#include "runtime/core/fork.h"
#include "runtime/core/pending.h"

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

}  // namespace

void fail_array(ArrayBody& array, const std::string& region, const std::string& why) {
    array.value = failed_arrays().add("static_graph " + region + ": " + why);
    array.pending = &failed_arrays();
}

}  // namespace catena::capture
