// Chainer's postagging: a conditional random field (Lafferty et al. 2001) gives each word of a
// sentence its part of speech.
#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "support/example.h"

namespace ct = catena;

struct Options {
    std::string data, out = "result";
    int64_t batch_size = 30;
    double epochs = 20;
};

struct Sentence {
    std::vector<int32_t> words, tags;
};

/// Sentences, and how many words and tags there are.
struct Corpus {
    std::vector<Sentence> sentences;
    std::map<std::string, int32_t> words, tags;
    void add(Sentence& to, const std::string& word, const std::string& tag) {
        to.words.push_back(words.try_emplace(word, int32_t(words.size())).first->second);
        to.tags.push_back(tags.try_emplace(tag, int32_t(tags.size())).first->second);
    }
};

/// Lines of "word/TAG word/TAG ...".
static Corpus read_corpus(const std::string& path) {
    std::ifstream file(path);
    if (!file) ct::fail<ct::FileError>("postagging: cannot open {}", path);
    Corpus corpus;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Sentence sentence;
        for (std::string pair; words >> pair;) {
            const size_t slash = pair.rfind('/');
            if (slash == std::string::npos)
                ct::fail<ct::FileError>("postagging: {}: '{}' should be word/TAG", path, pair);
            corpus.add(sentence, pair.substr(0, slash), pair.substr(slash + 1));
        }
        if (!sentence.words.empty()) corpus.sentences.push_back(sentence);
    }
    if (corpus.sentences.empty()) ct::fail<ct::FileError>("postagging: {} has no sentence", path);
    return corpus;
}

/// Sentences in which words have several tags: "the run ends", "they run"; the word before decides.
static Corpus made_up_corpus(int64_t count, uint64_t seed) {
    static const std::vector<std::string> both = {"run", "walk", "play", "work", "plan", "visit"},
                                          adjectives = {"long", "short", "new"},
                                          people = {"they", "we", "you"};
    std::mt19937_64 random(seed);
    const auto any = [&](const std::vector<std::string>& words) {
        return words[random() % words.size()];
    };
    Corpus corpus;
    for (int64_t i = 0; i < count; ++i) {
        Sentence sentence;
        const auto noun_phrase = [&] {
            corpus.add(sentence, "the", "DET");
            if (random() % 2) corpus.add(sentence, any(adjectives), "ADJ");
            corpus.add(sentence, any(both), "NOUN");
        };
        if (random() % 2)
            noun_phrase();
        else
            corpus.add(sentence, any(people), "PRON");
        corpus.add(sentence, any(both), "VERB");
        if (random() % 2) noun_phrase();
        for (size_t more = random() % 3; more > 0; --more) {
            corpus.add(sentence, "and", "CONJ");
            corpus.add(sentence, any(people), "PRON");
            corpus.add(sentence, any(both), "VERB");
        }
        corpus.sentences.push_back(sentence);
    }
    return corpus;
}

/// The score of each tag for a word, and of each tag after another.
struct Tagger : ct::Chain {
    ct::EmbedID feature;
    ct::Parameter cost;
    Tagger(int64_t words, int64_t tags) : feature(words, tags), cost(0.0, ct::Shape{tags, tags}) {
        add_child("feature", feature);
        add_param("cost", cost);
    }
    ct::Variable loss(const std::vector<ct::Variable>& words,
                      const std::vector<ct::Variable>& tags) {
        return ct::crf1d(cost, scores(words), tags);
    }
    ct::Variables likeliest(const std::vector<ct::Variable>& words) {
        return ct::argmax_crf1d(cost, scores(words)).labels;
    }

private:
    std::vector<ct::Variable> scores(const std::vector<ct::Variable>& words) {
        std::vector<ct::Variable> all;
        for (const ct::Variable& x : words) all.push_back(feature(x));
        return all;
    }
};

/// Words and tags by position: element k holds those of all sentences longer than k, the longest
/// first.
struct Positions {
    std::vector<ct::Variable> words, tags;
};
static Positions by_position(std::vector<Sentence> sentences) {
    std::stable_sort(sentences.begin(), sentences.end(), [](const Sentence& a, const Sentence& b) {
        return a.words.size() > b.words.size();
    });
    const auto array_of = [](const std::vector<int32_t>& values) {
        return ct::Variable(
            ct::Array::from(values, {int64_t(values.size())}).to(ct::current_device()));
    };
    Positions positions;
    for (size_t k = 0; k < sentences[0].words.size(); ++k) {
        std::vector<int32_t> words, tags;
        for (const Sentence& sentence : sentences)
            if (k < sentence.words.size()) {
                words.push_back(sentence.words[k]);
                tags.push_back(sentence.tags[k]);
            }
        positions.words.push_back(array_of(words));
        positions.tags.push_back(array_of(tags));
    }
    return positions;
}

/// The share of words whose tag is found.
static double accuracy(Tagger& tagger, const std::vector<Sentence>& sentences) {
    const auto no_graph = ct::no_backprop_mode();
    const Positions positions = by_position(sentences);
    const ct::Variables found = tagger.likeliest(positions.words);
    double right = 0, count = 0;
    for (size_t k = 0; k < found.size(); ++k) {
        right +=
            ct::sum(ct::cast(found[k] == positions.tags[k], ct::Dtype::float32)).item<double>();
        count += double(found[k].size());
    }
    return right / count;
}

static void train(examples::Example& example, const Options& options) {
    const Corpus corpus = options.data.empty() ? made_up_corpus(600, 1) : read_corpus(options.data);
    std::vector<Sentence> training = corpus.sentences;
    const std::vector<Sentence> test(training.end() - int64_t(training.size() / 10),
                                     training.end());
    training.resize(training.size() - test.size());
    fmt::print("{} sentences, {} words, {} tags\n", corpus.sentences.size(), corpus.words.size(),
               corpus.tags.size());

    Tagger tagger(int64_t(corpus.words.size()), int64_t(corpus.tags.size()));
    ct::Adam optimizer(0.01);
    optimizer.setup(tagger);
    auto step = ct::static_graph(
        [&](const std::vector<ct::Variable>& words, const std::vector<ct::Variable>& tags) {
            const ct::Variable loss = tagger.loss(words, tags);
            tagger.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        "crf_step");
    std::mt19937_64 random(example.seed);
    for (int64_t epoch = 1; double(epoch) <= options.epochs; ++epoch) {
        std::shuffle(training.begin(), training.end(), random);
        double loss = 0;
        int64_t batches = 0;
        for (size_t begin = 0; begin < training.size();
             begin += size_t(options.batch_size), ++batches) {
            const size_t end = std::min(begin + size_t(options.batch_size), training.size());
            const Positions batch =
                by_position({training.begin() + int64_t(begin), training.begin() + int64_t(end)});
            loss += step(batch.words, batch.tags).item<double>();
        }
        fmt::print("epoch {:>3}  loss {:.4f}  test accuracy {:.4f}\n", epoch,
                   loss / double(batches), accuracy(tagger, test));
    }
    example.result("test accuracy", accuracy(tagger, test), examples::Better::larger);
    const Positions batch = by_position(
        {training.begin(),
         training.begin() + std::min<int64_t>(options.batch_size, int64_t(training.size()))});
    example.print_times([&] { step(batch.words, batch.tags); });
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Learns to tag words with their part of speech");
    example.flag("--data", options.data,
                 "file of lines \"word/TAG word/TAG ...\"; else sentences are made up");
    example.flag("-b,--batchsize", options.batch_size, "sentences in a mini-batch");
    example.flag("-e,--epoch", options.epochs, "sweeps over the training set");
    return example.run(argc, argv, [&] { train(example, options); });
}
