// Damaged and hostile files: every reader gives what the file holds or an error of Catena's, in
// little time and memory.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <zlib.h>

#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/dataset/example_bytes.h"
#include "frontend/dataset/record_dataset.h"
#include "frontend/dataset/text_dataset.h"
#include "frontend/dataset/well_known/idx.h"
#include "frontend/dataset/well_known/ptb.h"
#include "frontend/dataset/well_known/svhn.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/trainer/json.h"
#include "runtime/file/limits.h"
#include "runtime/file/npy.h"
#include "runtime/file/zip_reader.h"
#include "runtime/file/zip_writer.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/program.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/supervised.h"
#include "tests/support/mutator.h"
#if CATENA_HAS_CAFFE
#include "frontend/caffe/caffe_function.h"
#endif
#if CATENA_HAS_ONNX
#include "frontend/onnx/import.h"
#endif
#if CATENA_HAS_IMAGES
#include "frontend/image/image.h"
#include "frontend/image/image_dataset.h"
#endif

namespace catena::fuzz {
namespace {

namespace fs = std::filesystem;
using testing::mutated;
using testing::Random;

double environment(const char* name, double fallback) {
    const char* value = std::getenv(name);
    return value && *value ? std::atof(value) : fallback;
}

constexpr uint64_t limit_bytes = uint64_t(64) << 20;
constexpr int64_t peak_bytes =
    int64_t(700) << 20;  // What is announced, what is unpacked, what it becomes, and this program.

/// CATENA_FUZZ_SEED says where to begin (1), CATENA_FUZZ_FILES_SECONDS how long each of the tests
/// runs (1, but 200 files at least); a failure prints its seed, and its file stays in
/// CATENA_FUZZ_KEEP, if that is a folder.
class FuzzedFiles : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        // In memory, where there is such a folder: every input is a file.
        std::error_code none;
        const fs::path memory = "/dev/shm",
                       parent = fs::is_directory(memory, none) && access(memory.c_str(), W_OK) == 0
                                    ? memory
                                    : fs::temp_directory_path();
        std::string pattern = (parent / "catena_fuzz_XXXXXX").string();
        root() = mkdtemp(pattern.data());
        // Threads of this process would be missing in the children.
        ASSERT_TRUE(in_child([] { write_corpora(root() + "/corpus"); }));
        fs::create_directory(root() + "/work");
    }
    static void TearDownTestSuite() { fs::remove_all(root()); }
    static std::string& root() {
        static std::string path;
        return path;
    }
    static std::string work(const std::string& name) { return root() + "/work/" + name; }

    using Make = std::function<std::string(const std::vector<std::string>& corpus, Random& random)>;
    struct How {
        bool memory_is_bounded =
            true;  ///< By what the file announces; not where a model may compute what it likes.
        int64_t address_bytes = 0;
        double seconds = 1;  ///< Of the share of a test.
    };

    /// Reads what `make` makes of the corpus of this kind.
    void fuzz(const std::string& kind, const std::function<void(const std::string& path)>& read,
              const Make& make, const How& how) {
        const std::vector<std::string> corpus = read_corpus(root() + "/corpus/" + kind);
        if (kind == "hdf5" && !hdf5_available()) GTEST_SKIP() << "this build has no HDF5";
        if (kind == "package" && !compiler_available())
            GTEST_SKIP() << "this build has no compiler to make packages";
        ASSERT_FALSE(corpus.empty()) << "no valid file of kind " << kind << " was made";
        const std::string path = work("input." + kind);
        const uint64_t first = uint64_t(environment("CATENA_FUZZ_SEED", 1)) << 32;
        const Supervision supervision{
            .first_seed = first,
            .seconds = how.seconds * environment("CATENA_FUZZ_FILES_SECONDS", 1),
            .least_inputs = 200,
            .address_bytes = how.address_bytes};
        const auto input = [&](uint64_t seed) {
            Random random(seed);
            return make(corpus, random);
        };
        const Tally tally = supervised(supervision, [&](uint64_t seed) {
            FileLimits limits;
            limits.bytes = limit_bytes;
            limits.steps = 1000;
            set_file_limits(limits);
            write_file(path, input(seed));
            try {
                read(path);
                return true;
            } catch (const Error&) {
                return false;
            }
        });
        std::cout << "[          ] " << kind << ": " << tally.inputs << " inputs from seed "
                  << (first >> 32) << ", " << tally.accepted << " accepted, " << tally.refused
                  << " refused, " << tally.failures.size() << " failures, at most "
                  << (tally.peak_bytes >> 20) << " MiB\n";
        for (const Tally::Failure& failure : tally.failures) {
            ADD_FAILURE() << kind << ", seed " << (failure.seed >> 32) << " input "
                          << (failure.seed & 0xffffffff) << ": " << failure.what;
            if (const char* keep = std::getenv("CATENA_FUZZ_KEEP"))
                write_file(fmt::format("{}/{}-{:x}", keep, kind, failure.seed),
                           input(failure.seed));
        }
        EXPECT_GT(tally.inputs, 50) << "hardly anything was tried";
        EXPECT_GT(tally.refused * 50, tally.inputs)
            << "hardly anything was refused: the files are not read";
        EXPECT_GT(tally.accepted * 1000, tally.inputs)
            << "hardly anything was accepted: the damage is too coarse";
#if !defined(__SANITIZE_ADDRESS__)
        if (how.memory_is_bounded) {
            EXPECT_LT(tally.peak_bytes, peak_bytes);
        }
#endif
    }
    void fuzz(const std::string& kind, const std::function<void(const std::string& path)>& read) {
        fuzz(kind, read, mutated, {});
    }
};

/// The content of a zip archive with one entry damaged and all checksums right.
std::string with_a_damaged_entry(const std::string& archive, const std::string& path,
                                 Random& random) {
    write_file(path, archive);
    std::vector<std::pair<std::string, std::string>> entries;
    {
        const ZipReader zip(path);
        for (const ZipEntry& entry : zip.entries()) {
            std::string content(size_t(entry.bytes), '\0');
            zip.open(entry)->read(content.data(), content.size());
            entries.emplace_back(entry.name, std::move(content));
        }
    }
    std::vector<std::string> contents;
    for (const auto& [name, content] : entries) contents.push_back(content);
    std::string& damaged = entries[random() % entries.size()].second;
    std::vector<std::string> corpus{damaged};
    if (random() % 8 == 0) corpus.push_back(contents[random() % contents.size()]);
    damaged = mutated(corpus, random);
    ZipWriter zip(path);
    for (const auto& [name, content] : entries) {
        zip.begin(name, random() % 2);
        zip.write(content.data(), content.size());
        zip.end();
    }
    zip.finish();
    return content_of(path);
}

void read_all(const ArchiveReader& file) {
    for (const std::string& key : file.keys()) {
        bool good = false;
        for (const auto& read : {std::function([&] { to_string(file.read(key)); }),
                                 std::function([&] { file.read_text(key); })}) {
            try {
                read();
                good = true;
            } catch (const Error&) {
            }
        }
        if (!good) fail<FileError>("'{}' is neither array nor text", key);
    }
}

TEST_F(FuzzedFiles, npy) {
    fuzz("npy", [](const std::string& path) { to_string(load_npy(path)); });
}

void read_archive(const std::string& path) { read_all(NpzFile(path)); }

TEST_F(FuzzedFiles, npz) { fuzz("npz", read_archive); }

TEST_F(FuzzedFiles, npz_with_right_checksums) {
    fuzz("npz", read_archive,
         [](const std::vector<std::string>& corpus, Random& random) {
             return with_a_damaged_entry(corpus[random() % corpus.size()], work("changed.npz"),
                                         random);
         },
         {});
}

TEST_F(FuzzedFiles, hdf5) {
    fuzz("hdf5", [](const std::string& path) { read_all(*open_hdf5(path)); });
}

TEST_F(FuzzedFiles, json) {
    fuzz("json", [](const std::string& path) { parse_json(content_of(path), path).dump(); });
}

TEST_F(FuzzedFiles, idx) {
    fuzz("idx", [](const std::string& path) { read_idx(path, 3); });
}

TEST_F(FuzzedFiles, cifar) {
    fuzz("cifar", [](const std::string& path) {
        const fs::path folder = work("cifar");
        fs::create_directory(folder);
        for (int k = 1; k <= 5; ++k)
            fs::copy_file(path, folder / fmt::format("data_batch_{}.bin", k),
                          fs::copy_options::overwrite_existing);
        fs::copy_file(path, folder / "test_batch.bin", fs::copy_options::overwrite_existing);
        get_cifar10(folder.string());
    });
}

void read_records(const std::string& path) {
    const RecordDataset records(path);
    for (int64_t i = 0; i < records.size(); ++i) {
        const Example example = records.get_example(i);
        for (const Array& array : example.values()) to_string(array);
    }
}

TEST_F(FuzzedFiles, house_numbers) {
    fuzz("mat", [](const std::string& path) {
        const fs::path folder = work("svhn");
        fs::create_directory(folder);
        for (const char* name : {"train_32x32.mat", "test_32x32.mat"})
            fs::copy_file(path, folder / name, fs::copy_options::overwrite_existing);
        for (const Dataset& set : get_svhn(folder.string(), {}))
            for (int64_t i = 0; i < set.size(); ++i) set[i];
    });
}

/// Texts beside a sound one: words that it has not, or another number of lines, are refused.
TEST_F(FuzzedFiles, texts) {
    fuzz("words", [](const std::string& path) {
        const fs::path folder = work("ptb");
        fs::create_directory(folder);
        write_file((folder / "ptb.train.txt").string(),
                   read_corpus(root() + "/corpus/words").front());
        for (const char* name : {"ptb.valid.txt", "ptb.test.txt"})
            fs::copy_file(path, folder / name, fs::copy_options::overwrite_existing);
        const TextDataset lines({path, (folder / "ptb.train.txt").string()});
        for (int64_t i = 0; i < lines.size(); ++i) lines.texts(i);
        get_ptb_words(folder.string());
    });
}

TEST_F(FuzzedFiles, records) { fuzz("records", read_records); }

/// One example damaged, its checksum right.
TEST_F(FuzzedFiles, records_with_right_checksums) {
    const auto change = [](const std::vector<std::string>& corpus, Random& random) {
        const std::string path = work("changed.records");
        write_file(path, corpus[random() % corpus.size()]);
        const RecordDataset sound(path);
        constexpr size_t signature_bytes = 16, end_bytes = 20;
        const std::string whole = content_of(path);
        std::string file = whole.substr(0, signature_bytes);
        const auto damaged = int64_t(random() % uint64_t(sound.size()));
        for (int64_t i = 0; i < sound.size(); ++i) {
            std::string bytes = example_bytes(sound.get_example(i));
            if (i == damaged) bytes = mutated({bytes}, random);
            const uint64_t size = bytes.size();
            const auto sum =
                uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
            file.append(reinterpret_cast<const char*>(&size), sizeof size)
                .append(reinterpret_cast<const char*>(&sum), sizeof sum) += bytes;
        }
        return file + whole.substr(whole.size() - end_bytes);
    };
    fuzz("records", read_records, change, {});
}

TEST_F(FuzzedFiles, package) {
    fuzz("package", [](const std::string& path) { Program::open(path).verify(); });
}

/// Manifest, schedule or an array changed and all checksums right, so that the checks behind them
/// are reached.
TEST_F(FuzzedFiles, package_with_right_checksums) {
    const auto change = [](const std::vector<std::string>& corpus, Random& random) {
        const std::string path = work("changed.catena");
        write_file(path, corpus[random() % corpus.size()]);
        nlohmann::json manifest;
        program::Package package = program::read_package(path, manifest);
        for (const nlohmann::json& code :
             manifest.at("code"))  // Not read by the loader, and slow to mutate.
            for (const char* part : {"library", "object"})
                package.texts[code.at(part).get<std::string>()] = "code";
        const auto damaged = [&](const std::string& text) { return mutated({text}, random); };
        if (random() % 3 == 0) {
            nlohmann::json changed =
                nlohmann::json::parse(damaged(manifest.dump()), nullptr, false);
            if (changed.is_object()) manifest = std::move(changed);
        } else {
            std::string& schedule = package.texts.at("schedule.json");
            schedule = damaged(schedule);
        }
        program::write_package(path, manifest, package);
        return content_of(path);
    };
    fuzz("package", [](const std::string& path) { Program::open(path).verify(); }, change, {});
}

#if CATENA_HAS_CAFFE
TEST_F(FuzzedFiles, caffe) {
    const auto run = [](const std::string& path) {
        std::freopen("/dev/null", "w",
                     stderr);  // Lines about types of layers that the damage made.
        const caffe::CaffeFunction net(path);
        const auto no_graph = no_backprop_mode();
        net.blobs({{"data", Variable(Array::zeros({Dtype::float32, {2, 4, 7, 6}}), false)},
                   {"label", Variable(Array::zeros({Dtype::int32, {2}}), false)}});
    };
    fuzz("caffe", run, mutated,
         {.memory_is_bounded = false, .address_bytes = int64_t(4) << 30, .seconds = 2});
}
#endif

#if CATENA_HAS_ONNX
TEST_F(FuzzedFiles, onnx) {
    const auto run = [](const std::string& path) {
        const onnx::Model model = onnx::import_model(path);
        const auto test_mode = using_config(&Config::train, false);
        const auto no_graph = no_backprop_mode();
        std::vector<Variable> inputs;
        for (const onnx::Port& port : model.inputs()) {
            Type type{port.dtype.value_or(Dtype::float32), {}};
            for (const std::string& size : port.shape.value_or(std::vector<std::string>()))
                type.shape.push_back(size.size() < 7 ? std::max(std::atoll(size.c_str()), 1ll) : 2);
            inputs.emplace_back(Array::zeros(type), false);
        }
        model.run(inputs);
    };
    fuzz("onnx", run, mutated,
         {.memory_is_bounded = false, .address_bytes = int64_t(4) << 30, .seconds = 2});
}

TEST_F(FuzzedFiles, onnx_tensor) {
    write_file(work("elements.bin"), std::string(64, '\1'));
    fuzz("tensor", [](const std::string& path) { to_string(onnx::load_tensor(path)); });
}
#endif

#if CATENA_HAS_IMAGES
TEST_F(FuzzedFiles, png) {
    fuzz("png", [](const std::string& path) { read_image(path); });
}

TEST_F(FuzzedFiles, jpeg) {
    fuzz("jpeg", [](const std::string& path) { read_image(path); });
}

void read_pictures(const std::string& path) {
    const ZippedImageDataset pictures(std::vector<std::string>{path});
    for (int64_t i = 0; i < pictures.size(); ++i) pictures.get_example(i);
}

TEST_F(FuzzedFiles, pictures_in_an_archive) { fuzz("pictures_zip", read_pictures); }

TEST_F(FuzzedFiles, list_of_pictures) {
    fuzz("text", [](const std::string& path) { LabeledImageDataset(path, {}); });
}
#endif

}  // namespace
}  // namespace catena::fuzz
