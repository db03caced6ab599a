#pragma once

#include <string>
#include <vector>

namespace catena::fuzz {

/// Small valid files of every kind that Catena reads, made by what writes them, in subfolders of
/// `folder` by kind: npy npz safetensors records pictures_zip hdf5 onnx tensor package png jpeg idx
/// cifar json text mat words. A kind that this build cannot read is left out.
void write_corpora(const std::string& folder);

/// The contents of the files in `folder`, in the order of their names; empty if there is none.
std::vector<std::string> read_corpus(const std::string& folder);

std::string content_of(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace catena::fuzz
