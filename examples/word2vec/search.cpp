// Finds the words whose vectors are nearest to those of the words on the standard input, one a
// line.
#include <iostream>

#include "support/example.h"
#include "word2vec/word2vec.h"

static void search(const std::string& folder, int64_t count) {
    const WordVectors model = load_word_vectors(folder + "/word2vec.model");
    for (std::string word; std::getline(std::cin, word);) {
        const auto found = std::find(model.words.begin(), model.words.end(), word);
        if (found == model.words.end()) {
            fmt::print("{}: not a word of the model\n", word);
            continue;
        }
        const int64_t number = found - model.words.begin();
        fmt::print("query: {}\n", word);
        for (const int64_t other : model.nearest(number, count))
            fmt::print("{}: {:.4f}\n", model.words[other], model.cosine(number, other));
    }
}

int main(int argc, char** argv) {
    std::string folder = "result";
    int64_t count = 5;
    examples::Example example("Finds words of similar use");
    example.flag("--result", folder, "folder of word2vec.model, written by train_word2vec");
    example.flag("-n,--count", count, "words to show");
    return example.run(argc, argv, [&] { search(folder, count); });
}
