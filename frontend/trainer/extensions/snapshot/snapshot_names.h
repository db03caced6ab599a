#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

class Updater;

namespace extensions {

/// The names of a training's snapshots, "snapshot_iter_{.updater.iteration}". Which of two files is
/// the later one follows from the numbers in their names: clocks may be set back, and copies of
/// files have the time of their copying.
class SnapshotNames {
public:
    /// The names that `pattern` makes. ValueError for an unknown field and, with `are_ordered`, if
    /// two fields touch, because their numbers could not be told apart.
    SnapshotNames(const std::string& pattern, bool are_ordered);

    /// The name of the file for the present position.
    std::string name_for(const Updater& updater) const;
    /// Whether a file's name is one of the snapshots'.
    bool has(const std::string& name) const { return numbers_in(name).has_value(); }
    /// The paths of the snapshots in a folder, the earliest first.
    std::vector<std::string> files_in(const std::string& folder) const;

private:
    enum class Field { text, iteration, epoch, epoch_detail };
    struct Part {
        Field field;
        std::string text;
    };
    /// The numbers in a name: iteration, exact epoch, epoch; -1 where names have none.
    using Numbers = std::array<double, 3>;
    static Field field_named(std::string_view name);
    std::optional<Numbers> numbers_in(const std::string& name) const;
    bool read(std::string_view name, size_t part, Numbers& numbers) const;
    std::vector<Part> parts_;
};

}  // namespace extensions
}  // namespace catena
