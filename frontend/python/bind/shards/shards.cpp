#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "frontend/serializer/memory_archive.h"
#include "frontend/shards/shard_batches.h"
#include "frontend/shards/shard_paths.h"
#include "frontend/shards/shard_state.h"
#include "frontend/shards/shard_writer.h"
#include "runtime/core/dtype/dtype.h"
#include "runtime/core/memory/owned.h"

// `catena._shards`: a module of its own, so that programs without tar archives do not load what
// reads them.

namespace nb = nanobind;
using namespace catena;

namespace {

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

/// A name as Python has those of files: bytes that are no UTF-8 become surrogates.
nb::object as_text(const std::string& text) {
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "surrogateescape"));
}

/// ShardBatches without a transform: samples are transformed by Python's code, in its threads.
class Reader {
public:
    Reader(std::vector<std::string> paths, int64_t size, int64_t epoch_size, bool shuffle,
           int64_t window, int64_t seed, int rank, int ranks, int ahead)
        : batches_(std::move(paths), size,
                   {.order = {.shuffle = shuffle,
                              .window = window,
                              .seed = seed,
                              .rank = rank,
                              .ranks = ranks},
                    .repeat = false,
                    .epoch_size = epoch_size,
                    .n_prefetch = ahead}) {}

    /// Dicts of "__key__", "__url__", "__seed__" and the extensions; None at the end of the epoch.
    nb::object next() {
        std::optional<ShardBatch> batch;
        {
            const nb::gil_scoped_release others_may_run;
            batch = batches_.next();
        }
        if (!batch) return nb::none();
        nb::list samples;
        for (size_t k = 0; k < batch->samples.size(); ++k) {
            const ShardSample& sample = batch->samples[k];
            nb::dict values;
            values["__key__"] = as_text(sample.key);
            values["__url__"] = as_text(sample.shard);
            values["__seed__"] =
                seed_of_sample(batches_.options().order, batch->first + int64_t(k));
            for (const auto& [extension, content] : sample.files)
                values[as_text(extension)] = as_bytes(content);
            samples.append(std::move(values));
            batch->samples[k] = {};  // The bytes are there once.
        }
        return samples;
    }
    void reset() {
        const nb::gil_scoped_release others_may_run;
        batches_.reset();
    }
    void stop() {
        const nb::gil_scoped_release others_may_run;
        batches_.stop();
    }
    int64_t epoch() const { return batches_.progress().epoch; }
    int64_t position() const { return batches_.progress().position; }
    double epoch_detail() const { return batches_.progress().epoch_detail; }

    /// Integers by name, those of lists as a list, as a C++ snapshot has them.
    nb::dict state() {
        MemoryArchive archive;
        save_to(archive, [&](const Serializer& s) { serialize_shards(batches_, s); });
        nb::dict values;
        for (const std::string& key : archive.keys()) {
            const Array value = archive.read(key);
            const auto set = [&](const auto& list) {
                values[nb::cast(key)] = value.rank() == 0 ? nb::cast(list.at(0)) : nb::cast(list);
            };
            if (is_float(value.dtype()))
                set(value.astype(Dtype::float64).to_vector<double>());
            else
                set(value.astype(Dtype::int64).to_vector<int64_t>());
        }
        return values;
    }
    void restore(const std::vector<std::pair<std::string, std::vector<int64_t>>>& lists,
                 const std::vector<std::pair<std::string, int64_t>>& integers,
                 const std::vector<std::pair<std::string, double>>& numbers) {
        MemoryArchive archive;
        for (const auto& [key, value] : lists)
            archive.write(key, Array::from(value, {int64_t(value.size())}));
        for (const auto& [key, value] : integers) archive.write(key, Array::scalar(value));
        for (const auto& [key, value] : numbers) archive.write(key, Array::scalar(value));
        const nb::gil_scoped_release others_may_run;
        load_from(archive, [&](const Serializer& s) { serialize_shards(batches_, s); }, {});
    }

private:
    ShardBatches batches_;
};

class Writer {
public:
    Writer(std::string pattern, int64_t most_samples, uint64_t most_bytes)
        : shards_(std::move(pattern), {.most_samples = most_samples, .most_bytes = most_bytes}) {}
    void write(const std::string& key,
               const std::vector<std::pair<std::string, nb::bytes>>& files) {
        ShardWriter::Files contents;
        for (const auto& [extension, content] : files)
            contents.emplace_back(extension, std::string(content.c_str(), content.size()));
        const nb::gil_scoped_release others_may_run;
        shards_.write(key, contents);
    }
    void finish() {
        const nb::gil_scoped_release others_may_run;
        shards_.finish();
    }
    const std::vector<std::string>& shards() const { return shards_.shards(); }
    int64_t size() const { return shards_.size(); }

private:
    ShardWriter shards_;
};

}  // namespace

NB_MODULE(_shards, m) {
    m.doc() = "The C++ side of catena.shards.";
    nb::class_<Reader>(m, "Reader")
        .def(nb::init<std::vector<std::string>, int64_t, int64_t, bool, int64_t, int64_t, int, int,
                      int>())
        .def("next", &Reader::next)
        .def("reset", &Reader::reset)
        .def("stop", &Reader::stop)
        .def("state", &Reader::state)
        .def("restore", &Reader::restore)
        .def_prop_ro("epoch", &Reader::epoch)
        .def_prop_ro("position", &Reader::position)
        .def_prop_ro("epoch_detail", &Reader::epoch_detail);
    nb::class_<Writer>(m, "Writer")
        .def(nb::init<std::string, int64_t, uint64_t>())
        .def("write", &Writer::write)
        .def("finish", &Writer::finish)
        .def_prop_ro("shards", &Writer::shards)
        .def_prop_ro("size", &Writer::size);
    m.def("expand", [](const std::string& pattern) { return expand_shards(pattern); });
    m.def("count", count_samples, nb::call_guard<nb::gil_scoped_release>());
}
