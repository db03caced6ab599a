#pragma once

#include <concepts>
#include <iosfwd>
#include <string>

#include "frontend/dataset/dataset.h"
#include "frontend/dataset/iterator/iterator.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "frontend/serializer/safetensors.h"
#include "frontend/trainer/extension.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

// Calls that nothing fits. They are declared and deleted, so that the compiler shows the line below
// that says why, instead of listing every function of that name.

template <class T>
concept HasNoText = std::derived_from<T, Optimizer> || std::derived_from<T, Dataset> ||
                    std::derived_from<T, Iterator> || std::derived_from<T, Updater> ||
                    std::derived_from<T, Trainer> || std::derived_from<T, Extension>;
/// Links, parameters, variables, arrays, shapes and dtypes are printed by <<; of an optimizer, a
/// dataset, an iterator, an updater, a trainer and an extension print what you need of it.
template <HasNoText T>
std::ostream& operator<<(std::ostream& out, const T& has_no_text_print_its_members) = delete;

template <class T>
concept HasRows = std::same_as<T, Array> || std::derived_from<T, Variable>;
/// An array is no range, for (auto row : x): write for (int64_t i = 0; i < x.dim(0); ++i) with
/// x[i] in it, or take elements by x.to_vector<float>().
template <HasRows T>
void begin(const T& is_no_range_take_its_rows_by_index) = delete;
template <HasRows T>
void end(const T& is_no_range_take_its_rows_by_index) = delete;

template <class T>
concept IsNoDatasetRange = std::derived_from<T, Dataset>;
/// A dataset is no range: write for (int64_t i = 0; i < dataset.size(); ++i) with dataset[i] in it,
/// or go through the batches of an iterator, for (auto& batch : iterator).
template <IsNoDatasetRange T>
void begin(const T& is_no_range_take_examples_by_index_or_batches_of_an_iterator) = delete;
template <IsNoDatasetRange T>
void end(const T& is_no_range_take_examples_by_index_or_batches_of_an_iterator) = delete;

template <class T>
concept CannotBeLoaded = !Serializable<T> && !std::convertible_to<const T&, SerializeFunction>;
template <class T>
concept CannotBeSaved = CannotBeLoaded<T> && !std::convertible_to<const T&, NamedArrays>;
/// Files hold named arrays, save_npz(path, {{"x", x}}), or what has serialize(): links, optimizers,
/// iterators, trainers and your own classes. One array alone is saved by save(path, array).
template <CannotBeSaved T>
void save_npz(const std::string& path, const T& is_neither_named_arrays_nor_has_serialize,
              const SaveOptions& options = {}) = delete;
template <CannotBeSaved T>
void save_hdf5(const std::string& path, const T& is_neither_named_arrays_nor_has_serialize,
               const SaveOptions& options = {}) = delete;
template <CannotBeSaved T>
void save_safetensors(const std::string& path, const T& is_neither_named_arrays_nor_has_serialize,
                      const SafetensorsMetadata& metadata = {}) = delete;
/// A file is loaded into what has serialize(): links, optimizers, iterators, trainers and your own
/// classes. Arrays by name are what read_npz(path), read_hdf5 and read_safetensors give.
template <CannotBeLoaded T>
void load_npz(const std::string& path, const T& has_no_serialize_see_read_npz,
              const LoadOptions& options = {}) = delete;
template <CannotBeLoaded T>
void load_hdf5(const std::string& path, const T& has_no_serialize_see_read_hdf5,
               const LoadOptions& options = {}) = delete;
template <CannotBeLoaded T>
void load_safetensors(const std::string& path, const T& has_no_serialize_see_read_safetensors,
                      const LoadOptions& options = {}) = delete;

}  // namespace catena
