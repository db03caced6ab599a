#include "frontend/c_export/c_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/core/system/ascii.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

bool starts_word(char c) { return ascii::is_letter(c) || c == '_'; }
bool in_word(char c) { return ascii::is_letter_or_digit(c) || c == '_'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && ascii::is_space(text.back())) text.remove_suffix(1);
    return text;
}

/// Types used as casts: T(x).
bool is_type(std::string_view word) {
    constexpr std::string_view types[] = {"T",        "i64",   "u64",    "int",
                                          "unsigned", "float", "double", "bool"};
    return std::find(std::begin(types), std::end(types), word) != std::end(types);
}

class Translation {
public:
    explicit Translation(std::string_view text) : text_(text) {}

    CElementText result() {
        while (at_ < text_.size()) step();
        return {std::move(out_), std::move(macros_)};
    }

private:
    void step() {
        const char c = text_[at_];
        if (text_.substr(at_, 2) == "//") {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (starts_word(c)) {
            word(take_word());
        } else if (ascii::is_digit(c)) {
            while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '.'))
                out_ += text_[at_++];
        } else {
            out_ += c;
            ++at_;
        }
    }

    std::string take_word() {
        const size_t begin = at_;
        while (at_ < text_.size() && in_word(text_[at_])) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    void word(const std::string& word) {
        if (word == "auto") return local_function();
        if (word == "constexpr") return constant();
        if (word == "reinterpret_cast" || word == "static_cast") {
            const std::string type(inside('<', '>'));
            return cast(type);
        }
        if (word == "__int_as_float") {
            out_ += "float_of_bits";
            return;
        }
        const std::string_view rest = trimmed(text_.substr(at_));
        if (is_type(word) && !rest.empty() && rest[0] == '(') return cast(word);
        out_ += word;
    }

    void cast(const std::string& type) {
        out_ += "((" + type + ")(" + nested(inside('(', ')')) + "))";
    }

    /// The text between the next bracket and its matching one.
    std::string_view inside(char open, char close) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != open)
            refuse(fmt::format("a '{}' is expected", open));
        const size_t begin = ++at_;
        for (int depth = 1; at_ < text_.size(); ++at_) {
            if (text_[at_] == open) ++depth;
            if (text_[at_] == close && --depth == 0) return text_.substr(begin, at_++ - begin);
        }
        refuse(fmt::format("a '{}' is missing", close));
    }

    std::string nested(std::string_view text) {
        CElementText inner = c_element_text(text);
        macros_.insert(macros_.end(), inner.macros.begin(), inner.macros.end());
        return std::move(inner.body);
    }

    /// "constexpr int axes = ...;" is an enumerator, with which C makes arrays; "if constexpr" an
    /// if.
    void constant() {
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(') return;
        take_word();
        const size_t end = text_.find(';', at_);
        if (end == std::string_view::npos) refuse("a constexpr without an end");
        out_ += "enum {" + nested(text_.substr(at_, end - at_)) + " };";
        at_ = end + 1;
    }

    /// auto NAME = [=](TYPE a, TYPE b) -> TYPE { return EXPRESSION; };
    void local_function() {
        skip_space();
        const std::string name = take_word();
        expect("=");
        expect("[=]");
        const std::vector<std::string> parameters = names_of(inside('(', ')'));
        expect("->");
        skip_space();
        take_word();
        const std::string body = nested(inside('{', '}'));
        expect(";");
        std::string_view expression = trimmed(body);
        if (!expression.starts_with("return ") || expression.find(';') + 1 != expression.size())
            refuse(fmt::format("'{}' is more than one return", name));
        expression.remove_prefix(7);
        expression.remove_suffix(1);
        std::string list;
        for (const std::string& parameter : parameters)
            list += (list.empty() ? "" : ", ") + parameter;
        out_ += "\n#define " + name + "(" + list + ") (" + with_brackets(expression, parameters) +
                ")\n";
        macros_.push_back(name);
    }

    static std::vector<std::string> names_of(std::string_view parameters) {
        std::vector<std::string> names;
        while (!parameters.empty()) {
            const size_t comma = std::min(parameters.find(','), parameters.size());
            const std::string_view parameter = trimmed(parameters.substr(0, comma));
            names.emplace_back(parameter.substr(parameter.rfind(' ') + 1));
            parameters.remove_prefix(std::min(comma + 1, parameters.size()));
        }
        return names;
    }

    /// The expression in one line, with the parameters in brackets.
    static std::string with_brackets(std::string_view expression,
                                     const std::vector<std::string>& parameters) {
        std::string result;
        for (size_t i = 0; i < expression.size();) {
            if (starts_word(expression[i])) {
                size_t end = i;
                while (end < expression.size() && in_word(expression[end])) ++end;
                const std::string name(expression.substr(i, end - i));
                const bool given =
                    std::find(parameters.begin(), parameters.end(), name) != parameters.end();
                result += given ? "(" + name + ")" : name;
                i = end;
            } else if (ascii::is_digit(expression[i])) {
                while (i < expression.size() && in_word(expression[i])) result += expression[i++];
            } else {
                result += expression[i] == '\n' ? ' ' : expression[i];
                ++i;
            }
        }
        return result;
    }

    void skip_space() {
        while (at_ < text_.size() && ascii::is_space(text_[at_])) ++at_;
    }
    void expect(std::string_view token) {
        skip_space();
        if (text_.substr(at_, token.size()) != token)
            refuse(fmt::format("a '{}' is expected", token));
        at_ += token.size();
    }
    [[noreturn]] void refuse(const std::string& why) const {
        fail<ValueError>("{} at '{}'", why, trimmed(text_.substr(at_, 30)));
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string out_;
    std::vector<std::string> macros_;
};

}  // namespace

CElementText c_element_text(std::string_view text) { return Translation(text).result(); }

bool has_word(std::string_view text, std::string_view word) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size()) {
        const size_t end = at + word.size();
        if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end])))
            return true;
    }
    return false;
}

const char* c_type(Dtype dtype) {
    constexpr const char* names[dtype_count] = {"unsigned char", "int8_t",  "int16_t",  "int32_t",
                                                "int64_t",       "uint8_t", "uint16_t", "uint16_t",
                                                "float",         "double"};
    return names[size_t(dtype)];
}

std::string c_number(double value) {
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
    return fmt::format("{:.17g}", value);
}

std::string c_string(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (uint8_t(c) < 0x20 || uint8_t(c) >= 0x7f)
            result += fmt::format("\\{:03o}", uint8_t(c));
        else
            result += c;
    }
    return result + "\"";
}

std::string c_comment(std::string text) {
    for (char& c : text)
        if (c == '*' || uint8_t(c) < 0x20) c = ' ';
    return text;
}

}  // namespace catena
