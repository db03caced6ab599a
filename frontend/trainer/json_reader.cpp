#include "frontend/trainer/json_reader.h"

#include <utility>

namespace catena {

bool JsonReader::add(Json value) {
    if (open_.empty()) {
        document_ = std::move(value);
        return true;
    }
    Open& around = open_.back();
    if (around.value.is_array())
        around.value.get_ref<Json::array_t&>().push_back(std::move(value));
    else  // Past the list's own emplace, which searches it; key() has found that the name is new.
        around.value.get_ref<Json::object_t&>().Container::emplace_back(std::move(around.name),
                                                                        std::move(value));
    return true;
}

bool JsonReader::open(Json value) {
    open_.push_back({std::move(value), {}, {}});
    return true;
}

bool JsonReader::close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
}

bool JsonReader::key(string_t& name) {
    if (!open_.back().names.insert(name).second) {
        problem_ = "an object has the name '" + name + "' twice";
        return false;
    }
    open_.back().name = std::move(name);
    return true;
}

bool JsonReader::parse_error(size_t, const std::string&, const Json::exception& error) {
    problem_ = error.what();
    return false;
}

}  // namespace catena
