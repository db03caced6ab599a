#pragma once

#include <map>
#include <string>

#include "runtime/core/array/array.h"

namespace catena {

/// The training, validation and test texts as word indices, int32; each line ends with the index of
/// "<eos>".
struct PtbWords {
    Array train, valid, test;
};
/// Reads ptb.train.txt, ptb.valid.txt and ptb.test.txt in a folder: the Penn Treebank as prepared
/// by Mikolov. FileError naming a missing file, or a word that is not in the training set.
PtbWords get_ptb_words(const std::string& folder);
/// The words and their indices, in the order of their first occurrence in the training set.
std::map<std::string, int32_t> get_ptb_words_vocabulary(const std::string& folder);

}  // namespace catena
