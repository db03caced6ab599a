#pragma once

#include <catena/catena.h>

#include <string>

/// Where the pictures come from: flags that programs on large pictures share.
struct PictureOptions {
    std::string train_list, val_list, root = ".", mean;
    int64_t size = 0;        ///< Height and width of a part.
    int64_t made_up = 1000;  ///< Without lists.
    int64_t classes = 1000;  ///< Of the lists.
    int64_t class_count() const { return train_list.empty() ? 10 : classes; }
};

/// Pictures [3, height, width] with values from 0 to 255 and their labels: of a file of lines "PATH
/// LABEL", or made up, somewhat larger than `size`.
catena::Dataset pictures(const std::string& list, const PictureOptions& options, int64_t made_up,
                         uint64_t seed);

/// The mean of all pictures, [3, height, width]. ValueError when their sizes differ.
catena::Array mean_picture(const catena::Dataset& pictures);

/// Pairs of pictures, about -1 to 1, and labels: parts of the pictures, random and mirrored for
/// training, from the middle for testing; minus the mean picture of the file --mean, or else the
/// mean colours of some of the training pictures.
struct PictureSets {
    catena::Dataset training, test;
};
PictureSets picture_sets(const PictureOptions& options);
