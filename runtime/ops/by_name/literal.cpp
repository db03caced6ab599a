#include "runtime/ops/by_name/literal.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/read_number.h"

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
        while (at_ < text_.size() && ascii::is_space(text_[at_])) ++at_;
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
        LiteralValue::List items;
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
        while (!word.empty() && ascii::is_space(word.back())) word.pop_back();
        if (size_t slash = word.find('/');
            slash != std::string::npos) {  // 1/8, as some defaults are written
            double numerator = to_double(word.substr(0, slash)),
                   denominator = to_double(word.substr(slash + 1));
            at_ += word.size();
            return {numerator / denominator};
        }
        const double value = to_double(word);
        if (word.find_first_not_of("+-0123456789") == std::string::npos) {
            const int64_t whole = to_whole(word);
            at_ += word.size();
            return {whole};
        }
        at_ += word.size();
        return {value};
    }

    double to_double(std::string_view word) const {
        const std::optional<double> value = read_number<double>(word);
        if (!value) wrong("a value");
        return *value;
    }

    int64_t to_whole(std::string_view word) const {
        if (word.starts_with('+')) word.remove_prefix(1);
        const char* const end = word.data() + word.size();
        int64_t value = 0;
        const auto [stop, error] = std::from_chars(word.data(), end, value);
        if (stop != end || error != std::errc()) wrong("an integer of 64 bits");
        return value;
    }

    std::string_view text_;
    size_t at_ = 0;
};

struct Print {
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return "'" + s + "'"; }
    std::string operator()(const LiteralValue::List& list) const { return listed(list); }
    std::string operator()(const Dims& dims) const { return listed(dims); }

private:
    template <class List>
    static std::string listed(const List& list) {
        std::string text;
        for (const auto& item : list)
            text += (text.empty() ? "" : ", ") + to_string(LiteralValue{item});
        return "[" + text + "]";
    }
};

}  // namespace

std::optional<LiteralValue::List> LiteralValue::items() const {
    if (const List* list = std::get_if<List>(&value)) return *list;
    if (const Dims* dims = std::get_if<Dims>(&value)) {
        List list;
        for (const int64_t item : *dims) list.push_back({item});
        return list;
    }
    return std::nullopt;
}

std::string to_string(const LiteralValue& value) { return std::visit(Print(), value.value); }

LiteralValue parse_literal(std::string_view text) { return Parser(text).parse_all(); }

}  // namespace catena
