// Chainer's train_word2vec: vectors of words that predict their neighbours (Mikolov et al. 2013).
#include <random>

#include "support/example.h"
#include "support/sentences.h"
#include "word2vec/word2vec.h"
#include <catena/frontend/link/loss/hierarchical_softmax.h>
#include <catena/frontend/link/loss/negative_sampling.h>

namespace ct = catena;
namespace extensions = catena::extensions;

struct Options {
    std::string data, model = "skipgram", out_type = "hsm", out = "result", resume;
    int64_t units = 100, window = 5, batch_size = 1000, negative_size = 5,
            snapshot_interval = 10000;
    double epochs = 20, alpha = 0.001;
};

/// The score of every word, and the cross entropy of the right one.
struct SoftmaxLoss : ct::Chain {
    ct::Linear out;
    SoftmaxLoss(int64_t units, int64_t words) : out(units, words, {.initialW = 0.0}) {
        add_children({{"out", out}});
    }
    ct::Variable operator()(const ct::Variable& x, const ct::Variable& t) {
        return ct::softmax_cross_entropy(out(x), t);
    }
};

/// A link whose result is a sum over the words, as their mean.
template <class Sum>
struct Mean : ct::Chain {
    Sum loss;
    explicit Mean(Sum link) : loss(std::move(link)) { add_child("loss", loss); }
    ct::Variable operator()(const ct::Variable& x, const ct::Variable& t) {
        return loss(x, t) / double(t.size());
    }
};

/// `cbow`: the mean vector of the neighbours predicts the word. Otherwise (skip-gram) each
/// neighbour's vector does.
template <class Loss>
struct Word2Vec : ct::Chain {
    ct::EmbedID embed;
    Loss predict;
    bool cbow;
    Word2Vec(int64_t words, int64_t units, Loss loss, bool cbow)
        : embed(words, units, {.initialW = ct::initializers::Uniform(1.0 / double(units))}),
          predict(std::move(loss)),
          cbow(cbow) {
        add_children({{"embed", embed}, {"predict", predict}});
    }
    /// Words x [n] and their neighbours [n, 2 w].
    ct::Variable operator()(const ct::Variable& x, const ct::Variable& neighbours) {
        const ct::Variable e = embed(neighbours);
        ct::Variable loss;
        if (cbow) {
            loss = predict(ct::mean(e, 1), x);
        } else {
            const ct::Shape& shape = e.shape();
            const ct::Variable words =
                ct::broadcast_to(ct::expand_dims(x, 1), {shape[0], shape[1]});
            loss = predict(ct::reshape(e, {shape[0] * shape[1], shape[2]}), ct::flatten(words));
        }
        ct::report({{"loss", loss}}, *this);
        return loss;
    }
};

/// Words at random places of a text, with their neighbours: up to 1, 2, ... `window` words before
/// and after, another number for each batch.
class WindowIterator : public ct::Iterator {
public:
    WindowIterator(const ct::Array& words, int64_t window, int64_t batch_size, uint64_t seed,
                   bool repeat = true)
        : words_(words.to_vector<int32_t>()),
          window_(window),
          batch_size_(batch_size),
          repeat_(repeat),
          seed_(seed) {
        if (words.size() <= 2 * window)
            ct::fail<ct::ValueError>(
                "word2vec: a window of {} on each side needs more than {} words", window,
                words_.size());
        new_order();
    }
    std::optional<std::vector<ct::Example>> next() override {
        if (!repeat_ && epoch_ > 0) return std::nullopt;
        previous_ = epoch_detail();
        const int64_t end = std::min(position_ + batch_size_, int64_t(order_.size()));
        const int64_t w =
            1 + int64_t(std::mt19937_64(seed_ + uint64_t(batches_))() % uint64_t(window_));
        std::vector<ct::Example> batch;
        for (; position_ < end; ++position_)
            batch.push_back(window_around(window_ + order_[position_], w));
        ++batches_;
        is_new_epoch_ = position_ == int64_t(order_.size());
        if (is_new_epoch_) {
            ++epoch_;
            position_ = 0;
            new_order();
        }
        return batch;
    }
    void reset() override {
        epoch_ = position_ = batches_ = 0;
        new_order();
    }
    int64_t batch_size() const override { return batch_size_; }
    bool repeat() const override { return repeat_; }
    int64_t epoch() const override { return epoch_; }
    bool is_new_epoch() const override { return is_new_epoch_; }
    double epoch_detail() const override {
        return double(epoch_) + double(position_) / double(order_.size());
    }
    std::optional<double> previous_epoch_detail() const override { return previous_; }
    int64_t current_position() const override { return position_; }
    void serialize(const ct::Serializer& s) override {
        s("epoch", epoch_);
        s("current_position", position_);
        s("batches", batches_);
        if (s.loading()) s.later([this] { new_order(); });
    }

private:
    void new_order() {
        order_ = ct::permutation(int64_t(words_.size()) - 2 * window_, ct::RandomStream{seed_, 0},
                                 epoch_);
    }
    ct::Example window_around(int64_t place, int64_t w) const {
        std::vector<int32_t> neighbours(words_.begin() + place - w, words_.begin() + place);
        neighbours.insert(neighbours.end(), words_.begin() + place + 1,
                          words_.begin() + place + w + 1);
        return {ct::Array::scalar(words_[place]), ct::Array::from(neighbours, {2 * w})};
    }
    std::vector<int32_t> words_;
    std::vector<int64_t> order_;
    int64_t window_, batch_size_;
    bool repeat_;
    uint64_t seed_;
    int64_t epoch_ = 0, position_ = 0, batches_ = 0;
    bool is_new_epoch_ = false;
    std::optional<double> previous_;
};

static WordVectors vectors_of(const ct::EmbedID& embed,
                              const std::map<std::string, int32_t>& vocabulary) {
    const std::vector<double> values = embed.W.array().to_vector<double>();
    const int64_t units = embed.W.shape()[1];
    std::vector<std::string> words(vocabulary.size());
    for (const auto& [word, number] : vocabulary) words[number] = word;
    WordVectors made;
    for (size_t i = 0; i < words.size(); ++i)
        made.add(words[i], std::vector<double>(values.begin() + int64_t(i) * units,
                                               values.begin() + int64_t(i + 1) * units));
    return made;
}

/// In how many cases the word nearest to one of the made-up sentences is of its kind.
static double share_of_kin(const WordVectors& model) {
    const auto& kinds = examples::kinds_of_words();
    std::map<std::string, size_t> kind_of;
    for (size_t kind = 0; kind < kinds.size(); ++kind)
        for (const std::string& word : kinds[kind]) kind_of[word] = kind;
    double right = 0;
    for (size_t i = 0; i < model.words.size(); ++i)
        if (const auto kind = kind_of.find(model.words[i]); kind != kind_of.end()) {
            const auto other = kind_of.find(model.words[model.nearest(int64_t(i), 1)[0]]);
            right += other != kind_of.end() && other->second == kind->second;
        }
    return right / double(kind_of.size());
}

struct Corpus {
    ct::Array text;
    std::map<std::string, int32_t> vocabulary;
    std::vector<double> counts() const {
        std::vector<double> counted(vocabulary.size());
        for (const int64_t word : text.to_vector<int64_t>()) ++counted[size_t(word)];
        return counted;
    }
};

static Corpus load_corpus(const std::string& folder) {
    if (!folder.empty())
        return {ct::get_ptb_words(folder).train, ct::get_ptb_words_vocabulary(folder)};
    const examples::Sentences sentences(3000, 1);
    return {sentences.words(), sentences.vocabulary()};
}

template <class Loss>
static void train(examples::Example& example, const Options& options, const Corpus& corpus,
                  Loss loss) {
    Word2Vec<Loss> model(int64_t(corpus.vocabulary.size()), options.units, std::move(loss),
                         options.model == "cbow");
    ct::Adam optimizer(options.alpha);
    optimizer.setup(model);

    WindowIterator iterator(corpus.text, options.window, options.batch_size, example.seed);
    ct::StandardUpdater updater(iterator, optimizer, model,
                                {.device = &ct::current_device(), .static_graph = true});
    ct::Trainer trainer(updater, {options.epochs, "epoch"}, options.out);
    trainer.extend(extensions::LogReport());
    trainer.extend(extensions::PrintReport({"epoch", "main/loss", "elapsed_time"}));
    trainer.extend(extensions::ProgressBar());
    trainer.extend(extensions::snapshot({.n_retains = 1}),
                   {.trigger = {options.snapshot_interval, "iteration"}});
    if (!options.resume.empty()) ct::load_npz(options.resume, trainer);
    trainer.run();

    const WordVectors vectors = vectors_of(model.embed, corpus.vocabulary);
    save_word_vectors(options.out + "/word2vec.model", vectors);
    if (options.data.empty())
        example.result("share of words beside one of their kind", share_of_kin(vectors),
                       examples::Better::larger);
    else
        example.result("loss", examples::observed(trainer, "main/loss"), examples::Better::smaller);
    example.print_times(updater, 20);
}

static void train(examples::Example& example, const Options& options) {
    const Corpus corpus = load_corpus(options.data);
    if (options.out_type == "original") {
        train(example, options, corpus,
              SoftmaxLoss(options.units, int64_t(corpus.vocabulary.size())));
    } else if (options.out_type == "ns") {
        train(example, options, corpus,
              Mean(ct::NegativeSampling(options.units, corpus.counts(), options.negative_size)));
    } else {
        std::vector<std::pair<int64_t, double>> counts;
        for (const double count : corpus.counts())
            counts.push_back({int64_t(counts.size()), count});
        train(example, options, corpus,
              Mean(ct::BinaryHierarchicalSoftmax(
                  options.units, ct::BinaryHierarchicalSoftmax::create_huffman_tree(counts))));
    }
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Learns vectors of words");
    example.flag(
        "--data", options.data,
        "folder of ptb.train.txt, ptb.valid.txt and ptb.test.txt; else sentences are made up");
    example.flag("-u,--unit", options.units, "length of a vector");
    example.flag("-w,--window", options.window, "most neighbours on each side");
    example.flag("-b,--batchsize", options.batch_size, "words in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the text");
    example.flag("--alpha", options.alpha, "step size of Adam");
    example.choice("-m,--model", options.model, {"skipgram", "cbow"},
                   "what predicts: each neighbour, or their mean");
    example.choice("-o,--out-type", options.out_type, {"hsm", "ns", "original"},
                   "hierarchical softmax, negative sampling, or a softmax over all words");
    example.flag("--negative-size", options.negative_size,
                 "words that are drawn beside the right one");
    example.flag("--out", options.out, "folder for the log, snapshots and word2vec.model");
    example.flag("-r,--resume", options.resume, "snapshot to go on from");
    example.flag("--snapshot-interval", options.snapshot_interval, "iterations between snapshots");
    return example.run(argc, argv, [&] { train(example, options); });
}
