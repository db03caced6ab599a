#include "runtime/ops/math/linalg/equation.h"

#include <algorithm>
#include <map>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

class Parser {
public:
    Parser(const std::string& text, const std::vector<int>& ranks) {
        equation_.text = text;
        std::string plain;
        for (char c : text)
            if (c != ' ') plain += c;
        const size_t arrow = plain.find("->");
        read_terms(plain.substr(0, arrow), ranks);
        if (arrow == std::string::npos)
            equation_.result = implied_result();
        else
            read_result(plain.substr(arrow + 2));
    }
    Equation equation() && { return std::move(equation_); }

private:
    [[noreturn]] void wrong(const std::string& what) const {
        fail<ValueError>("einsum: the equation '{}' {}", equation_.text, what);
    }

    void read_terms(const std::string& left, const std::vector<int>& ranks) {
        size_t begin = 0;
        for (size_t i = 0; i < ranks.size(); ++i) {
            if (begin > left.size())
                wrong(fmt::format("has {} terms, there are {} operands", i, ranks.size()));
            const size_t end = std::min(left.find(',', begin), left.size());
            equation_.terms.push_back(term(left.substr(begin, end - begin), i, ranks[i]));
            begin = end + 1;
        }
        if (begin <= left.size())
            wrong(fmt::format("has more terms than the {} operands", ranks.size()));
    }

    std::string term(std::string text, size_t number, int rank) {
        const size_t dots = text.find("...");
        if (dots != std::string::npos) text.erase(dots, 3);
        check_letters(text);
        const int covered = rank - int(text.size());
        if (covered < 0 || covered > 9 || (covered > 0 && dots == std::string::npos))
            wrong(fmt::format("names {} axes of operand {}, which has {}", text.size(), number,
                              rank));
        if (dots != std::string::npos) text.insert(dots, under_ellipsis(covered));
        covered_ = std::max(covered_, dots == std::string::npos ? 0 : covered);
        return text;
    }

    void read_result(std::string text) {
        const size_t dots = text.find("...");
        if (dots != std::string::npos) text.erase(dots, 3);
        check_letters(text);
        for (size_t i = 0; i < text.size(); ++i) {
            if (text.find(text[i], i + 1) != std::string::npos)
                wrong(fmt::format("has '{}' twice in its result", text[i]));
            if (std::none_of(
                    equation_.terms.begin(), equation_.terms.end(),
                    [&](const std::string& t) { return t.find(text[i]) != std::string::npos; }))
                wrong(fmt::format("has '{}' in its result alone", text[i]));
        }
        if (dots != std::string::npos) text.insert(dots, under_ellipsis(covered_));
        equation_.result = text;
    }

    /// The axes under the ellipsis, then the letters that occur once, in order.
    std::string implied_result() const {
        std::map<char, int> times;
        for (const std::string& term : equation_.terms)
            for (char c : term) ++times[c];
        std::string result = under_ellipsis(covered_);
        for (const auto& [letter, count] : times)
            if (count == 1 && !is_ellipsis(letter)) result += letter;
        return result;
    }

    void check_letters(const std::string& text) const {
        for (char c : text)
            if (!ascii::is_letter(c)) wrong(fmt::format("has '{}' in place of a letter", c));
    }
    static std::string under_ellipsis(int count) {
        std::string digits;
        while (count-- > 0) digits += char('0' + count);
        return digits;
    }

    Equation equation_;
    int covered_ = 0;
};

}  // namespace

Equation parse_equation(const std::string& text, const std::vector<int>& ranks) {
    return Parser(text, ranks).equation();
}

}  // namespace catena
