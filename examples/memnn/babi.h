#pragma once

#include <catena/catena.h>

#include <cctype>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

/// A question about the sentences told before it, latest last, and its answer; all as word numbers.
struct Query {
    std::vector<std::vector<int32_t>> sentences;
    std::vector<int32_t> question;
    int32_t answer;
};

/// Words by their numbers, in the order in which they appear.
using Vocabulary = std::map<std::string, int32_t>;

/// Reads stories in the format of the bAbI tasks: numbered lines, sentences or
/// "question?<tab>answer<tab>supporting lines"; a line 1 begins a new story.
inline std::vector<Query> parse_stories(std::istream& text, Vocabulary& vocabulary) {
    const auto numbers_of = [&](const std::string& words) {
        std::vector<int32_t> numbers;
        std::string word;
        for (const char c : words + " ") {
            if (std::isalnum(static_cast<unsigned char>(c)))
                word += char(std::tolower(c));
            else if (!word.empty()) {
                numbers.push_back(
                    vocabulary.try_emplace(word, int32_t(vocabulary.size())).first->second);
                word.clear();
            }
        }
        return numbers;
    };
    std::vector<Query> queries;
    std::vector<std::vector<int32_t>> story;
    for (std::string line; std::getline(text, line);) {
        const size_t space = line.find(' ');
        if (space == std::string::npos) continue;
        if (line.substr(0, space) == "1") story.clear();
        const std::string told = line.substr(space + 1);
        const size_t tab = told.find('\t');
        if (tab == std::string::npos) {
            story.push_back(numbers_of(told));
        } else {
            const size_t end = told.find('\t', tab + 1);
            queries.push_back(
                {story, numbers_of(told.substr(0, tab)),
                 numbers_of(told.substr(tab + 1, end == std::string::npos ? end : end - tab - 1))
                     .at(0)});
        }
    }
    return queries;
}

inline std::vector<Query> read_stories(const std::string& path, Vocabulary& vocabulary) {
    std::ifstream file(path);
    if (!file) catena::fail<catena::FileError>("memnn: cannot open {}", path);
    std::vector<Query> queries = parse_stories(file, vocabulary);
    if (queries.empty()) catena::fail<catena::FileError>("memnn: {} has no question", path);
    return queries;
}

/// Stories like those of the first task, in its format: people move between places, and the
/// question is where one of them is.
inline std::string made_up_stories(int64_t count, uint64_t seed) {
    static const char* const people[] = {"Mary", "John", "Daniel", "Sandra"};
    static const char* const places[] = {"kitchen", "garden",   "office",
                                         "hallway", "bathroom", "bedroom"};
    static const char* const verbs[] = {"moved", "went", "journeyed", "travelled"};
    std::mt19937_64 random(seed);
    std::ostringstream text;
    for (int64_t i = 0; i < count; ++i) {
        std::map<std::string, std::string> place_of;
        int line = 0;
        for (int question = 0; question < 3; ++question) {
            for (int sentence = 0; sentence < 2; ++sentence) {
                const std::string person = people[random() % 4], place = places[random() % 6];
                text << ++line << ' ' << person << ' ' << verbs[random() % 4] << " to the " << place
                     << ".\n";
                place_of[person] = place;
            }
            auto asked = place_of.begin();
            std::advance(asked, int64_t(random() % place_of.size()));
            text << ++line << " Where is " << asked->first << "?\t" << asked->second << "\t1\n";
        }
    }
    return text.str();
}
