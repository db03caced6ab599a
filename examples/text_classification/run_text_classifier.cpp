// Chainer's run_text_classifier: says of each line that it reads what train_text_classifier's best
// model takes it for.
#include <filesystem>
#include <iostream>

#include "support/example.h"
#include "support/setup.h"
#include "text_classification/text_classifier.h"
#include "text_classification/texts.h"

namespace ct = catena;

static void classify(examples::Example& example, const std::string& setup_path) {
    const examples::Setup setup(setup_path);
    const auto vocabulary = setup.numbers();
    const int64_t most_words = setup.number("most_words");
    TextClassifier model(setup.text("model"), setup.number("units"), 0, int64_t(vocabulary.size()),
                         setup.number("classes"));
    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    const auto words_of = [&](const std::string& line) {
        std::istringstream stream(line);
        Text text{0, {}};
        for (std::string word; stream >> word;) text.words.push_back(word);
        const ct::Example words = dataset_of({text}, vocabulary, most_words)[0];
        return ct::expand_dims(words[0].to(ct::current_device()), 0);
    };
    model(words_of(unknown_word));  // creates the parameters
    ct::load_npz((std::filesystem::path(setup_path).parent_path() / "best_model.npz").string(),
                 model);

    auto probabilities = ct::static_graph(
        [&](const ct::Variable& words) { return ct::softmax(model(words)); }, "classify");
    double sure = 0, count = 0;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t") == std::string::npos) continue;
        const std::vector<double> p = probabilities(words_of(line)).array().to_vector<double>();
        const auto best = std::max_element(p.begin(), p.end());
        fmt::print("{} {:.4f}  {}\n", best - p.begin(), *best, line);
        sure += *best, ++count;
    }
    if (count == 0) ct::fail<ct::ValueError>("there was no text to read on the standard input");
    example.result("mean probability", sure / count, examples::Better::larger);
    example.print_times([&] { probabilities(words_of(unknown_word)); }, 50);
}

int main(int argc, char** argv) {
    std::string setup = "result/setup.txt";
    examples::Example example("Classifies the lines of its input: label, probability, line");
    example.flag("--model-setup", setup,
                 "setup.txt of train_text_classifier, beside best_model.npz");
    return example.run(argc, argv, [&] { classify(example, setup); });
}
