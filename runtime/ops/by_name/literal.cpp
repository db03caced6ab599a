#include <cctype>
#include <cstdlib>

#include "runtime/core/error.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    LiteralValue parse_all() {
        LiteralValue value = parse_value(0);
        skip_space();
        if (at_ != text_.size()) wrong("the end of the text");
        return value;
    }

private:
    static constexpr int max_depth = 64;

    [[noreturn]] void wrong(const char* wanted) const {
        fail<ValueError>("literal: at position {} of \"{}\": {} was expected", at_, text_, wanted);
    }
    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    bool take_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    LiteralValue parse_value(int depth) {
        if (depth > max_depth) wrong("less nesting");
        skip_space();
        if (take_word("None") || take_word("null")) return {};
        if (take_word("True") || take_word("true")) return {true};
        if (take_word("False") || take_word("false")) return {false};
        if (at_ == text_.size()) wrong("a value");
        char c = text_[at_];
        if (c == '[' || c == '(') return parse_list(depth);
        if (c == '\'' || c == '"') return {parse_text(c)};
        return parse_number();
    }

    LiteralValue parse_list(int depth) {
        char close = text_[at_++] == '[' ? ']' : ')';
        std::vector<LiteralValue> items;
        for (;;) {
            skip_space();
            if (at_ < text_.size() && text_[at_] == close) break;
            items.push_back(parse_value(depth + 1));
            skip_space();
            if (at_ < text_.size() && text_[at_] == ',')
                ++at_;
            else if (at_ >= text_.size() || text_[at_] != close)
                wrong("a comma or the end of the list");
        }
        ++at_;
        return {std::move(items)};
    }

    std::string parse_text(char quote) {
        size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) wrong("a closing quote");
        std::string result(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return result;
    }

    LiteralValue parse_number() {
        size_t end = text_.find_first_of(",])", at_);
        std::string word(text_.substr(at_, end == std::string_view::npos ? end : end - at_));
        while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back())))
            word.pop_back();
        if (size_t slash = word.find('/');
            slash != std::string::npos) {  // 1/8, as some defaults are written
            double numerator = to_double(word.substr(0, slash)),
                   denominator = to_double(word.substr(slash + 1));
            at_ += word.size();
            return {numerator / denominator};
        }
        double value = to_double(word);
        at_ += word.size();
        if (word.find_first_not_of("+-0123456789") == std::string::npos)
            return {int64_t(std::strtoll(word.c_str(), nullptr, 10))};
        return {value};
    }

    double to_double(const std::string& word) const {
        char* end = nullptr;
        double value = std::strtod(word.c_str(), &end);
        if (word.empty() || *end) wrong("a value");
        return value;
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

LiteralValue parse_literal(std::string_view text) { return Parser(text).parse_all(); }

}  // namespace catena
