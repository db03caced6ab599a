#include "frontend/serializer/serializer.h"

#include <algorithm>

#include "frontend/serializer/archive.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/nearest.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

std::string_view stripped(std::string_view key) {
    while (key.starts_with('/')) key.remove_prefix(1);
    while (key.ends_with('/')) key.remove_suffix(1);
    return key;
}

/// Host elements as an array, not recorded.
template <class T>
Array host_array(const T& value) {
    RecorderScope paused(nullptr);
    DeviceScope host(cpu_device());
    if constexpr (std::is_arithmetic_v<T>)
        return Array::scalar(value);
    else
        return Array::from(value, {int64_t(value.size())});
}

}  // namespace

std::string nearest_key(std::string_view key, const std::vector<std::string>& keys) {
    if (keys.empty()) return "the file has no keys";
    return fmt::format("the nearest of its {} keys is '{}'", keys.size(), nearest(key, keys).at(0));
}

struct Serializer::Session {
    ArchiveWriter* writer = nullptr;
    const ArchiveReader* reader = nullptr;
    const LoadOptions* options = nullptr;
    std::vector<std::function<void()>> changes;
};

bool Serializer::loading() const { return session_->reader != nullptr; }

std::string Serializer::full(std::string_view key) const {
    return prefix_ + std::string(stripped(key));
}

Serializer Serializer::operator[](std::string_view key) const {
    if (stripped(key).empty()) return *this;
    return Serializer(session_, full(key) + "/");
}

bool Serializer::wanted(const std::string& key) const {
    const LoadOptions& options = *session_->options;
    std::string_view root = stripped(options.path);
    std::string_view below = key;
    if (!root.empty()) below.remove_prefix(root.size() + 1);
    for (const std::string& name : options.ignore_names)
        if (name == key || name == below) return false;
    return !options.ignore || !options.ignore(below);
}

bool Serializer::has(std::string_view key) const {
    return !loading() || (wanted(full(key)) && session_->reader->contains(full(key)));
}

void Serializer::wrong(std::string_view key, const std::string& problem) const {
    fail<FileError>("{}: '{}' {}", session_->reader->path(), full(key), problem);
}

void Serializer::later(std::function<void()> change) const {
    session_->changes.push_back(std::move(change));
}

void Serializer::write(std::string_view key, const Array& array) const {
    session_->writer->write(full(key), array);
}
void Serializer::write(std::string_view key, std::string_view text) const {
    session_->writer->write_text(full(key), text);
}

Array Serializer::read(std::string_view key) const {
    std::string name = full(key);
    if (!wanted(name)) return Array();
    if (!session_->options->strict && !session_->reader->contains(name)) return Array();
    return session_->reader->read(name);
}

std::string Serializer::read_text(std::string_view key) const {
    std::string name = full(key);
    if (!wanted(name)) return "";
    if (!session_->options->strict && !session_->reader->contains(name)) return "";
    return session_->reader->read_text(name);
}

Array Serializer::converted(std::string_view key, const Array& array, Dtype dtype) const {
    if (is_float(array.dtype()) && !is_float(dtype))
        wrong(key, fmt::format("is {}, which cannot become {} without loss", name_of(array.dtype()),
                               name_of(dtype)));
    return array.astype(dtype);
}

namespace {

template <class T>
T number(const Serializer& s, std::string_view key, T otherwise, Dtype dtype) {
    Array array = s.read(key);
    if (!array.defined()) return otherwise;
    if (array.size() != 1)
        s.wrong(key, fmt::format("is {}, one number is expected", to_string(array.type())));
    return s.converted(key, array, dtype).template item<T>();
}

template <class T>
std::vector<T> list(const Serializer& s, std::string_view key, const std::vector<T>& otherwise,
                    Dtype dtype) {
    Array array = s.read(key);
    if (!array.defined()) return otherwise;
    if (array.rank() != 1)
        s.wrong(key, fmt::format("is {}, a list is expected", to_string(array.type())));
    return s.converted(key, array, dtype).template to_vector<T>();
}

template <class T>
void transfer(const Serializer& s, std::string_view key, T& value) {
    if (!s.loading()) return s.write(key, host_array(value));
    s.later([&value, loaded = s.get(key, value)] { value = loaded; });
}

}  // namespace

int64_t Serializer::get(std::string_view key, int64_t otherwise) const {
    return number(*this, key, otherwise, Dtype::int64);
}
double Serializer::get(std::string_view key, double otherwise) const {
    return number(*this, key, otherwise, Dtype::float64);
}
bool Serializer::get(std::string_view key, bool otherwise) const {
    return number(*this, key, otherwise, Dtype::bool_);
}
std::vector<int64_t> Serializer::get(std::string_view key,
                                     const std::vector<int64_t>& otherwise) const {
    return list(*this, key, otherwise, Dtype::int64);
}
std::vector<double> Serializer::get(std::string_view key,
                                    const std::vector<double>& otherwise) const {
    return list(*this, key, otherwise, Dtype::float64);
}

void Serializer::operator()(std::string_view key, int64_t& value) const {
    transfer(*this, key, value);
}
void Serializer::operator()(std::string_view key, int& value) const {
    if (!loading()) return write(key, host_array(int64_t(value)));
    const int64_t loaded = get(key, int64_t(value));
    if (loaded != int64_t(int(loaded)))
        wrong(key, fmt::format("is {}, which an int does not hold", loaded));
    later([&value, loaded] { value = int(loaded); });
}
void Serializer::operator()(std::string_view key, double& value) const {
    transfer(*this, key, value);
}
void Serializer::operator()(std::string_view key, float& value) const {
    if (!loading()) return write(key, host_array(double(value)));
    later([&value, loaded = get(key, double(value))] { value = float(loaded); });
}
void Serializer::operator()(std::string_view key, bool& value) const {
    transfer(*this, key, value);
}
void Serializer::operator()(std::string_view key, std::vector<int64_t>& value) const {
    transfer(*this, key, value);
}
void Serializer::operator()(std::string_view key, std::vector<double>& value) const {
    transfer(*this, key, value);
}
void Serializer::operator()(std::string_view key, std::vector<float>& value) const {
    if (!loading()) return write(key, host_array(value));
    later([&value, loaded = list(*this, key, value, Dtype::float32)] { value = loaded; });
}
void Serializer::operator()(std::string_view key, Array& value) const {
    if (!loading()) return write(key, value);
    if (!has(key) && (!session_->options->strict || !wanted(full(key)))) return;
    Array loaded = read(key);
    if (loaded.defined() && value.defined())
        loaded = converted(key, loaded, value.dtype()).to(value.device());
    later([&value, loaded] { value = loaded; });
}
void Serializer::operator()(std::string_view key, std::optional<double>& value) const {
    if (!loading()) return write(key, value ? host_array(*value) : Array());
    Array array = read(key);
    if (array.defined() && array.size() != 1)
        wrong(key, fmt::format("is {}, one number is expected", to_string(array.type())));
    if (array.defined()) later([&value, loaded = array.item<double>()] { value = loaded; });
}
void Serializer::operator()(std::string_view key, std::string& value) const {
    if (!loading()) return write(key, value);
    if (!has(key) && (!session_->options->strict || !wanted(full(key)))) return;
    later([&value, loaded = read_text(key)] { value = loaded; });
}

void save_to(ArchiveWriter& writer, const SerializeFunction& object) try {
    Serializer::Session session{.writer = &writer};
    RecorderScope paused(nullptr);
    object(Serializer(&session, ""));
    writer.finish();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("saving");
}

void load_from(const ArchiveReader& reader, const SerializeFunction& object,
               const LoadOptions& options) try {
    Serializer::Session session{.reader = &reader, .options = &options};
    RecorderScope paused(nullptr);
    object(Serializer(&session, "")[options.path]);
    for (const auto& change : session.changes) change();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("loading", reader.path());
}

}  // namespace catena
