#pragma once

#include <cstdint>
#include <string>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// Thread-local settings with Chainer's names and defaults. The environment sets the first value
/// of a thread: CATENA_DEBUG=1, CATENA_DTYPE=float64, CATENA_USE_STATIC_GRAPH=0,
/// CATENA_TYPE_CHECK=0, CATENA_TF32=1, CATENA_AUTOTUNE=1.
struct Config {
    bool train = true;            ///< Training mode of dropout, batch normalisation, ...
    bool enable_backprop = true;  ///< Record the graph.
    bool debug = false;  ///< NaN in an output or gradient, or an index out of range, is an error.
    bool type_check = true;        ///< Chainer's; types are checked whatever it says.
    bool use_static_graph = true;  ///< False: static regions run eagerly.
    bool keep_graph_on_report = false;
    bool fast_math = false;  ///< Compiled regions may change rounding, NaN and inf.
    /// CUDA devices: libraries may round the factors of float32 products and convolutions to the 10
    /// bits of mantissa that tensor cores multiply (TensorFloat-32); sums stay float32. As
    /// PyTorch's allow_tf32.
    bool tf32 = false;
    Dtype dtype = Dtype::float32;  ///< Of new parameters and of float arrays made without a dtype.
    /// CUDA devices: a convolution that is computed for the first time is computed by each of
    /// cuDNN's engines that may, and the fastest is taken and kept on disk, instead of the one that
    /// cuDNN's heuristics hold for the fastest. All engines give one result every time, but not
    /// each the same bits. As PyTorch's cudnn.benchmark.
    bool autotune = false;
};

/// This thread's settings, read-only.
const Config& config();
/// The settings that decide what the code of a static region records, or how it is compiled, packed
/// into a number: a region has other programs for others. (The rest is asked at every call, or
/// changes no program.)
uint64_t config_key();
std::string to_string(const Config& config);

/// using_config(&Config::train, false) until the scope ends.
template <class T>
class ConfigScope {
public:
    ConfigScope(T Config::* key, T value) : key_(key), previous_(config().*key) { set(value); }
    ~ConfigScope() { set(previous_); }
    ConfigScope(const ConfigScope&) = delete;

private:
    void set(T value);
    T Config::* key_;
    T previous_;
};
Config& mutable_config();
template <class T>
void ConfigScope<T>::set(T value) {
    mutable_config().*key_ = value;
}
template <class T>
[[nodiscard]] ConfigScope<T> using_config(T Config::* key, std::type_identity_t<T> value) {
    return ConfigScope<T>(key, value);
}
[[nodiscard]] inline ConfigScope<bool> no_backprop_mode() {
    return using_config(&Config::enable_backprop, false);
}
[[nodiscard]] inline ConfigScope<bool> force_backprop_mode() {
    return using_config(&Config::enable_backprop, true);
}

}  // namespace catena
