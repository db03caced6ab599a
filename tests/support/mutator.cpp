#include "tests/support/mutator.h"

#include <algorithm>
#include <cctype>

namespace catena::testing {
namespace {

size_t below(Random& random, size_t n) { return n ? size_t(random() % n) : 0; }

uint64_t remarkable_number(Random& random) {
    const uint64_t power = uint64_t(1) << below(random, 64);
    const uint64_t numbers[] = {0,         1,
                                2,         7,
                                0xff,      0xffff,
                                power,     power - 1,
                                power + 1, ~uint64_t(0),
                                ~power,    random() % 4096};
    return numbers[below(random, std::size(numbers))];
}

void put_number(std::string& text, Random& random) {
    const size_t bytes = size_t(1) << below(random, 4), at = below(random, text.size());
    const uint64_t number = remarkable_number(random);
    const bool big_endian = random() % 4 == 0;
    for (size_t i = 0; i < bytes && at + i < text.size(); ++i)
        text[at + i] = char(number >> 8 * (big_endian ? bytes - 1 - i : i));
}

/// A number that is written out in digits becomes another.
void put_digits(std::string& text, Random& random) {
    const size_t from = below(random, text.size());
    size_t at = from;
    while (at < text.size() && !std::isdigit(uint8_t(text[at]))) ++at;
    if (at == text.size()) return;
    size_t end = at;
    while (end < text.size() && std::isdigit(uint8_t(text[end]))) ++end;
    std::string digits = std::to_string(remarkable_number(random));
    if (random() % 4 == 0) digits = "-" + digits;
    text.replace(at, end - at, digits);
}

void repeat_bracket(std::string& text, Random& random) {
    static constexpr const char* brackets[] = {"[", "{\"a\":", "(", "]", "}"};
    const char* bracket = brackets[below(random, std::size(brackets))];
    std::string repeated;
    for (size_t i = size_t(1) << below(random, 17); i > 0; --i) repeated += bracket;
    text.insert(below(random, text.size() + 1), repeated);
}

void splice(std::string& text, const std::string& other, Random& random) {
    const size_t at = below(random, text.size()), from = below(random, other.size());
    const size_t bytes = below(random, std::min<size_t>(other.size() - from, 4096) + 1);
    if (random() % 2)
        text.insert(at, other, from, bytes);
    else
        text.replace(at, std::min(bytes, text.size() - at), other, from, bytes);
}

void change(std::string& text, const std::vector<std::string>& corpus, Random& random) {
    const size_t at = below(random, text.size());
    const size_t bytes =
        below(random, std::min<size_t>(text.size() - at, size_t(1) << below(random, 12)) + 1);
    switch (random() % 16) {
        case 0:
        case 1:
        case 2:
            text[at] = char(text[at] ^ (1 << below(random, 8)));
            break;
        case 3:
        case 4:
            text[at] = char(random());
            break;
        case 5:
        case 6:
        case 7:
            put_number(text, random);
            break;
        case 8:
        case 9:
            put_digits(text, random);
            break;
        case 10:
            text.erase(at, bytes);
            break;
        case 11:
            text.insert(at, text.substr(at, bytes));
            break;
        case 12:
            std::fill_n(text.begin() + long(at), bytes, char(random() % 2 ? 0 : 0xff));
            break;
        case 13:
            splice(text, corpus[below(random, corpus.size())], random);
            break;
        case 14:
            text.resize(random() % 4 ? text.size() - bytes : at);
            break;
        default:
            if (random() % 8)
                text.insert(at, bytes, char(random()));
            else
                repeat_bracket(text, random);
    }
}

}  // namespace

std::string mutated(const std::vector<std::string>& corpus, Random& random) {
    std::string text = corpus[below(random, corpus.size())];
    for (size_t changes = 1 + below(random, size_t(1) << below(random, 4)); changes > 0;
         --changes) {
        if (text.empty()) text = corpus[below(random, corpus.size())];
        if (text.empty()) break;
        change(text, corpus, random);
    }
    return text;
}

}  // namespace catena::testing
