// Which driver and which libraries are taken: versions, and where they are looked for.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/kernel_cache.h"
#include "codegen/cuda/nvrtc.h"
#include "runtime/core/plugin/cuda_libraries.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/library_version.h"
#include "tests/cuda/library_check.h"
#include "tests/cuda/recording_driver.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// A folder of the test's own.
class CudaVersionsInOwnProcess : public ::testing::Test {
protected:
    CudaVersionsInOwnProcess() {
        std::string pattern = (fs::temp_directory_path() / "catena_versions_XXXXXX").string();
        root = mkdtemp(pattern.data());
    }
    ~CudaVersionsInOwnProcess() override { fs::remove_all(root); }

    /// A shared library whose text is C++.
    void make_library(const std::string& file, const std::string& text) {
        fs::create_directories((root / file).parent_path());
        const std::string source = (root / "made.cpp").string();
        std::ofstream(source) << text;
        const auto made = run(
            fmt::format("{} -shared -fPIC -o {} {}", CATENA_CXX, (root / file).string(), source));
        ASSERT_EQ(made.status, 0) << made.output;
    }
    void make_nvrtc(const std::string& file, int major) {
        make_library(file, fmt::format(R"(#include <cstring>
            extern "C" {{
            int nvrtcVersion(int* major, int* minor) {{ return *major = {0}, *minor = 4, 0; }}
            int nvrtcGetNumSupportedArchs(int* count) {{ return *count = 1, 0; }}
            int nvrtcGetSupportedArchs(int* known) {{ return *known = 90, 0; }}
            const char* nvrtcGetErrorString(int) {{ return ""; }}
            int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*) {{ return 0; }}
            int nvrtcDestroyProgram(void**) {{ return 0; }}
            int nvrtcCompileProgram(void*, int, const char* const*) {{ return 0; }}
            int nvrtcGetProgramLogSize(void*, unsigned long* size) {{ return *size = 0, 0; }}
            int nvrtcGetProgramLog(void*, char*) {{ return 0; }}
            int nvrtcGetCUBINSize(void*, unsigned long* size) {{ return *size = 9, 0; }}
            int nvrtcGetCUBIN(void*, char* code) {{ return std::memcpy(code, "code of {0}", 9), 0; }}
            int nvrtcGetPTXSize(void*, unsigned long* size) {{ return *size = 0, 0; }}
            int nvrtcGetPTX(void*, char*) {{ return 0; }}
            }})",
                                       major));
    }
    fs::path root;
};

const char* double_of_the_driver() {
    static const std::string& path = *new std::string(CATENA_BINARY_DIR "/lib/libcuda_double.so");
    return path.c_str();
}

TEST(CudaDriver, of_an_earlier_minor_or_major_version_than_the_headers_is_taken) {
    for (const char* version : {"12000", "12040", "13000", "14010"}) {
        const Environment given("CUDA_DOUBLE_VERSION", version);
        const cuda::Driver d = cuda::load_driver(double_of_the_driver());
        EXPECT_EQ(d.complaint, "") << version;
        EXPECT_EQ(d.version, std::atoi(version));
    }
}

TEST(CudaDriver, before_12_is_too_old) {
    const Environment given("CUDA_DOUBLE_VERSION", "11080");
    EXPECT_EQ(cuda::load_driver(double_of_the_driver()).complaint,
              "driver too old: has 11.8, needs 12.0");
}

TEST_F(CudaVersionsInOwnProcess, nvrtc_is_the_newest_that_the_driver_loads) {
    make_nvrtc("toolkit/lib64/libnvrtc.so.97", 97);
    make_nvrtc("toolkit/lib64/libnvrtc.so", 97);
    make_nvrtc("toolkit/lib64/libnvrtc.so.12", 8);
    const Environment toolkit("CUDA_HOME", (root / "toolkit").c_str());
    // No other test asks for the eighth version, and every NVRTC that may be here is later.
    const codegen::cuda::NvrtcOptions options{.architecture = "sm_90", .newest = 8010};
    EXPECT_EQ(codegen::cuda::nvrtc_version(8010), "NVRTC 8.4");
    EXPECT_EQ(codegen::cuda::nvrtc_compile("", options), "code of 8");
    EXPECT_THAT(codegen::cuda::nvrtc_architectures(8010), ElementsAre(90));
    EXPECT_EQ(codegen::cuda::code_for("sm_90", "", false, 8010), "code of 8") << "for files, too";
}

TEST_F(CudaVersionsInOwnProcess, nvrtc_that_is_too_new_is_an_error_with_both_versions) {
    make_nvrtc("libnvrtc.so.97", 97);
    const Environment given("CATENA_NVRTC_PATH", (root / "libnvrtc.so.97").c_str());
    EXPECT_THAT(message_of([] {
                    codegen::cuda::nvrtc_compile("", {.architecture = "sm_90", .newest = 7050});
                }),
                AllOf(HasSubstr("it is a driver for CUDA 7.5"),
                      HasSubstr("libnvrtc.so.97 is NVRTC 97.4"), HasSubstr("install NVRTC 7 ")));
}

TEST_F(CudaVersionsInOwnProcess, a_library_for_a_later_driver_is_passed_over) {
    RecordingDriver driver;  // For CUDA 13.0.
    make_library("toolkit/lib/libcatena_made.so.14",
                 "extern \"C\" unsigned long made_for() { return 14000; }");
    make_library(
        "toolkit/lib/libcatena_made.so.13",
        "extern \"C\" { unsigned long made_for() { return 13020; } int answer() { return 42; } }");
    const Environment toolkit("CUDA_HOME", (root / "toolkit").c_str());
    cuda::SharedLibrary library("CATENA_CUDNN_PATH",
                                {"libcatena_made.so.14", "libcatena_made.so.13"},
                                cuda::later_than_driver("made_for"));
    int (*answer)() = nullptr;
    library.bind(answer, "answer");
    ASSERT_EQ(library.complaint(), "");
    EXPECT_EQ(answer(), 42);
    cuda::SharedLibrary later("CATENA_CUDNN_PATH", {"libcatena_made.so.14"},
                              cuda::later_than_driver("made_for"));
    EXPECT_THAT(later.complaint(),
                HasSubstr("libcatena_made.so.14, which is for CUDA 14.0, the driver for 13.0"));
}

TEST_F(CudaVersionsInOwnProcess, libraries_of_python_packages_are_found) {
    const std::string packages = "venv/lib/python3.11/site-packages/nvidia";
    make_library(packages + "/made/lib/libcatena_python.so.1",
                 "extern \"C\" int answer() { return 7; }");
    const Environment venv("VIRTUAL_ENV", (root / "venv").c_str());
    EXPECT_THAT(python_library_folders(), Contains((root / packages / "made/lib").string()));
    cuda::SharedLibrary library("CATENA_CUDNN_PATH", {"libcatena_python.so.1"});
    int (*answer)() = nullptr;
    library.bind(answer, "answer");
    ASSERT_EQ(library.complaint(), "");
    EXPECT_EQ(answer(), 7);
}

TEST_F(CudaVersionsInOwnProcess, every_environment_of_python_is_looked_into) {
    for (const char* folder :
         {"conda/lib/python3.12/site-packages/nvidia/cudnn/lib",
          "home/.local/lib/python3.9/site-packages/nvidia/cu13/lib",
          "first/lib/python3.10/site-packages/nvidia/cublas/lib",
          "first/local/lib/python3.10/dist-packages/nvidia/nccl/lib",
          "pyenv/versions/3.13.1/lib/python3.13/site-packages/nvidia/cuda_nvrtc/lib",
          "other/lib/python3.10/site-packages/nvidia/cublas/lib",
          "first/lib/python3.10/site-packages/nvidia/empty", "first/bin", "pyenv/shims",
          "other/bin"})
        fs::create_directories(root / folder);
    std::ofstream(root / "first/bin/python3");
    std::ofstream(root / "pyenv/shims/python3");
    std::ofstream(root / "pyenv/version") << "3.13.1\n";
    const Environment none("VIRTUAL_ENV", ""), conda("CONDA_PREFIX", (root / "conda").c_str());
    const std::string old_home = std::getenv("HOME") ? std::getenv("HOME") : "",
                      old_path = std::getenv("PATH");
    setenv("HOME", (root / "home").c_str(), 1);
    setenv("PATH",
           fmt::format("{0}/nowhere:{0}/first/bin:{0}/pyenv/shims:{0}/other/bin", root.string())
               .c_str(),
           1);
    const std::vector<std::string> found = python_library_folders();
    setenv("HOME", old_home.c_str(), 1);
    setenv("PATH", old_path.c_str(), 1);
    EXPECT_THAT(
        found,
        ElementsAre(
            EndsWith("conda/lib/python3.12/site-packages/nvidia/cudnn/lib"),
            EndsWith("first/lib/python3.10/site-packages/nvidia/cublas/lib"),
            EndsWith("first/local/lib/python3.10/dist-packages/nvidia/nccl/lib"),
            EndsWith("pyenv/versions/3.13.1/lib/python3.13/site-packages/nvidia/cuda_nvrtc/lib"),
            EndsWith("home/.local/lib/python3.9/site-packages/nvidia/cu13/lib")));
}

TEST_F(CudaVersionsInOwnProcess, a_file_that_the_environment_names_is_the_only_one) {
    const Environment given("CATENA_NVRTC_PATH", "/one/file.so");
    EXPECT_THAT(cuda_library_files("CATENA_NVRTC_PATH", {"libnvrtc.so.13"}),
                ElementsAre("/one/file.so"));
}

}  // namespace
}  // namespace catena::testing
