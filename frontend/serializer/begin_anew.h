#pragma once

#include <functional>
#include <string>

namespace catena {

/// While alive, the files that this thread loads are of a training by another number of ranks. What
/// belongs to one rank, such as the place in its part of the data, then begins anew where it does
/// not fit, instead of a FileError, and `note` gets a text about each that does so or does not:
/// "an iterator of 24 examples begins its epoch anew".
class BeginAnewScope {
public:
    explicit BeginAnewScope(std::function<void(const std::string& text)> note);
    ~BeginAnewScope();
    BeginAnewScope(const BeginAnewScope&) = delete;

private:
    friend void note_beginning(const std::string& text);
    std::function<void(const std::string& text)> note_;
    const BeginAnewScope* before_;
};

/// Whether a BeginAnewScope is alive.
bool begins_anew();
/// Gives the scope's function a text.
void note_beginning(const std::string& text);

}  // namespace catena
