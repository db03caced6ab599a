#pragma once

#include <cstdint>
#include <string>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// Thread-local settings with Chainer's names and defaults. The environment sets the first value
/// of a thread: CATENA_DEBUG=1, CATENA_DTYPE=float64, CATENA_USE_STATIC_GRAPH=0,
/// CATENA_TYPE_CHECK=0, CATENA_TF32=1, CATENA_AUTOTUNE=1.
struct Config {
    bool train = true;  ///< Whether dropout, batch normalisation and others run in training mode.
    bool enable_backprop = true;  ///< Whether operations record the graph that backward() needs.
    /// Debug mode: a NaN in an output or gradient, or an index out of range, is an error.
    bool debug = false;
    bool type_check = true;  ///< Chainer's setting, without effect: types are always checked.
    /// Whether static regions are followed and compiled; false: they run eagerly.
    bool use_static_graph = true;
    /// Whether reported values keep their graph.
    bool keep_graph_on_report = false;
    bool fast_math = false;  ///< Whether compiled regions may change rounding, NaN and inf.
    /// CUDA devices: libraries may round the factors of float32 products and convolutions to the 10
    /// bits of mantissa that tensor cores multiply (TensorFloat-32); sums stay float32. As
    /// PyTorch's allow_tf32.
    bool tf32 = false;
    /// The dtype of new parameters and of float arrays made without a dtype.
    Dtype dtype = Dtype::float32;
    /// Whether, on CUDA devices, a convolution is timed before its first use with each of cuDNN's
    /// deterministic engines. The fastest is used and stored on disk, instead of the one that
    /// cuDNN's heuristics choose. An engine gives equal results every time, but two engines may
    /// differ in their last bits. As PyTorch's cudnn.benchmark.
    bool autotune = false;
};

/// The settings of this thread, read-only.
const Config& config();
/// The settings that decide what a static region's code records or how it is compiled, packed into
/// a number: a region has a program for each such number. The other settings are read at every call
/// or change no program.
uint64_t config_key();
/// The settings as text, one in each line.
std::string to_string(const Config& config);

/// Sets one setting until the scope ends: using_config(&Config::train, false).
template <class T>
class ConfigScope {
public:
    /// Sets this setting.
    ConfigScope(T Config::* key, T value) : key_(key), previous_(config().*key) { set(value); }
    ~ConfigScope() { set(previous_); }
    ConfigScope(const ConfigScope&) = delete;

private:
    void set(T value);
    T Config::* key_;
    T previous_;
};
/// The settings of this thread, which may be changed.
Config& mutable_config();
template <class T>
void ConfigScope<T>::set(T value) {
    mutable_config().*key_ = value;
}
/// Sets one setting until the returned scope ends: `auto scope = using_config(&Config::train,
/// false);`.
template <class T>
[[nodiscard]] ConfigScope<T> using_config(T Config::* key, std::type_identity_t<T> value) {
    return ConfigScope<T>(key, value);
}
/// No operation records a graph until the returned scope ends, as in evaluation.
[[nodiscard]] inline ConfigScope<bool> no_backprop_mode() {
    return using_config(&Config::enable_backprop, false);
}
/// Operations record graphs until the returned scope ends, within no_backprop_mode, too.
[[nodiscard]] inline ConfigScope<bool> force_backprop_mode() {
    return using_config(&Config::enable_backprop, true);
}

}  // namespace catena
