// Checks every #include of the tree against the layers of docs/architecture.md.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

struct Include {
    std::string file;
    int line;
    std::string target;
    bool quoted;
    std::string floor() const { return file.substr(0, file.find('/')); }
    std::string folder() const { return target.substr(0, target.find('/')); }
};

std::string to_string(const Include& i) {
    return i.file + ":" + std::to_string(i.line) + " includes " + i.target;
}

std::vector<Include> includes_below(const std::string& folder) {
    static const std::regex pattern(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::vector<Include> result;
    for (const auto& file : sources_below(folder)) {
        int number = 0;
        for (const auto& line : lines_of(file)) {
            ++number;
            std::smatch match;
            if (std::regex_search(line, match, pattern))
                result.push_back({file, number, match[2], match[1] == "\""});
        }
    }
    return result;
}

bool starts_with_any(const std::string& text, std::initializer_list<const char*> prefixes) {
    for (const char* prefix : prefixes)
        if (text.starts_with(prefix)) return true;
    return false;
}

// The folders that each layer may include; itself included.
const std::map<std::string, std::set<std::string>> floors = {
    {"runtime", {"runtime"}},
    {"ir", {"runtime", "ir"}},
    {"passes", {"runtime", "ir", "passes"}},
    {"codegen", {"runtime", "ir", "passes", "codegen"}},
    {"frontend", {"runtime", "frontend"}},
    {"tools", {"runtime", "frontend", "benchmarks", "tools"}},
};

std::vector<Include> all_includes() {
    std::vector<Include> all;
    for (const auto& [floor, below] : floors)
        for (auto& include : includes_below(floor)) all.push_back(std::move(include));
    return all;
}

bool arrow_allowed(const Include& i) {
    if (!floors.contains(i.folder())) return true;  // not ours; see the other tests
    if (i.floor() == "frontend" && i.target == "codegen/compiler.h") return true;
    return floors.at(i.floor()).contains(i.folder());
}

TEST(Includes, arrows_go_down_only) {
    const auto includes = all_includes();
    EXPECT_GT(includes.size(), 100u) << "next to nothing was found: is the reader broken?";
    for (const auto& i : includes)
        EXPECT_TRUE(arrow_allowed(i)) << to_string(i) << ": " << i.floor() << " may not look up";
}

TEST(Includes, upward_arrows_would_be_seen) {
    EXPECT_FALSE(arrow_allowed({"runtime/a.cpp", 1, "frontend/link/link.h", true}));
    EXPECT_FALSE(arrow_allowed({"runtime/a.cpp", 1, "codegen/compiler.h", true}));
    EXPECT_FALSE(arrow_allowed({"passes/a.cpp", 1, "codegen/kernel.h", true}));
    EXPECT_FALSE(arrow_allowed({"frontend/a.cpp", 1, "codegen/build_schedule.h", true}));
    EXPECT_TRUE(arrow_allowed({"frontend/a.cpp", 1, "codegen/compiler.h", true}));
}

TEST(Includes, ours_are_by_root_path) {
    for (const auto& i : all_includes())
        EXPECT_TRUE(!i.quoted || floors.contains(i.folder()) || i.folder() == "benchmarks" ||
                    starts_with_any(i.target, {"mlir/", "llvm/"}))
            << to_string(i) << ": write the path from the root";
}

TEST(Includes, what_is_named_exists) {
    for (const auto& i : all_includes())  // .inc and .pb.h files are generated
        EXPECT_TRUE(!floors.contains(i.folder()) || i.target.ends_with(".inc") ||
                    i.target.ends_with(".pb.h") || std::filesystem::exists(root() / i.target))
            << to_string(i);
}

TEST(Includes, mlir_and_llvm_stay_in_the_compiler) {
    for (const auto& i : all_includes()) {
        const bool compiler = starts_with_any(i.file, {"ir/", "passes/", "codegen/"}) &&
                              i.file != "codegen/compiler.h";  // which the frontend reads
        EXPECT_TRUE(compiler ||
                    !starts_with_any(i.target, {"mlir/", "mlir-c/", "llvm/", "llvm-c/"}))
            << to_string(i);
    }
}

TEST(Includes, kernels_and_cuda_texts_are_plain_data_without_mlir) {
    for (const auto& i : all_includes())
        EXPECT_TRUE(!starts_with_any(i.file, {"codegen/kernel/", "codegen/cuda/"}) ||
                    !starts_with_any(i.target, {"mlir/", "llvm/"}))
            << to_string(i);
}

TEST(Includes, onednn_stays_in_runtime_cpu) {
    for (const auto& i : all_includes())
        EXPECT_TRUE(i.file.starts_with("runtime/cpu/") ||
                    !starts_with_any(i.target, {"dnnl", "oneapi/"}))
            << to_string(i);
}

TEST(Includes, protobuf_stays_in_frontend_onnx_and_caffe) {
    for (const auto& i : all_includes()) {
        const bool protobuf =
            starts_with_any(i.target, {"onnx/", "google/"}) || i.target.ends_with(".pb.h");
        EXPECT_TRUE(!protobuf || starts_with_any(i.file, {"frontend/onnx/", "frontend/caffe/"}))
            << to_string(i);
        EXPECT_FALSE(protobuf && i.file.ends_with(".h"))
            << to_string(i) << ": users compile headers without protobuf";
    }
}

TEST(Includes, cuda_nccl_and_mpi_stay_in_plug_ins) {
    for (const auto& i : all_includes()) {
        const bool plug_in =
            starts_with_any(i.file, {"runtime/cuda/", "runtime/comm/nccl/", "runtime/comm/mpi/"});
        EXPECT_TRUE(plug_in || !starts_with_any(i.target, {"cuda", "cublas", "cudnn", "nvrtc",
                                                           "cusolver", "nccl", "mpi.h"}))
            << to_string(i);
    }
}

TEST(Includes, python_stays_in_its_package) {
    for (const auto& i : all_includes())
        EXPECT_TRUE(i.file.starts_with("frontend/python/") ||
                    !starts_with_any(i.target, {"Python.h", "nanobind/", "numpy/"}))
            << to_string(i);
}

}  // namespace
}  // namespace catena::structure
