#include "runtime/program/file/kept_schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include <nlohmann/json.hpp>

#include "runtime/core/system/fork.h"
#include "runtime/file/disk_cache.h"
#include "runtime/program/file/schedule_json.h"
#include "runtime/program/run/linked_object.h"

namespace catena::program {
namespace {

using Json = nlohmann::json;

/// The numbers of ExecutableInfo that do not follow from the schedule.
template <class Info>
auto numbers_of(Info& info) {
    return std::array{&info.kernels, &info.fused_ops, &info.channels_last, &info.update_sweeps};
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
    texts_and_steps("calls", schedule.library_calls, [](LibraryCall& call, const Json& json) {
        call.steps = json.get<std::vector<int>>();
    });
    texts_and_steps("kernels", schedule.kernels, [](KernelLaunch& kernel, const Json& json) {
        kernel.key = json.at(0).get<std::string>();
        kernel.steps = json.at(1).get<std::vector<int>>();
    });
    const auto objects = document.at("objects").get<std::vector<std::string>>();
    texts_and_steps("code", schedule.kernels,
                    [&](KernelLaunch& kernel, const Json& json) { link(kernel, json, objects); });
    const auto numbers = document.at("numbers").get<std::vector<int>>();
    const auto places = numbers_of(schedule.info);
    if (numbers.size() != places.size())
        fail<FileError>("a kept program has {} numbers for {}", numbers.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i) *places[i] = numbers[i];
    schedule.info.name = document.at("name").get<std::string>();
    schedule.info.notes = document.at("notes").get<std::vector<std::string>>();
    schedule.info.code_bytes = document.at("code_bytes").get<size_t>();
    schedule.info.bytes = bytes_of(schedule) + schedule.info.code_bytes;
    return schedule;
}

}  // namespace

Json kept_document(const Schedule& schedule) {
    Json document = {{"schedule", to_json(schedule)}, {"calls", Json::array()},
                     {"kernels", Json::array()},      {"numbers", Json::array()},
                     {"name", schedule.info.name},    {"notes", schedule.info.notes}};
    for (const LibraryCall& call : schedule.library_calls) document["calls"].push_back(call.steps);
    for (const KernelLaunch& kernel : schedule.kernels)
        document["kernels"].push_back({kernel.key, kernel.steps});
    for (const int* number : numbers_of(schedule.info)) document["numbers"].push_back(*number);
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
