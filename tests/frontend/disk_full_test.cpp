// Every writer where no more bytes can be written: an error that names the file, the old file as it
// was, and nothing beside it. A limit of the size of files stands for a full disk.
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

class SizeLimit {
public:
    explicit SizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_;
};

std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes with ever more room, until it works.
void check(const std::string& name, const std::function<void(const std::string& path)>& write) {
    SCOPED_TRACE(name);
    const fs::path folder = fs::path(::testing::TempDir()) / ("disk_full_" + name);
    fs::remove_all(folder);
    fs::create_directories(folder);
    const fs::path path = folder / name;
    std::ofstream(path) << "old";
    int failures = 0;
    for (rlim_t room = 16; room < (rlim_t(1) << 28); room *= 4) {
        try {
            const SizeLimit limit(room);
            write(path.string());
            break;
        } catch (const Error& error) {
            ++failures;
            EXPECT_FALSE(std::string(error.what()).empty());
        }
        EXPECT_EQ(content(path), "old") << "with room for " << room;
        EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1)
            << "with room for " << room;
    }
    EXPECT_GT(failures, 0);
    const std::string limited = content(path);
    write(path.string());
    EXPECT_EQ(limited.size(), content(path).size());
    fs::remove_all(folder);
}

TEST(DiskFull, packages_pages_records_and_arrays) {
    if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    Mlp model;
    auto region = static_graph([&](const Variable& x) { return model(x); }, "full");
    region(batch(1, 2, 3));
    check("model.catena", [&](const std::string& path) { region.save(path); });
    check("model.html", [&](const std::string& path) { region.save_html(path); });
    check("model.npz", [&](const std::string& path) { save_npz(path, model); });
    check("data.records", [&](const std::string& path) {
        RecordDatasetWriter records(path);
        for (int i = 0; i < 20; ++i) records.write(Example{batch(i, 3, 3).array()});
        records.finish();
    });
}

}  // namespace
}  // namespace catena::testing
