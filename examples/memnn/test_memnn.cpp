// Chainer's test_memnn: answers the questions of a file with a model of train_memnn.
#include "memnn/babi.h"
#include "memnn/memory_network.h"
#include "memnn/story_arrays.h"
#include "support/example.h"
#include "support/setup.h"

namespace ct = catena;

static std::string text_of(const std::vector<int32_t>& numbers,
                           const std::vector<std::string>& words) {
    std::string text;
    for (const int32_t number : numbers) text += (text.empty() ? "" : " ") + words[size_t(number)];
    return text;
}

/// Questions with words that the model has not seen in its training make no sense to it.
static std::vector<Query> load_queries(const std::string& path, const examples::Setup& setup) {
    Vocabulary vocabulary = setup.numbers();
    std::istringstream made_up(made_up_stories(200, 2));
    const std::vector<Query> queries =
        path.empty() ? parse_stories(made_up, vocabulary) : read_stories(path, vocabulary);
    for (const auto& [word, number] : vocabulary)
        if (size_t(number) >= setup.words().size())
            ct::fail<ct::FileError>("memnn: {} has the word '{}', which the model does not know",
                                    path, word);
    if (longest_sentence(queries) > setup.number("length"))
        ct::fail<ct::FileError>(
            "memnn: {} has a sentence of {} words; the model was trained for {}", path,
            longest_sentence(queries), setup.number("length"));
    return queries;
}

static void test(examples::Example& example, const std::string& model_path, const std::string& data,
                 int64_t shown) {
    const examples::Setup setup(model_path + ".txt");
    const std::vector<Query> queries = load_queries(data, setup);
    MemoryNetwork network(int64_t(setup.words().size()), setup.number("units"),
                          setup.number("hops"), setup.number("memory"),
                          setup.text("sentence_repr") == "pe");
    ct::load_npz(model_path, network);

    const auto test_mode = ct::using_config(&ct::Config::train, false);
    const auto no_graph = ct::no_backprop_mode();
    auto answers = ct::static_graph(
        [&](const ct::Variable& s, const ct::Variable& q) { return ct::argmax(network(s, q), 1); },
        "answer");
    ct::SerialIterator batches(dataset_of(queries, setup.number("memory"), setup.number("length")),
                               100, {.repeat = false, .shuffle = false});
    std::vector<int32_t> said;
    ct::Batch last;
    while (auto batch = batches.next_batch(&ct::current_device())) {
        const std::vector<int32_t> found =
            answers((*batch)[0], (*batch)[1]).array().to_vector<int32_t>();
        said.insert(said.end(), found.begin(), found.end());
        last = *batch;
    }
    double right = 0;
    for (size_t i = 0; i < queries.size(); ++i) {
        right += said[i] == queries[i].answer;
        if (int64_t(i) < shown)
            fmt::print("{}? {} (right: {})\n", text_of(queries[i].question, setup.words()),
                       setup.words()[size_t(said[i])], setup.words()[size_t(queries[i].answer)]);
    }
    example.result("test accuracy", right / double(queries.size()), examples::Better::larger);
    example.print_times([&] { answers(last[0], last[1]); }, 50);
}

int main(int argc, char** argv) {
    std::string model = "result/model.npz", data;
    int64_t shown = 5;
    examples::Example example("Answers questions with a trained memory network");
    example.flag("-m,--model", model, "file of train_memnn, beside its words, MODEL.txt");
    example.flag("--data", data,
                 "stories in the format of the bAbI tasks; else stories are made up");
    example.flag("--show", shown, "answers to print", 0);
    return example.run(argc, argv, [&] { test(example, model, data, shown); });
}
