#include "frontend/dataset/well_known/ptb.h"

#include <functional>
#include <sstream>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"

namespace catena {
namespace {

void for_each_word(const std::string& path, const std::function<void(const std::string&)>& visit) {
    std::istringstream file(FileReader(path).read_text());
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        for (std::string word; words >> word;) visit(word);
        visit("<eos>");
    }
}

std::string path_of(const std::string& folder, const char* part) {
    return fmt::format("{}/ptb.{}.txt", folder, part);
}

}  // namespace

std::map<std::string, int32_t> get_ptb_words_vocabulary(const std::string& folder) try {
    std::map<std::string, int32_t> numbers;
    for_each_word(path_of(folder, "train"), [&](const std::string& word) {
        numbers.try_emplace(word, int32_t(numbers.size()));
    });
    return numbers;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("get_ptb_words_vocabulary", folder);
}

PtbWords get_ptb_words(const std::string& folder) try {
    const std::map<std::string, int32_t> numbers = get_ptb_words_vocabulary(folder);
    auto read = [&](const char* part) {
        const std::string path = path_of(folder, part);
        std::vector<int32_t> ids;
        for_each_word(path, [&](const std::string& word) {
            auto found = numbers.find(word);
            if (found == numbers.end())
                fail<FileError>("{}: '{}' is not in the training set", path, word);
            ids.push_back(found->second);
        });
        DeviceScope host(cpu_device());
        return Array::from(ids, {int64_t(ids.size())});
    };
    return {read("train"), read("valid"), read("test")};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("get_ptb_words", folder);
}

}  // namespace catena
