#include "frontend/python/bind/archive.h"

#include <nanobind/stl/string.h>

#include "frontend/python/bind/convert/location.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/module.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/array/device.h"

namespace catena::python {
namespace {

Array array_for(const std::string& key, nb::handle value) {
    if (is_variable(value.ptr())) return variable_in(value.ptr()).array();
    const DeviceScope host(cpu_device());
    if (is_ndarray(value.ptr())) return copied_array_of(value.ptr());
    try {
        return array_from(value.ptr(), std::nullopt);
    } catch (const Error& error) {
        fail<DtypeError>("'{}' cannot be saved: {}", key, error.what());
    } catch (nb::python_error& error) {
        fail<DtypeError>("'{}' cannot be saved: {}", key, error.what());
    }
}

nb::dict read_npz_file(const std::string& path) { return read_all(NpzFile(path)); }

void write_npz_file(const std::string& path, nb::dict values, bool compression) {
    struct Entries final : ArchiveWriter {
        std::vector<std::pair<std::string, Array>> arrays;
        std::vector<std::pair<std::string, std::string>> texts;
        void write(const std::string& key, const Array& array) override {
            arrays.emplace_back(key, array);
        }
        void write_text(const std::string& key, std::string_view text) override {
            texts.emplace_back(key, text);
        }
        void finish() override {}
    } entries;
    write_all(entries, values);  // Before the file is opened.
    const OthersMayRun others_may_run;
    save_npz(path,
             [&](const Serializer& s) {
                 for (const auto& [key, array] : entries.arrays) s.write(key, array);
                 for (const auto& [key, text] : entries.texts) s.write(key, text);
             },
             {.compression = compression});
}

}  // namespace

nb::dict read_all(const ArchiveReader& reader) {
    nb::dict values;
    const nb::module_ numpy = nb::module_::import_("numpy");
    const DeviceScope host(cpu_device());
    for (const std::string& key : reader.keys()) {
        if (reader.is_text(key))
            values[nb::cast(key)] = nb::cast(reader.read_text(key));
        else if (const Array array = reader.read(key); array.defined())
            values[nb::cast(key)] =
                numpy.attr("array")(nb::steal(ndarray_of(array.to(cpu_device()))));
        else
            values[nb::cast(key)] = nb::none();
    }
    return values;
}

void write_all(ArchiveWriter& writer, nb::dict values) {
    for (const auto& [name, value] : values) {
        const std::string key = to_string(nb::str(name).ptr());
        if (value.is_none())
            writer.write(key, Array());
        else if (nb::isinstance<nb::str>(value))
            writer.write_text(key, to_string(value.ptr()));
        else
            writer.write(key, array_for(key, value));
    }
}

void bind_files(nb::module_& m) {
    m.def("_read_npz", read_npz_file, nb::arg("path"));
    m.def("_write_npz", write_npz_file, nb::arg("path"), nb::arg("values"), nb::arg("compression"));
}

}  // namespace catena::python
