#include "runtime/core/system/environment_variables.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/core/system/nearest.h"

namespace catena::environment {
namespace {

constexpr VariableInfo table[] = {
    {"CATENA_AUTOTUNE", "1 or 0", "0",
     "CUDA devices measure which of cuDNN's engines computes a convolution fastest, where it is "
     "computed for the first time (config().autotune)."},
    {"CATENA_BFLOAT16_PRODUCTS", "1 or 0", "1",
     "Multiply bfloat16 arrays by the processor's instructions for that, where it has them; 0: as "
     "float32."},
    {"CATENA_CACHE_DIR", "folder", "$XDG_CACHE_HOME/catena, else ~/.cache/catena",
     "Downloads, and in its subfolder kernels/ the cache of compiled programs and machine code."},
    {"CATENA_CHECK_MEMORY", "1 or 0", "0",
     "Give each array, temporary and piece of scratch memory a block of its own with guards on "
     "both sides, NaN at first; end the process where a guard is found overwritten."},
    {"CATENA_CHECK_PACKED", "1 or 0", "0",
     "An error where weights were written to while a copy of them in the order of their kernels "
     "(CATENA_PACKED_WEIGHTS) was still used."},
    {"CATENA_CHECK_SCHEDULES", "1 or 0", "0, in debug builds always 1",
     "Check the memory plan and the bounds of every compiled program before it runs; compile also "
     "what CATENA_PLAN_SIZES and CATENA_PLAN_LOOPS would not compile, and compare."},
    {"CATENA_CHECK_WALKS", "1 or 0", "0",
     "Run the code of gradients at every backward() inside a static region, and of functions that "
     "consist of other operations, also where a later call would repeat the recorded steps without "
     "it; an error where the code does anything else."},
    {"CATENA_COMM_TIMEOUT", "seconds, a number above 0", "600",
     "How long a rank waits for the others before its call fails."},
    {"CATENA_COMPILER_PATH", "file", "beside libcatena",
     "The compiler library, libcatena_compiler.so; /none: do without, as in a build that has "
     "none."},
    {"CATENA_CPU", "avx512, avx2 or scalar", "what the processor has",
     "The instructions that eager kernels and compiled code may use."},
    {"CATENA_CUBLASLT_PATH", "file", "the first that is found",
     "The cuBLASLt library; /none: do not use cuBLASLt."},
    {"CATENA_CUDA_CHANNELS_LAST", "always or never",
     "for convolutions that cuDNN computes on tensor cores",
     "Whether compiled programs for CUDA devices store images and activations with their channels "
     "last (NHWC)."},
    {"CATENA_CUDA_DRIVER", "file", "libcuda.so.1", "The CUDA driver's library."},
    {"CATENA_CUDA_GRAPHS", "1 or 0", "1",
     "Record a compiled program that calls libraries as one CUDA graph, once two calls have used "
     "the same memory."},
    {"CATENA_CUDA_STAGING_MB", "megabytes, a whole number of at least 8", "256",
     "How much pinned memory copies to one CUDA device may take; it grows as they need it."},
    {"CATENA_CUDA_WORKSPACE_MB", "megabytes, a whole number",
     "a 16th of the device's memory, or half of what is free if that is less; at least 256",
     "How much memory one call of cuDNN or cuBLASLt may take beside its operands; cuBLASLt takes "
     "32 at most."},
    {"CATENA_CUDNN_PATH", "file", "the first that is found",
     "The cuDNN library; /none: do not use cuDNN."},
    {"CATENA_DEBUG", "1 or 0", "0",
     "NaN in a result or a gradient, or an index out of range, is an error (config().debug)."},
    {"CATENA_DIRECT_CONVOLUTIONS", "1 or 0", "1",
     "Compute 1x1 and depthwise convolutions of inference, and convolutions of images with few "
     "channels, in Catena's own tiles instead of oneDNN's."},
    {"CATENA_DISABLE_PASS", "stages, separated by commas", "none",
     "Stages of the pipeline to skip, to find which of them is at fault."},
    {"CATENA_DTYPE", "float16, bfloat16, float32, float64 or mixed16", "float32",
     "The default float dtype (config().dtype)."},
    {"CATENA_DUMP_DIR", "folder", "none",
     "Every compilation writes the program after each stage, its kernels and its graph there.",
     true},
    {"CATENA_FILE_LIMIT_MB", "megabytes, a whole number of at least 1", "1024",
     "How many megabytes of content a file may unpack to; a large file may unpack to more, up to a "
     "hundred times its size."},
    {"CATENA_FORCE_ABORT_ON_EXCEPTION", "1 or 0", "0",
     "An uncaught exception of one rank ends all ranks; CHAINERMN_FORCE_ABORT_ON_EXCEPTION works, "
     "too."},
    {"CATENA_HDF5_PATH", "file", "beside libcatena",
     "The library that reads and writes HDF5 files, libcatena_hdf5.so."},
    {"CATENA_JOINT_PROGRAMS", "1 or 0", "1",
     "Compile a region's forward pass together with the backward pass that runs outside of it, as "
     "one program in two parts."},
    {"CATENA_KEEP_GRAPH_ON_REPORT", "1 or 0", "0",
     "Values that are reported to a Trainer keep their graph (config().keep_graph_on_report)."},
    {"CATENA_KERNEL_CACHE", "folder, or off", "$CATENA_CACHE_DIR/kernels",
     "Where compiled programs and machine code are kept between processes."},
    {"CATENA_KERNEL_CACHE_DISK_MB", "megabytes, a whole number", "512",
     "The most that CATENA_KERNEL_CACHE holds on the disk; the least recently used is removed "
     "first."},
    {"CATENA_KERNEL_CACHE_MB", "megabytes, a whole number", "256",
     "The most machine code that a process holds in memory."},
    {"CATENA_LANE_CONVOLUTIONS", "1 or 0", "1",
     "Compute convolutions of few channels on sixteen images at once, one in each lane of a "
     "vector, where that is faster (AVX2 or AVX-512)."},
    {"CATENA_LAPACK_PATH", "file", "liblapack.so.3",
     "The LAPACK library that computes linear algebra, such as libopenblas.so.0."},
    {"CATENA_LAUNCHER", "catena, torchrun, mpirun, mpiexec, environment, srun, pmix or none",
     "the first whose variables are there",
     "Whose variables tell a process its rank and the number of ranks; none: it is one process by "
     "itself. docs/distributed.md has the variables of each."},
    {"CATENA_LINKER", "file", "the first of ld, ld.lld, mold and ld.gold",
     "The linker for programs that are saved or exported with their machine code."},
    {"CATENA_LOG", "quiet, error, warning or info", "info",
     "The log lines that the library prints on standard error: none, errors that no exception "
     "reports, warnings too, or all (set_log_level(), set_log_callback())."},
    {"CATENA_NCCL_PATH", "file", "libnccl.so.2", "The NCCL library."},
    {"CATENA_NUM_THREADS", "a whole number of at least 1",
     "OMP_NUM_THREADS, else the number of processors",
     "Threads of eager kernels and compiled programs."},
    {"CATENA_NVRTC_PATH", "file", "the first that is found",
     "The NVRTC library, which compiles for CUDA devices."},
    {"CATENA_PACKED_WEIGHTS", "1 or 0", "1",
     "Keep a copy of weights in the memory order that kernels read (convolutions, matrix products, "
     "recurrent layers), where they are used again and again, as in inference."},
    {"CATENA_PASS_LIMIT", "a whole number of at least 0", "no limit",
     "How many changes the passes may make, to find a wrong one by bisection.", true},
    {"CATENA_PATCH_CONVOLUTIONS", "1 or 0", "1",
     "Compute gradients towards images of few channels, and transposed convolutions that give such "
     "images, by patches where that is faster (AVX2 or AVX-512)."},
    {"CATENA_PLAN_LOOPS", "1 or 0", "1",
     "Compute the program of another number of iterations of a loop from the programs of known "
     "numbers, without the compiler, where it is certain to be the same; 0: compile each."},
    {"CATENA_PLAN_SIZES", "1 or 0", "1",
     "Compute the program of a new size from the programs of known sizes, without the compiler, "
     "where it is certain to be the same; 0: compile each."},
    {"CATENA_PLUGIN_PATH", "folders, separated by colons", "beside libcatena_runtime",
     "Searched first for plug-ins (CUDA, MPI, NCCL)."},
    {"CATENA_POISON", "1 or 0", "0",
     "Fill intermediate results of compiled programs with NaN before they are written and after "
     "they are last read, so that wrong reads show."},
    {"CATENA_PRINT_IR", "after-all, or the name of a stage", "none",
     "Print the program on stderr after every stage, or after one.", true},
    {"CATENA_PRODUCT_TILES", "1 or 0", "1",
     "Compute products of float32 matrices in Catena's own tiles where they are faster than "
     "oneDNN."},
    {"CATENA_PROFILE", "file", "none",
     "At exit the launches, compilations and calls of static regions are written there as a trace "
     "for Perfetto."},
    {"CATENA_RANK", "a whole number of at least 0", "that of the launcher", "This process's rank."},
    {"CATENA_RENDEZVOUS", "tcp://HOST:PORT or file:///FOLDER/NAME", "that of the launcher",
     "Where processes without MPI find each other."},
    {"CATENA_RENDEZVOUS_SECRET", "at least 16 characters, the same on all ranks",
     "none; needed where HOST is not this machine alone",
     "The password of a job whose ranks meet by TCP; openssl rand -hex 32 prints a good one."},
    {"CATENA_SEED", "a whole number", "random, from the system",
     "The seed of the library's random numbers."},
    {"CATENA_SHARED_MEMORY", "1 or 0", "1",
     "Ranks of one machine share memory instead of using the network."},
    {"CATENA_SIZE", "a whole number of at least 1", "that of the launcher",
     "How many ranks there are."},
    {"CATENA_TF32", "1 or 0", "0",
     "CUDA devices may round factors of float32 products and convolutions to TF32 "
     "(config().tf32)."},
    {"CATENA_TIME", "1 or 0", "0",
     "Print the milliseconds of every stage of a compilation on stderr.", true},
    {"CATENA_TYPE_CHECK", "1 or 0", "1",
     "Chainer's setting, without effect: types are always checked (config().type_check)."},
    {"CATENA_USE_STATIC_GRAPH", "1 or 0", "1",
     "0: static regions run eagerly, as if they were not marked (config().use_static_graph)."},
    {"CATENA_VERIFY", "1 or 0", "0",
     "Run every call of a static region eagerly, too, and compare."},
    {"CATENA_VERIFY_DIR", "folder", "the current one",
     "Where files that reproduce a difference found by CATENA_VERIFY are written."},
    {"CATENA_WINOGRAD", "1 or 0", "1",
     "Compute 3x3 convolutions, and 4x4 ones in steps of two, by Winograd's method where that is "
     "faster. Its rounding errors are about four times larger. It is not used where the "
     "images have very small values beside large ones (below a thousandth, in a tile of at most "
     "10x10): see docs/mathematics.md."},
};

std::vector<std::string> known_names() {
    std::vector<std::string> known_names;
    for (const VariableInfo& variable : table) known_names.push_back(variable.name);
    return known_names;
}

/// Prefixes of the variables read only by Catena's own tests and their scripts.
constexpr std::string_view of_tests[] = {"CATENA_TEST_", "CATENA_FUZZ_", "CATENA_ONNX_PYTHON",
                                         "CATENA_DATA", "CATENA_ALL_CHANGES"};

bool is_of_tests(std::string_view name) {
    return std::any_of(std::begin(of_tests), std::end(of_tests),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

std::span<const VariableInfo> variables() { return table; }

std::vector<std::string> complaints_about_unknown_names() {
    std::vector<std::string> complaints;
    for (char** at = ::environ; at && *at; ++at) {
        const std::string_view entry = *at;
        const std::string name(entry.substr(0, entry.find('=')));
        if (!name.starts_with("CATENA_") || is_of_tests(name)) continue;
        const std::vector<std::string> known = known_names();
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        complaints.push_back(fmt::format(
            "warning: {} is set in the environment, and there is no such variable; the nearest is "
            "{} (catena info --env lists all)",
            name, nearest(name, known).at(0)));
    }
    return complaints;
}

std::string reference_page() {
    std::string text =
        "# Environment variables\n\n"
        "`catena info --env=markdown` writes this page; a test fails if it is out of date. An "
        "empty variable counts as unset. "
        "1 or 0 may also be written true, yes, on, or false, no, off. An invalid "
        "value is an error that names the variable; an unknown name beginning with CATENA_ gives a "
        "warning with "
        "the nearest known one.\n\n"
        "Most programs need few of them: CATENA_NUM_THREADS, CATENA_CACHE_DIR and CATENA_LOG; "
        "CATENA_DEBUG, CATENA_VERIFY and CATENA_USE_STATIC_GRAPH to "
        "[find an error](how_to/find_an_error.md); CATENA_PROFILE and CATENA_DUMP_DIR to "
        "[look inside](first_hour/looking_inside.md). Most switches that are 1 unless set turn off "
        "one way to compute something, to see whether it is at fault: 0 gives right results, too. "
        "[Words](architecture.md#words) has the terms.\n\n"
        "| variable | value | when it is not set | meaning |\n|---|---|---|---|\n";
    for (const VariableInfo& v : table)
        text += fmt::format("| `{}` | {} | {} | {} |\n", v.name, v.type, v.fallback, v.meaning);
    return text;
}

}  // namespace catena::environment
