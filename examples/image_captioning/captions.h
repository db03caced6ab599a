#pragma once

#include <catena/catena.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

/// A picture as its file is or as it was made up, and what is said of it. Pictures may have several
/// captions.
struct Captioned {
    std::function<catena::Array()> picture;  ///< [3, height, width], 0 to 255.
    std::vector<std::vector<std::string>> captions;
};

/// Pictures of one shape, told by size, colour and kind: "a large red disc".
std::vector<Captioned> made_up_captions(int64_t count, uint64_t seed);

/// Pictures of `folder` with the captions of an annotation file of MSCOCO (JSON with "images": id,
/// file_name, and "annotations": image_id, caption). catena::FileError naming the file and what it
/// lacks.
std::vector<Captioned> read_mscoco(const std::string& annotations, const std::string& folder);

/// Words of a caption: small letters, without punctuation.
std::vector<std::string> words_of(const std::string& caption);

/// Numbers of the words that every vocabulary has, and of all words that occur at least `least`
/// times.
inline constexpr int32_t unknown_word = 0, begin_of_caption = 1, end_of_caption = 2;
std::map<std::string, int32_t> vocabulary_of(const std::vector<Captioned>& all, int64_t least);
