#include "tests/fuzz_files/json_fields.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

using Json = nlohmann::json;
using testing::Random;

class JsonChange {
public:
    JsonChange(Json& document, Random& random) : random_(random) { collect(document, ""); }

    void change() {
        // First a kind of place, then one: else there would be little but strides and lines.
        auto place = places_.begin();
        std::advance(place, below(places_.size()));
        Json& value = *place->second[below(place->second.size())];
        if (below(4) == 0) {
            const Json other = *place->second[below(place->second.size())];
            value = other;
        } else if (value.is_number_integer()) {
            value = odd_integer(value.get<int64_t>(), random_);
        } else if (value.is_number()) {
            const double number = odd_float(random_);
            value = std::isnan(number)   ? Json("nan")
                    : std::isinf(number) ? Json(number > 0 ? "inf" : "-inf")
                                         : Json(number);
        } else if (value.is_boolean()) {
            value = !value.get<bool>();
        } else if (value.is_string()) {
            value = below(3) == 0 ? some_text() : texts_[below(texts_.size())];
        } else if (value.is_array()) {
            change_list(value);
        } else if (value.is_object() && !value.empty()) {
            auto member = value.begin();
            std::advance(member, below(value.size()));
            if (below(3) == 0)
                value.erase(member);
            else
                *member = nullptr;
        }
    }

private:
    uint64_t below(uint64_t end) { return random_() % end; }

    void collect(Json& value, const std::string& name) {
        places_[name].push_back(&value);
        if (value.is_string()) texts_.push_back(value.get<std::string>());
        if (value.is_object())
            for (auto& [key, member] : value.items()) collect(member, key);
        if (value.is_array())
            for (Json& element : value) collect(element, name + "[]");
    }

    std::string some_text() {
        const char* const odd[] = {"",        "float64", "int8",  "bool",     "no such",
                                   "\x1b[2J", "../../x", "state", "argument", "result"};
        return odd[below(std::size(odd))];
    }

    void change_list(Json& list) {
        const size_t size = list.size();
        switch (below(6)) {
            case 0:
                if (size > 0) list.erase(below(size));
                return;
            case 1:
                if (size > 0) list.push_back(Json(list[below(size)]));
                return;
            case 2:
                if (size > 0) std::swap(list[0], list[below(size)]);
                return;
            case 3:
                list.clear();
                return;
            case 4:
                list.push_back(odd_integer(int64_t(size), random_));
                return;
            default:
                for (uint64_t k = below(40); k > 0 && size > 0; --k)
                    list.push_back(Json(list[below(size)]));
        }
    }

    Random& random_;
    std::map<std::string, std::vector<Json*>> places_;  ///< By the name before them.
    std::vector<std::string> texts_{""};
};

}  // namespace

void change_json(Json& document, Random& random) {
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        JsonChange(document, random).change();
}

}  // namespace catena::fuzz
