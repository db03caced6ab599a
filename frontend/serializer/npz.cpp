#include "frontend/serializer/npz.h"

#include <algorithm>
#include <functional>

#include "frontend/serializer/npy.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/graph/recorder.h"

namespace catena {
namespace {

constexpr std::string_view suffix = ".npy";

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
        }
    }
    return row.back();
}

std::string nearest(std::string_view key, const std::vector<std::string>& keys) {
    if (keys.empty()) return "the file has no keys";
    auto best = std::min_element(keys.begin(), keys.end(), [&](auto& a, auto& b) {
        return edit_distance(a, key) < edit_distance(b, key);
    });
    return fmt::format("the nearest of its {} keys is '{}'", keys.size(), *best);
}

std::string without_slash(const std::string& path) { return path.substr(path.starts_with('/') ? 1 : 0); }

/// Loads values by key and sets them all at once, when everything was found to fit.
class Loader {
public:
    Loader(const std::string& path, const LoadOptions& options) : file_(path), options_(options) {
        prefix_ = without_slash(options.path);
        if (!prefix_.empty() && !prefix_.ends_with('/')) prefix_ += '/';
    }

    /// Undefined when it is None, or missing and that is allowed.
    Array find(const std::string& key, bool required = true) const {
        if (std::find(options_.ignore_names.begin(), options_.ignore_names.end(), key) != options_.ignore_names.end())
            return Array();
        if (!file_.contains(prefix_ + key) && !(required && options_.strict)) return Array();
        return file_.read(prefix_ + key);
    }

    /// `key` becomes the content of `state`, which has `dtype` once it has content.
    void load(const std::string& key, State& state, Dtype dtype, bool required = true) {
        Array array = find(key, required);
        if (!array.defined()) return;
        if (state.is_initialized() && array.shape() != state.shape())
            fail<FileError>("{}: '{}' has shape {}, {} is expected", file_.path(), prefix_ + key,
                            to_string(array.shape()), to_string(state.shape()));
        set(state, convert(key, array, dtype));
    }

    Array convert(const std::string& key, const Array& array, Dtype dtype) const {
        if (is_float(array.dtype()) && !is_float(dtype))
            fail<FileError>("{}: '{}' is {}, which cannot become {} without loss", file_.path(), prefix_ + key,
                            name_of(array.dtype()), name_of(dtype));
        return array.astype(dtype);
    }

    void set(State& state, Array array) {
        Device* device = state.is_initialized() ? &state.device() : nullptr;
        later([&state, device, array] { state.set_array(device ? array.to(*device) : array); });
    }
    void later(std::function<void()> change) { changes_.push_back(std::move(change)); }
    void commit() const {
        RecorderScope paused(nullptr);
        for (const auto& change : changes_) change();
    }
    const std::string& path() const { return file_.path(); }

private:
    NpzFile file_;
    const LoadOptions& options_;
    std::string prefix_;
    std::vector<std::function<void()>> changes_;
};

void load_slot(Loader& loader, UpdateSlot& slot, const Optimizer& optimizer, bool required) {
    std::string prefix = without_slash(slot.path) + "/";
    std::vector<Array> moments;
    for (const std::string& name : optimizer.moment_names()) {
        Array array = loader.find(prefix + name, required);
        if (!array.defined()) return;  // Never updated, there or here.
        if (slot.param.array().defined() && array.shape() != slot.param.shape())
            fail<FileError>("{}: '{}' has shape {}, its parameter {}", loader.path(), prefix + name,
                            to_string(array.shape()), to_string(slot.param.shape()));
        if (slot.param.array().defined())
            array = loader.convert(prefix + name, array, slot.param.dtype()).to(slot.param.device());
        moments.push_back(array);
    }
    loader.later([&slot, moments, names = optimizer.moment_names()] {
        slot.moments.resize(moments.size());
        for (size_t i = 0; i < moments.size(); ++i) {
            slot.moments[i].set_array(moments[i]);
            slot.moments[i].set_name(slot.path + "/" + names[i]);
        }
    });
}

int64_t integer_of(const Loader& loader, const std::string& key, const Array& array) {
    if (array.size() != 1 || is_float(array.dtype()))
        fail<FileError>("{}: '{}' is {}, an integer is expected", loader.path(), key, to_string(array.type()));
    return array.item<int64_t>();
}

}  // namespace

NpzFile::NpzFile(const std::string& path) : zip_(path) {}

std::vector<std::string> NpzFile::keys() const {
    std::vector<std::string> keys;
    for (const ZipEntry& entry : zip_.entries())
        if (entry.name.ends_with(suffix)) keys.push_back(entry.name.substr(0, entry.name.size() - suffix.size()));
    return keys;
}

const ZipEntry* NpzFile::find(std::string_view key) const {
    for (const ZipEntry& entry : zip_.entries())
        if (entry.name.size() == key.size() + suffix.size() && entry.name.starts_with(key) &&
            entry.name.ends_with(suffix))
            return &entry;
    return nullptr;
}

Array NpzFile::read(std::string_view key) const {
    const ZipEntry* entry = find(key);
    if (!entry) fail<FileError>("{}: there is no '{}'; {}", path(), key, nearest(key, keys()));
    std::unique_ptr<ByteSource> source = zip_.open(*entry);
    Array array = read_npy(*source);
    if (array.defined() && source->remaining() > 0)
        fail<FileError>("{}: {} bytes follow the last element at byte {}", source->name(), source->remaining(),
                        source->offset());
    return array;
}

NamedArrays read_npz(const std::string& path) {
    NpzFile file(path);
    NamedArrays arrays;
    for (const std::string& key : file.keys()) arrays.emplace_back(key, file.read(key));
    return arrays;
}

void save_npz(const std::string& path, const NamedArrays& arrays, const SaveOptions& options) {
    ZipWriter zip(path);
    for (const auto& [key, array] : arrays) {
        zip.begin(key + std::string(suffix), options.compression);
        write_npy(array, [&](const void* from, size_t bytes) { zip.write(from, bytes); });
        zip.end();
    }
    zip.finish();
}

void save_npz(const std::string& path, const Link& link, const SaveOptions& options) {
    NamedArrays arrays;
    for (auto& [name, param] : link.namedparams()) arrays.emplace_back(without_slash(name), param->array());
    for (auto& [name, state] : link.namedpersistents()) arrays.emplace_back(without_slash(name), state->array());
    save_npz(path, arrays, options);
}

void load_npz(const std::string& path, Link& link, const LoadOptions& options) {
    Loader loader(path, options);
    for (auto& [name, param] : link.namedparams()) loader.load(without_slash(name), *param, param->parameter_dtype());
    for (auto& [name, state] : link.namedpersistents()) {
        if (state->is_initialized()) {
            loader.load(without_slash(name), *state, state->dtype());
        } else if (Array array = loader.find(without_slash(name)); array.defined()) {
            loader.set(*state, array);
        }
    }
    loader.commit();
}

void save_npz(const std::string& path, Optimizer& optimizer, const SaveOptions& options) {
    NamedArrays arrays{{"t", optimizer.step_count().array()}, {"epoch", Array::scalar(optimizer.epoch())}};
    std::vector<std::string> names = optimizer.moment_names();
    for (UpdateSlot& slot : optimizer.slots()) {
        std::string prefix = without_slash(slot.path) + "/";
        arrays.emplace_back(prefix + "t", optimizer.step_count().array());
        for (size_t i = 0; i < slot.moments.size(); ++i) arrays.emplace_back(prefix + names[i], slot.moments[i].array());
    }
    save_npz(path, arrays, options);
}

void load_npz(const std::string& path, Optimizer& optimizer, const LoadOptions& options) {
    optimizer.target();
    Loader loader(path, options);
    int64_t t = 0;
    if (Array array = loader.find("t"); array.defined()) {
        t = integer_of(loader, "t", array);
        loader.later([&optimizer, t] { optimizer.set_step_count(t); });
    }
    if (Array array = loader.find("epoch"); array.defined())
        loader.later([&optimizer, epoch = integer_of(loader, "epoch", array)] { optimizer.set_epoch(epoch); });
    // A parameter that was never updated (t = 0, disabled, always without a gradient) has no moments.
    for (UpdateSlot& slot : optimizer.slots()) load_slot(loader, slot, optimizer, false);
    loader.commit();
}

}  // namespace catena
