#include "frontend/serializer/safetensors_json.h"

#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena::safetensors {
namespace {

using Json = nlohmann::json;

/// Takes the parser's events:
/// {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3],
///  "data_offsets": [0, 24]}}
class HeaderEvents final : public Json::json_sax_t {
public:
    explicit HeaderEvents(const std::string& file) : file_(file) {}
    Header take() { return std::move(header_); }

    bool null() override { wrong("null"); }
    bool boolean(bool value) override { wrong(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { wrong(fmt::format("{}", value)); }
    bool number_float(number_float_t, const string_t& text) override { wrong(text); }
    bool binary(binary_t&) override { wrong("binary"); }

    bool number_unsigned(number_unsigned_t value) override {
        if (place_ == Place::shape) {
            if (tensor().shape.rank() == max_rank)
                fail<FileError>("{}: tensor '{}' has more than {} axes, which arrays have here",
                                file_, tensor().name, max_rank);
            if (value > uint64_t(std::numeric_limits<int64_t>::max()))
                wrong(fmt::format("{}", value));
            tensor().shape.push_back(int64_t(value));
        } else if (place_ == Place::offsets && offsets_ < 2) {
            (offsets_++ == 0 ? tensor().begin : tensor().end) = value;
        } else {
            wrong(fmt::format("{}", value));
        }
        return true;
    }

    bool string(string_t& text) override {
        if (place_ == Place::metadata) {
            header_.metadata[key_] = std::move(text);
            return true;
        }
        if (place_ != Place::tensor || key_ != "dtype") wrong("\"" + text + "\"");
        tensor().type = find_element_type(text);
        if (!tensor().type)
            fail<FileError>(
                "{}: tensor '{}' has the dtype '{}', which the format does not have; "
                "those that are read: {}",
                file_, tensor().name, text, readable_types());
        return true;
    }

    bool start_object(size_t) override {
        if (place_ == Place::outside) {
            place_ = Place::top;
        } else if (place_ == Place::top) {
            place_ = key_ == metadata_name ? Place::metadata : Place::tensor;
            fields_.clear();
            if (place_ == Place::tensor) header_.tensors.emplace_back().name = key_;
        } else {
            wrong("an object");
        }
        return true;
    }

    bool key(string_t& key) override {
        const bool is_new = place_ == Place::top        ? names_.insert(key).second
                            : place_ == Place::metadata ? !header_.metadata.contains(key)
                                                        : fields_.insert(key).second;
        if (!is_new) fail<FileError>("{}: '{}' is twice in {}", file_, key, where());
        if (place_ == Place::tensor && key != "dtype" && key != "shape" && key != "data_offsets")
            fail<FileError>("{}: tensor '{}' has '{}'; dtype, shape and data_offsets are known",
                            file_, tensor().name, key);
        key_ = std::move(key);
        return true;
    }

    bool end_object() override {
        if (place_ == Place::tensor && fields_.size() < 3)
            fail<FileError>("{}: tensor '{}' lacks one of dtype, shape and data_offsets", file_,
                            tensor().name);
        place_ = place_ == Place::top ? Place::outside : Place::top;
        return true;
    }

    bool start_array(size_t) override {
        if (place_ != Place::tensor || key_ == "dtype") wrong("a list");
        place_ = key_ == "shape" ? Place::shape : Place::offsets;
        offsets_ = 0;
        return true;
    }

    bool end_array() override {
        if (place_ == Place::offsets && offsets_ != 2) wrong(fmt::format("{} numbers", offsets_));
        place_ = Place::tensor;
        return true;
    }

    bool parse_error(size_t at, const std::string&, const Json::exception& error) override {
        fail<FileError>("{}: its header is no JSON at byte {}: {}", file_, at, error.what());
    }

private:
    enum class Place { outside, top, metadata, tensor, shape, offsets };

    Tensor& tensor() { return header_.tensors.back(); }

    std::string where() const {
        switch (place_) {
            case Place::outside:
            case Place::top:
                return "the header";
            case Place::metadata:
                return "its metadata";
            default:
                return fmt::format("tensor '{}'", header_.tensors.back().name);
        }
    }

    /// Throws the error for a value that does not belong where it is.
    [[noreturn]] void wrong(const std::string& found) const {
        const char* right = "an object of tensors by name";
        if (place_ == Place::top) right = "an object with dtype, shape and data_offsets";
        if (place_ == Place::metadata) right = "a text";
        if (place_ == Place::shape) right = "a whole number from 0 to 2^63 - 1";
        if (place_ == Place::offsets) right = "two whole numbers from 0 on";
        if (place_ == Place::tensor)
            right = key_ == "dtype"   ? "the name of a type"
                    : key_ == "shape" ? "a list of sizes"
                                      : "a list of two offsets";
        const bool is_named = place_ != Place::outside;
        const std::string key = is_named ? fmt::format(", '{}'", key_) : "";
        fail<FileError>("{}: in {}{}: {} should be {}", file_, where(), key, found, right);
    }

    const std::string& file_;
    Header header_;
    Place place_ = Place::outside;
    std::string key_;  ///< The last key that was read.
    std::set<std::string> names_, fields_;
    int offsets_ = 0;  ///< How many offsets of the present tensor were read.
};

}  // namespace

Header parse_header(const std::string& text, const std::string& file) {
    check_json(text, file);
    // For the parser a zero byte is the end, and all that follows it were not there.
    if (const size_t at = text.find('\0'); at != text.npos)
        fail<FileError>("{}: its header is no JSON: byte {} of it is zero", file, at);
    HeaderEvents events(file);
    Json::sax_parse(text, &events);
    return events.take();
}

}  // namespace catena::safetensors
