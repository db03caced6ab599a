// Chainer's train_sentiment: a recursive network (Socher et al. 2013) computes the meaning of a
// phrase from those of its two parts. --recursive follows each tree, as one would write it down;
// otherwise phrases of equal height are computed together.
#include <algorithm>
#include <random>

#include "sentiment/trees.h"
#include "support/example.h"

namespace ct = catena;

struct Options {
    std::string train_data, test_data, out = "result";
    int64_t batch_size = 25, units = 30, labels = 5, evaluate_every = 5;
    double epochs = 400, learning_rate = 0.1;
    bool recursive = false;
};

struct RecursiveNet : ct::Chain {
    ct::EmbedID embed;
    ct::Linear l, w;
    RecursiveNet(int64_t words, int64_t units, int64_t labels)
        : embed(words, units), l(2 * units, units), w(units, labels) {
        add_children({{"embed", embed}, {"l", l}, {"w", w}});
    }
    ct::Variable leaf(const ct::Variable& words) { return embed(words); }
    ct::Variable node(const ct::Variable& left, const ct::Variable& right) {
        return ct::tanh(l(ct::concat({left, right}, 1)));
    }
    ct::Variable label(const ct::Variable& meaning) { return w(meaning); }
};

/// The scores and labels of all phrases of a tree are appended to the lists; the meaning of the
/// whole is returned.
static ct::Variable traverse(RecursiveNet& net, const Tree& tree, std::vector<ct::Variable>& scores,
                             std::vector<int32_t>& labels) {
    const ct::Variable meaning =
        tree.is_leaf() ? net.leaf(ct::Array::from({tree.word}).to(ct::current_device()))
                       : net.node(traverse(net, *tree.left, scores, labels),
                                  traverse(net, *tree.right, scores, labels));
    scores.push_back(net.label(meaning));
    labels.push_back(tree.label);
    return meaning;
}

/// The scores of all phrases, by height.
static ct::Variable scores_of(RecursiveNet& net, const ct::Variable& words,
                              const std::vector<ct::Variable>& left,
                              const std::vector<ct::Variable>& right) {
    ct::Variable meanings = net.leaf(words);
    for (size_t height = 0; height < left.size(); ++height)
        meanings = ct::concat({meanings, net.node(ct::take(meanings, left[height]),
                                                  ct::take(meanings, right[height]))},
                              0);
    return net.label(meanings);
}

using Trees = std::vector<std::unique_ptr<Tree>>;

static Trees load(const std::string& path, Vocabulary& vocabulary, int64_t count, uint64_t seed) {
    if (!path.empty()) return read_trees(path, vocabulary);
    MadeUpTrees made_up(seed);
    Trees trees;
    for (int64_t i = 0; i < count; ++i)
        trees.push_back(TreeParser(made_up.tree(4), vocabulary).parse());
    return trees;
}

static std::vector<ct::Variable> variables(const std::vector<ct::Array>& arrays) {
    return {arrays.begin(), arrays.end()};
}

/// The share of phrases, and of whole trees, whose label is found.
struct Accuracy {
    double phrases = 0, trees = 0;
};
static Accuracy evaluate(RecursiveNet& net, const Trees& trees) {
    const auto no_graph = ct::no_backprop_mode();
    Accuracy accuracy;
    double phrases = 0;
    for (const auto& tree : trees) {
        const Levels levels = levels_of({tree.get()});
        const ct::Variable found = ct::argmax(
            scores_of(net, levels.words, variables(levels.left), variables(levels.right)), 1);
        const std::vector<int64_t> guesses = found.array().to_vector<int64_t>(),
                                   labels = levels.labels.to_vector<int64_t>();
        for (size_t i = 0; i < labels.size(); ++i) accuracy.phrases += guesses[i] == labels[i];
        accuracy.trees += guesses.back() == labels.back();
        phrases += double(labels.size());
    }
    return {accuracy.phrases / phrases, accuracy.trees / double(trees.size())};
}

static void train(examples::Example& example, const Options& options) {
    examples::require_together(
        {{"--train-data", options.train_data}, {"--test-data", options.test_data}});
    Vocabulary vocabulary;
    const Trees training = load(options.train_data, vocabulary, 400, 1),
                test = load(options.test_data, vocabulary, 100, 2);
    RecursiveNet net(int64_t(vocabulary.size()), options.units, options.labels);
    ct::AdaGrad optimizer(options.learning_rate);
    optimizer.setup(net);
    optimizer.add_hook(ct::WeightDecay(0.0001));
    const auto learn = [&](const ct::Variable& loss) {
        net.cleargrads();
        loss.backward();
        optimizer.update();
        return loss;
    };
    auto step = ct::static_graph(
        [&](const ct::Variable& words, const std::vector<ct::Variable>& left,
            const std::vector<ct::Variable>& right, const ct::Variable& labels) {
            return learn(ct::softmax_cross_entropy(scores_of(net, words, left, right), labels));
        },
        "sentiment_step");
    const auto iteration = [&](const std::vector<const Tree*>& trees) {
        if (!options.recursive) {
            const Levels levels = levels_of(trees);
            return step(ct::Variable(levels.words), variables(levels.left), variables(levels.right),
                        ct::Variable(levels.labels));
        }
        std::vector<ct::Variable> scores;
        std::vector<int32_t> labels;
        for (const Tree* tree : trees) traverse(net, *tree, scores, labels);
        const ct::Array t =
            ct::Array::from(labels, {int64_t(labels.size())}).to(ct::current_device());
        return learn(ct::softmax_cross_entropy(ct::concat(scores, 0), t));
    };

    std::vector<const Tree*> order;
    for (const auto& tree : training) order.push_back(tree.get());
    std::mt19937_64 random(example.seed);
    const auto batch_at = [&](size_t begin) {
        const size_t end = std::min(begin + size_t(options.batch_size), order.size());
        return std::vector<const Tree*>(order.begin() + int64_t(begin),
                                        order.begin() + int64_t(end));
    };
    for (int64_t epoch = 1; double(epoch) <= options.epochs; ++epoch) {
        std::shuffle(order.begin(), order.end(), random);
        double loss = 0;
        int64_t batches = 0;
        for (size_t begin = 0; begin < order.size(); begin += size_t(options.batch_size), ++batches)
            loss += iteration(batch_at(begin)).item<double>();
        fmt::print("epoch {:>3}  loss {:.4f}", epoch, loss / double(batches));
        if (epoch % options.evaluate_every == 0) {
            const Accuracy accuracy = evaluate(net, test);
            fmt::print("  test accuracy of phrases {:.4f}, of trees {:.4f}", accuracy.phrases,
                       accuracy.trees);
        }
        fmt::print("\n");
    }
    example.result("test accuracy", evaluate(net, test).trees, examples::Better::larger);
    if (!options.recursive) example.print_times([&] { iteration(batch_at(0)); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Learns the sentiment of phrases");
    example.flag("--train-data", options.train_data,
                 "file of trees, as in the Stanford Sentiment Treebank; else trees are made up");
    example.flag("--test-data", options.test_data, "file of trees for testing");
    example.flag("-b,--batchsize", options.batch_size, "trees in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    example.flag("-u,--unit", options.units, "length of a phrase's vector");
    example.flag("-l,--label", options.labels, "number of labels");
    example.flag("--lr", options.learning_rate, "of AdaGrad");
    example.flag("-p,--epocheval", options.evaluate_every, "epochs between evaluations");
    example.flag("--recursive", options.recursive, "follow each tree by itself, not compiled");
    return example.run(argc, argv, [&] { train(example, options); });
}
