#include "runtime/program/file/kept_schedule.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "runtime/core/system/fork.h"
#include "runtime/file/disk_cache.h"
#include "runtime/program/file/schedule_json.h"
#include "runtime/program/run/linked_object.h"
#include "runtime/program/schedule/schedule_fields.h"

namespace catena::program {
namespace {

using Json = nlohmann::json;

/// Calls visit(name, value) for the fields that are in no file, but those that say where code is.
template <class T, class V>
void visit_kept(T& part, V visit) {
    visit_fields(
        [&]<class Field, class M>(Field, M& value) {
            if constexpr (Field::stored == Stored::kept && Field::role != Role::process)
                visit(std::string(Field::name), value);
        },
        part);
}

/// A list of kernels or calls as JSON. A single one stands alone.
template <class T>
Json kept_json(const T& part) {
    Json values = Json::array();
    visit_kept(part, [&](const std::string&, const auto& value) { values.push_back(value); });
    return values.size() == 1 ? Json(values[0]) : values;
}

template <class T>
void read_kept(const Json& json, T& part) {
    size_t count = 0, next = 0;
    visit_kept(part, [&](const std::string&, auto&) { ++count; });
    visit_kept(part, [&](const std::string&, auto& value) {
        (count == 1 ? json : json.at(next++)).get_to(value);
    });
}

/// Numbers stand in a list, other fields under their names.
void write_info(Json& document, const ExecutableInfo& info) {
    document["numbers"] = Json::array();
    visit_kept(info, [&]<class T>(const std::string& name, const T& value) {
        if constexpr (std::is_integral_v<T>)
            document["numbers"].push_back(value);
        else
            document[name] = value;
    });
}

void read_info(const Json& document, ExecutableInfo& info) {
    const Json& numbers = document.at("numbers");
    size_t count = 0;
    visit_kept(info, [&]<class T>(const std::string& name, T& value) {
        if constexpr (!std::is_integral_v<T>)
            document.at(name).get_to(value);
        else if (count++ < numbers.size())
            numbers[count - 1].get_to(value);
    });
    if (numbers.size() != count)
        fail<FileError>("a kept program has {} numbers for {}", numbers.size(), count);
}

/// The linked objects of this process, by name, as long as a program runs their code.
std::shared_ptr<LinkedObject> linked(const std::string& name) {
    struct Objects {
        std::mutex& mutex = taken_by_forks(*new std::mutex);
        std::map<std::string, std::weak_ptr<LinkedObject>> by_name;
    };
    static Objects& objects = *new Objects;
    std::lock_guard lock(objects.mutex);
    std::weak_ptr<LinkedObject>& known = objects.by_name[name];
    if (std::shared_ptr<LinkedObject> object = known.lock()) return object;
    const std::optional<std::string> content = DiskCache::instance().find_named(name);
    if (!content) fail<FileError>("the code of a kept program is no longer there");
    auto object = std::make_shared<LinkedObject>(*content);
    known = object;
    return object;
}

void link(KernelLaunch& kernel, const Json& code, const std::vector<std::string>& objects) {
    const auto kept = std::make_shared<KeptCode>(objects.at(code.at(0).get<size_t>()),
                                                 code.at(1).get<std::string>());
    const std::shared_ptr<LinkedObject> object = linked(kept->object);
    kernel.function = reinterpret_cast<KernelFunction>(object->find(kept->symbol));
    kernel.code = object;
    kernel.kept = kept;
}

Schedule schedule_of(const Json& document) {
    Schedule schedule = schedule_from(document.at("schedule"));
    const auto texts_and_steps = [&](const char* list, auto& made, auto set) {
        const Json& each = document.at(list);
        if (each.size() != made.size())
            fail<FileError>("a kept program has {} {} for {}", each.size(), list, made.size());
        for (size_t i = 0; i < made.size(); ++i) set(made[i], each[i]);
    };
    const auto read = [](auto& part, const Json& json) { read_kept(json, part); };
    texts_and_steps("calls", schedule.library_calls, read);
    texts_and_steps("kernels", schedule.kernels, read);
    const auto objects = document.at("objects").get<std::vector<std::string>>();
    texts_and_steps("code", schedule.kernels,
                    [&](KernelLaunch& kernel, const Json& json) { link(kernel, json, objects); });
    read_info(document, schedule.info);
    schedule.info.code_bytes = document.at("code_bytes").get<size_t>();
    schedule.info.bytes = bytes_of(schedule) + schedule.info.code_bytes;
    return schedule;
}

}  // namespace

Json kept_document(const Schedule& schedule) {
    Json document = {
        {"schedule", to_json(schedule)}, {"calls", Json::array()}, {"kernels", Json::array()}};
    for (const LibraryCall& call : schedule.library_calls)
        document["calls"].push_back(kept_json(call));
    for (const KernelLaunch& kernel : schedule.kernels)
        document["kernels"].push_back(kept_json(kernel));
    write_info(document, schedule.info);
    return document;
}

std::optional<std::string> kept_form(const Schedule& schedule) {
    std::vector<std::string> objects;
    Json code = Json::array();
    for (const KernelLaunch& kernel : schedule.kernels) {
        if (!kernel.kept) return std::nullopt;
        size_t place = size_t(std::ranges::find(objects, kernel.kept->object) - objects.begin());
        if (place == objects.size()) objects.push_back(kernel.kept->object);
        code.push_back({place, kernel.kept->symbol});
    }
    Json document = kept_document(schedule);
    document["code"] = std::move(code);
    document["objects"] = objects;
    document["code_bytes"] = schedule.info.code_bytes;
    std::string form;
    Json::to_cbor(document, form);
    return form;
}

Schedule schedule_of_kept(std::string_view form) {
    try {
        return schedule_of(Json::from_cbor(form));
    } catch (const FileError&) {
        throw;
    } catch (const std::exception& error) {  // Whatever the numbers of a wrong form lead to.
        fail<FileError>("a kept program: {}", error.what());
    }
}

}  // namespace catena::program
