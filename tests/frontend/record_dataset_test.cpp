// Datasets in files of records, tables that are other tables, and files that are made once.
#include "frontend/dataset/record_dataset.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/dataset/delegate_dataset.h"
#include "frontend/dataset/well_known/cache_folder.h"
#include "frontend/dataset/well_known/cached_file.h"
#include "runtime/core/system/error.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::path(::testing::TempDir()) / ("catena_records_" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
};

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
void put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

void write_three(const std::string& path) {
    RecordDatasetWriter writer(path);
    writer.write(Array::from<float>({1, 2, 3}));
    writer.write({Array::from<int32_t>({7, 8}, {1, 2}), Array::scalar(5.0)});
    writer.write(
        Example({"x", "t"}, {Array::zeros({Dtype::uint8, {0, 3}}), Array::scalar(int64_t(9))}));
    EXPECT_EQ(writer.size(), 3);
    writer.finish();
}

TEST(RecordDataset, gives_back_examples_of_any_form) {
    const Folder folder;
    const std::string path = folder.file("data.records");
    write_three(path);
    const Dataset data = RecordDataset(path);
    ASSERT_EQ(data.size(), 3);
    EXPECT_EQ(data[0][0].to_vector<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_TRUE(data[1].is_tuple());
    EXPECT_EQ(data[1][0].shape(), Shape({1, 2}));
    EXPECT_EQ(data[1][1].item<double>(), 5);
    EXPECT_EQ(data[-1].keys(), (std::vector<std::string>{"x", "t"}));
    EXPECT_EQ(data[-1]["x"].shape(), Shape({0, 3}));
    EXPECT_EQ(data[-1]["t"].item<int64_t>(), 9);
}

TEST(RecordDataset, is_there_only_after_finish) {
    const Folder folder;
    const std::string path = folder.file("data.records");
    {
        RecordDatasetWriter writer(path);
        writer.write(Array::scalar(1.0f));
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_TRUE(fs::is_empty(folder.path));
}

TEST(RecordDataset, names_the_record_that_is_damaged) {
    const Folder folder;
    const std::string path = folder.file("data.records");
    write_three(path);
    const std::string whole = content(path);
    for (size_t length = 0; length < whole.size(); ++length) {
        put(path, whole.substr(0, length));
        try {
            const RecordDataset cut(path);
            ADD_FAILURE() << "cut to " << length << " bytes it has " << cut.size() << " records";
        } catch (const FileError& error) {
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
        }
    }
    for (size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = char(changed[at] ^ 0x41);
        put(path, changed);
        EXPECT_THROW(
            {
                const RecordDataset data(path);
                for (int64_t i = 0; i < data.size(); ++i) data.get_example(i);
            },
            FileError)
            << at;
    }
}

TEST(RecordDataset, says_that_records_are_missing_or_follow_the_end) {
    const Folder folder;
    const std::string path = folder.file("data.records");
    constexpr size_t signature = 16, head = 12, end = head + 8;
    RecordDatasetWriter empty(path);
    empty.finish();
    EXPECT_EQ(RecordDataset(path).size(), 0);
    EXPECT_EQ(content(path).size(), signature + end);
    write_three(path);
    const std::string whole = content(path);
    const size_t first = head + size_t(uint8_t(whole[signature]));  // Its length is below 256.
    for (const std::string& wrong :
         {whole.substr(0, signature) + whole.substr(signature + first),  // Two of three.
          whole + whole.substr(signature), whole + '\0'}) {
        put(path, wrong);
        EXPECT_THROW(RecordDataset{path}, FileError);
    }
    put(path, whole.substr(0, signature + first));
    try {
        RecordDataset cut{path};
        ADD_FAILURE() << "it was taken for whole";
    } catch (const FileError& error) {
        EXPECT_NE(std::string(error.what()).find("it was cut"), std::string::npos) << error.what();
    }
}

TEST(RecordDataset, reads_files_of_before_there_was_an_end) {
    const Folder folder;
    const std::string path = folder.file("data.records");
    write_three(path);
    std::string old = content(path);
    old[15] = '1';
    put(path, old.substr(0, old.size() - 20));
    const RecordDataset data(path);
    ASSERT_EQ(data.size(), 3);
    EXPECT_EQ(data.get_example(1)[1].item<double>(), 5);
}

TEST(DelegateDataset, is_the_table_it_is_made_of) {
    struct Squares : tabular::DelegateDataset {
        Squares()
            : DelegateDataset(tabular::from_data(
                  {{"x", Array::from<float>({1, 2, 3})}, {"y", Array::from<float>({1, 4, 9})}})) {}
        std::vector<TabularColumn> get_examples(std::span<const int64_t> rows,
                                                std::span<const int> columns) const override {
            reads += int(columns.size());
            return DelegateDataset::get_examples(rows, columns);
        }
        mutable int reads = 0;
    };
    const auto source = std::make_shared<Squares>();
    const TabularDataset table{std::shared_ptr<const TabularSource>(source)};
    EXPECT_EQ(table.size(), 3);
    EXPECT_EQ(table.keys(), (std::vector<std::string>{"x", "y"}));
    EXPECT_EQ(table.column("y")[2][0].item<float>(), 9);
    EXPECT_EQ(source->reads, 1);
}

TEST(DatasetRoot, is_set_by_the_program) {
    const Folder folder;
    const fs::path before = get_dataset_root();
    set_dataset_root(folder.path);
    EXPECT_EQ(cache_folder(), folder.path);
    EXPECT_EQ(get_dataset_directory("a/b"), folder.path / "a/b");
    EXPECT_TRUE(fs::is_directory(folder.path / "a/b"));
    EXPECT_FALSE(fs::exists(get_dataset_directory("c", false)));
    put(folder.file("file"), "");
    EXPECT_THROW(get_dataset_directory("file/c"), FileError);
    set_dataset_root("");
    EXPECT_EQ(get_dataset_root(), before);
}

TEST(CacheOrLoadFile, creates_once_and_loads_later) {
    const Folder folder;
    const fs::path path = folder.path / "new" / "numbers.txt";
    int created = 0, loaded = 0;
    auto creator = [&](const std::string& temporary) {
        EXPECT_FALSE(fs::exists(temporary));
        EXPECT_FALSE(fs::exists(path));
        put(temporary, "1 2 3");
        ++created;
        return std::string("1 2 3");
    };
    auto loader = [&](const std::string& from) { return ++loaded, content(from); };
    EXPECT_EQ(cache_or_load_file(path, creator, loader), "1 2 3");
    EXPECT_EQ(cache_or_load_file(path, creator, loader), "1 2 3");
    EXPECT_EQ(created, 1);
    EXPECT_EQ(loaded, 1);
    EXPECT_THROW(
        cache_or_load_file(
            folder.path / "none", [](const std::string&) { return std::string(); }, loader),
        FileError);
    EXPECT_THROW(cache_or_load_file(
                     folder.path / "fails",
                     [](const std::string&) -> std::string { throw ValueError("no"); }, loader),
                 ValueError);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}),
              1);  // Nothing temporary is left.
}

}  // namespace
}  // namespace catena::testing
