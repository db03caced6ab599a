#include "runtime/cpu/convolution/repeated_convolution.h"

#include <unordered_map>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/hash.h"
#include "runtime/core/system/per_thread.h"
#include "runtime/cpu/convolution/float_convolution.h"

namespace catena {
namespace {

/// All that a FloatConvolution's choice of a way and its preparation depend on.
using Key = std::vector<int64_t>;

struct KeyHash {
    size_t operator()(const Key& key) const {
        uint64_t hash = 0;
        for (const int64_t number : key) hash = mixed_hash(hash, uint64_t(number));
        return size_t(hash);
    }
};

void append(Key& key, const Dims& dims) {
    key.push_back(dims.rank());
    key.insert(key.end(), dims.begin(), dims.end());
}

void set(Key& key, const ConvolutionTask& t) {
    key.clear();
    for (const int64_t number : {int64_t(t.direction), int64_t(t.epilogue.kind()),
                                 int64_t(thread_count()), t.steps.groups})
        key.push_back(number);
    for (const Dims* dims : {&t.steps.stride, &t.steps.pad, &t.steps.dilate}) append(key, *dims);
    for (const Array* array : {&t.a, &t.b, &t.result}) {
        append(key, array->shape());
        append(key, array->strides());
    }
}

class PreparedConvolutions {
public:
    void run(const ConvolutionTask& task) {
        set(key_, task);
        auto found = prepared_.find(key_);
        if (found == prepared_.end()) {
            // More than the layers of large networks have. Sizes that change from call to call
            // would else pile up.
            constexpr size_t most = 256;
            if (prepared_.size() >= most) prepared_.clear();
            found = prepared_.try_emplace(key_).first;
            ++count_;
        }
        found->second.run(task);
    }
    int64_t count() const { return count_; }

private:
    Key key_;  ///< The key of the present call, whose memory is used again.
    std::unordered_map<Key, FloatConvolution, KeyHash> prepared_;
    int64_t count_ = 0;
};

constinit PerThread<PreparedConvolutions> prepared_convolutions;

}  // namespace

void run_repeated_convolution(const ConvolutionTask& task) {
    CATENA_ASSERT(task.epilogue.is_plain(), "eager convolutions have no epilogue but a bias");
    prepared_convolutions.get().run(task);
}

int64_t prepared_convolution_count() { return prepared_convolutions.get().count(); }

}  // namespace catena
