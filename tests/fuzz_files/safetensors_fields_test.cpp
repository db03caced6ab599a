// Safetensors files whose header says other things: any type, size, offset and name, in JSON of the
// right length, so that the checks behind the parser are reached.
#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "frontend/serializer/safetensors.h"
#include "runtime/core/system/error.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/fields.h"
#include "tests/fuzz_files/json_fields.h"
#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

using testing::Random;

/// A valid file: some tensors one behind the other, some of them empty, in any order.
struct TensorFile {
    nlohmann::json header = nlohmann::json::object();
    std::string data;

    explicit TensorFile(Random& random) {
        const char* const types[] = {"BOOL", "U8",  "I16", "F16", "BF16",   "I32",
                                     "U32",  "F32", "U64", "F64", "F8_E4M3"};
        const size_t bytes[] = {1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 1};
        for (uint64_t i = 0, count = random() % 5; i < count; ++i) {
            const size_t type = random() % std::size(types);
            size_t size = bytes[type];
            nlohmann::json shape = nlohmann::json::array();
            for (uint64_t axis = random() % 4; axis > 0; --axis) {
                shape.push_back(random() % 4);
                size *= shape.back().get<size_t>();
            }
            const std::string name = "t" + std::to_string(random() % 100) + std::to_string(i);
            header[name] = {{"dtype", types[type]},
                            {"shape", shape},
                            {"data_offsets", {data.size(), data.size() + size}}};
            data += std::string(size, char(random() % 3));
        }
        if (random() % 2) header["__metadata__"] = {{"format", "pt"}, {"catena.none", "a\nb"}};
    }
};

/// Sizes and offsets to what is near or far, beside what any JSON is changed to.
void change_sizes(nlohmann::json& header, Random& random) {
    for (auto& [name, tensor] : header.items()) {
        if (!tensor.contains("data_offsets") || random() % 3) continue;
        nlohmann::json& list = tensor[random() % 2 ? "data_offsets" : "shape"];
        if (!list.is_array() || list.empty()) continue;
        nlohmann::json& number = list[random() % list.size()];
        if (number.is_number_integer()) number = odd_integer(number.get<int64_t>(), random);
    }
}

TEST(FieldsOfSafetensors, give_arrays_or_errors_whatever_they_are) {
    const auto write = [](const std::string& path, uint64_t seed) {
        Random random(seed);
        TensorFile file(random);
        if (random() % 4) change_json(file.header, random);
        if (random() % 4 == 0) change_sizes(file.header, random);
        if (random() % 8 == 0) file.data.resize(random() % 64);
        std::string text =
            file.header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        text.append(random() % 9, ' ');
        const uint64_t length = text.size();
        write_file(path, std::string(reinterpret_cast<const char*>(&length), sizeof length) + text +
                             file.data);
    };
    const auto read = [](const std::string& path, uint64_t) {
        const SafetensorsFile file(path);
        bool all = true;
        for (const std::string& key : file.keys()) {
            try {
                if (file.is_text(key))
                    file.read_text(key);
                else if (const Array array = file.read(key); array.defined())
                    to_string(array);
            } catch (const Error&) {  // Of a type that Catena lacks; the others are read.
                all = false;
            }
        }
        if (!all) fail<FileError>("some cannot be read");
    };
    fuzz_fields({.kind = "safetensors", .seconds = 2}, write, read);
}

}  // namespace
}  // namespace catena::fuzz
