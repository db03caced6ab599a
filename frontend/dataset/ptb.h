#pragma once

#include <map>
#include <string>

#include "runtime/core/array.h"

namespace catena {

/// Numbers of words, int32, each line ended by that of "<eos>".
struct PtbWords {
    Array train, valid, test;
};
/// From ptb.train.txt, ptb.valid.txt and ptb.test.txt in a folder: the Penn Treebank as prepared by Mikolov. FileError
/// naming the file that is missing, and the word that the training set does not have.
PtbWords get_ptb_words(const std::string& folder);
/// Words are numbered as they come first in the training set.
std::map<std::string, int32_t> get_ptb_words_vocabulary(const std::string& folder);

}  // namespace catena
