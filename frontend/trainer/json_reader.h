#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

namespace catena {

/// Builds a document while the library parses it. The library's own builder searches all names of
/// an object for each further one, since an ordered object is a list of pairs: hours for a few
/// megabytes of names. Here each object's names are hashed as long as it is open.
class JsonReader final : public nlohmann::json_sax<nlohmann::ordered_json> {
public:
    using Json = nlohmann::ordered_json;

    /// The document, after parsing.
    Json& document() { return document_; }
    /// Why parsing has ended; "" while nothing is wrong.
    const std::string& problem() const { return problem_; }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t& value) override { return add(Json::binary(std::move(value))); }
    bool start_object(size_t) override { return open(Json::object()); }
    bool key(string_t& name) override;
    bool end_object() override { return close(); }
    bool start_array(size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }
    bool parse_error(size_t position, const std::string& last_token,
                     const Json::exception& error) override;

private:
    /// An object or array whose end has not been read.
    struct Open {
        Json value;
        std::string name;                       ///< The name before the next value of an object.
        std::unordered_set<std::string> names;  ///< The names of an object so far.
    };
    bool add(Json value);
    bool open(Json value);
    bool close();

    Json document_;
    std::vector<Open> open_;
    std::string problem_;
};

}  // namespace catena
