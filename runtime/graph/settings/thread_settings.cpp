#include "runtime/graph/settings/thread_settings.h"

#include <new>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/environment.h"

namespace catena {
namespace {

ThreadSettings from_environment() try {
    ThreadSettings settings;
    Config& c = settings.config;
    c.debug = environment::flag("CATENA_DEBUG", c.debug);
    c.type_check = environment::flag("CATENA_TYPE_CHECK", c.type_check);
    c.use_static_graph = environment::flag("CATENA_USE_STATIC_GRAPH", c.use_static_graph);
    c.tf32 = environment::flag("CATENA_TF32", c.tf32);
    c.autotune = environment::flag("CATENA_AUTOTUNE", c.autotune);
    c.keep_graph_on_report =
        environment::flag("CATENA_KEEP_GRAPH_ON_REPORT", c.keep_graph_on_report);
    if (auto dtype = environment::choice(
            "CATENA_DTYPE", {"float16", "bfloat16", "float32", "float64", "mixed16"})) {
        settings.is_mixed16 = *dtype == "mixed16";
        c.dtype = settings.is_mixed16 ? Dtype::float16 : parse_dtype(*dtype);
    }
    return settings;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("the settings of a thread");
}

}  // namespace

ThreadSettings& thread_settings() {
    thread_local ThreadSettings of_thread [[gnu::tls_model("initial-exec")]] =
        from_environment();  // Initialised in the function, so that errors can be caught.
    return of_thread;
}

const Config& config() { return thread_settings().config; }
Config& mutable_config() { return thread_settings().config; }

uint64_t config_key() {
    const auto& [c, autocast, is_mixed16] = thread_settings();
    return uint64_t(c.train) | uint64_t(c.enable_backprop) << 1 | uint64_t(c.debug) << 2 |
           uint64_t(c.fast_math) << 3 | uint64_t(c.tf32) << 4 | uint64_t(c.dtype) << 8 |
           uint64_t(autocast) << 16;
}

}  // namespace catena
