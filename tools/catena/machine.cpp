#include "tools/catena/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/processor.h"

namespace catena::tool {
namespace {

/// The widest vector instructions that generated code may use here.
std::string vector_instructions() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) return "AVX-512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "AVX2";
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "none";
#endif
}

std::string memory_line() {
    struct sysinfo info{};
    if (sysinfo(&info) != 0) return "unknown";
    return fmt::format("{:.1f} GB", double(info.totalram) * info.mem_unit * 1e-9);
}

std::string system_line() {
    utsname system{};
    if (uname(&system) != 0) return "unknown";
    return fmt::format("{} {} on {}", system.sysname, system.release, system.machine);
}

std::string date_line() {
    using namespace std::chrono;
    const auto now = floor<minutes>(system_clock::now());
    const auto day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss time(now - day);
    return fmt::format("{}-{:02}-{:02} {:02}:{:02} UTC", int(date.year()), unsigned(date.month()),
                       unsigned(date.day()), time.hours().count(), time.minutes().count());
}

}  // namespace

std::string processor_line() {
    return fmt::format("{}, {}, {} cores", processor_name(), vector_instructions(),
                       std::thread::hardware_concurrency());
}

std::string compiler_line() {
    try {
        return compiler().version();
    } catch (const CompileError& error) {
        return std::string("none: ") + error.what();
    }
}

std::string build_line() {
#if defined(__clang__)
    return CATENA_VERSION ", built by " __VERSION__;
#else
    return CATENA_VERSION ", built by g++ " __VERSION__;
#endif
}

std::vector<std::pair<std::string, std::string>> circumstances() {
    return {{"processor", processor_line()}, {"memory", memory_line()},
            {"system", system_line()},       {"catena", build_line()},
            {"compiler", compiler_line()},   {"date", date_line()}};
}

}  // namespace catena::tool
