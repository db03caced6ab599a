#pragma once

#include <catena/catena.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace examples {

/// Words that stand in the same places of made-up sentences.
inline const std::vector<std::vector<std::string>>& kinds_of_words() {
    static const std::vector<std::vector<std::string>> kinds = {
        {"cat", "dog", "horse", "mouse", "bird", "fish"},
        {"sees", "hears", "likes", "follows", "fears"},
        {"small", "large", "old", "young", "brown", "white"},
        {"paris", "london", "rome", "tokyo", "cairo"},
        {"monday", "tuesday", "friday", "sunday"},
        {"walks", "sleeps", "sings", "waits"}};
    return kinds;
}

/// Sentences of a small grammar for those who have no corpus, as word numbers; each ends with
/// "<eos>".
class Sentences {
public:
    explicit Sentences(int64_t count, uint64_t seed) : random_(seed) {
        for (const auto& kind : kinds_of_words())
            for (const std::string& word : kind) number_of(word);
        for (const char* word : {"the", "in", "on", "<eos>"}) number_of(word);
        for (int64_t i = 0; i < count; ++i) add_sentence();
    }
    catena::Array words() const { return catena::Array::from(words_, {int64_t(words_.size())}); }
    const std::map<std::string, int32_t>& vocabulary() const { return vocabulary_; }

private:
    enum Kind { animal, transitive, adjective, city, day, intransitive };
    int32_t number_of(const std::string& word) {
        return vocabulary_.try_emplace(word, int32_t(vocabulary_.size())).first->second;
    }
    void say(const std::string& word) { words_.push_back(number_of(word)); }
    void say(Kind kind) {
        const auto& words = kinds_of_words()[kind];
        say(words[random_() % words.size()]);
    }
    void say_someone() {
        say("the");
        if (random_() % 2) say(adjective);
        say(animal);
    }
    void add_sentence() {
        say_someone();
        if (random_() % 2) {
            say(transitive);
            say_someone();
        } else {
            say(intransitive);
        }
        if (random_() % 2) say("in"), say(city);
        if (random_() % 2) say("on"), say(day);
        say("<eos>");
    }
    std::mt19937_64 random_;
    std::map<std::string, int32_t> vocabulary_;
    std::vector<int32_t> words_;
};

}  // namespace examples
