// Chainer's train_memnn: a memory network answers questions about stories.
#include "examples/memnn/babi.h"
#include "examples/memnn/memory_network.h"
#include "examples/support/example.h"

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string train_data, test_data, sentence_repr = "bow", out = "result", model = "model.npz";
    int64_t batch_size = 100, units = 20, hops = 3, max_memory = 50;
    double epochs = 100, alpha = 0.001;
};

static int64_t longest_sentence(const std::vector<Query>& queries) {
    size_t longest = 0;
    for (const Query& query : queries) {
        longest = std::max(longest, query.question.size());
        for (const auto& sentence : query.sentences) longest = std::max(longest, sentence.size());
    }
    return int64_t(longest);
}

/// Tuples of sentences, latest first, question and answer; filled with -1.
static ct::Dataset dataset_of(const std::vector<Query>& queries, int64_t memory, int64_t length) {
    const int64_t n = int64_t(queries.size());
    std::vector<int32_t> sentences(size_t(n * memory * length), -1), questions(size_t(n * length), -1), answers;
    for (int64_t i = 0; i < n; ++i) {
        const Query& query = queries[size_t(i)];
        for (int64_t age = 0; age < std::min<int64_t>(memory, int64_t(query.sentences.size())); ++age) {
            const auto& sentence = query.sentences[query.sentences.size() - 1 - size_t(age)];
            std::copy(sentence.begin(), sentence.end(), sentences.begin() + (i * memory + age) * length);
        }
        std::copy(query.question.begin(), query.question.end(), questions.begin() + i * length);
        answers.push_back(query.answer);
    }
    return ct::TupleDataset(ct::Array::from(sentences, {n, memory, length}), ct::Array::from(questions, {n, length}),
                            ct::Array::from(answers, {n}));
}

static void train(examples::Example& example, const Options& options) {
    Vocabulary vocabulary;
    const auto load = [&](const std::string& path, int64_t count, uint64_t seed) {
        if (!path.empty()) return read_stories(path, vocabulary);
        std::istringstream text(made_up_stories(count, seed));
        return parse_stories(text, vocabulary);
    };
    const std::vector<Query> training = load(options.train_data, 1000, 1), test = load(options.test_data, 200, 2);
    const int64_t length = std::max(longest_sentence(training), longest_sentence(test));
    size_t memory = 0;
    for (const auto& queries : {training, test})
        for (const Query& query : queries) memory = std::max(memory, query.sentences.size());
    const int64_t max_memory = std::min(options.max_memory, int64_t(memory));

    ct::Device* device = &ct::current_device();
    MemoryNetwork network(int64_t(vocabulary.size()), options.units, options.hops, max_memory, options.sentence_repr == "pe");
    struct Answering : ct::Chain {  // a Classifier of two inputs
        MemoryNetwork& predictor;
        explicit Answering(MemoryNetwork& p) : predictor(p) {}
        ct::Variable operator()(const ct::Variable& sentences, const ct::Variable& question, const ct::Variable& answer) {
            const ct::Variable y = predictor(sentences, question), loss = ct::softmax_cross_entropy(y, answer);
            ct::report({{"loss", loss}, {"accuracy", ct::accuracy(y, answer)}}, predictor);
            return loss;
        }
    } model(network);
    ct::Adam optimizer(options.alpha);
    optimizer.setup(network);

    ct::SerialIterator train_iter(dataset_of(training, max_memory, length), options.batch_size);
    ct::SerialIterator test_iter(dataset_of(test, max_memory, length), options.batch_size, {.repeat = false, .shuffle = false});
    ct::StandardUpdater updater(train_iter, optimizer, model, {.device = device, .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    const auto evaluate = [&](const ct::Variable& s, const ct::Variable& q, const ct::Variable& a) { model(s, q, a); };
    trainer.extend(extensions::Evaluator(test_iter, network, evaluate, {.device = device, .static_graph = true}));
    trainer.extend(extensions::snapshot({.n_retains = 1}));
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport({"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                            "validation/main/accuracy", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    trainer.run();

    ct::save_npz(options.out + "/" + options.model, network);
    example.result("test accuracy", trainer.observation().at("validation/main/accuracy").value(), examples::Better::larger);
    example.print_times([&] { updater.update(); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Trains a memory network to answer questions");
    example.flag("--train-data", options.train_data, "stories in the format of the bAbI tasks; else stories are made up");
    example.flag("--test-data", options.test_data, "stories for testing");
    example.flag("-b,--batchsize", options.batch_size, "questions in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "length of a word's vector");
    example.flag("-H,--hop", options.hops, "readings of the memory");
    example.flag("--max-memory", options.max_memory, "sentences that are remembered");
    example.choice("--sentence-repr", options.sentence_repr, {"bow", "pe"}, "bag of words, or weighted by position");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.flag("-o,--out", options.out, "folder for the log, snapshots and model");
    example.flag("-m,--model", options.model, "file in --out");
    return example.run(argc, argv, [&] { train(example, options); });
}
