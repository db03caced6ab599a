#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/parameter.h"
#include "runtime/graph/host_fact.h"

namespace catena {

/// The states of a recurrent link that live from call to call. They are States: compiled programs
/// read and assign them as eager calls do. Inside one region, and between eager calls, gradients
/// flow back through them (cut with unchain_backward).
class RecurrentMemory {
public:
    explicit RecurrentMemory(std::vector<std::string> names);
    RecurrentMemory(const RecurrentMemory& other);
    RecurrentMemory(RecurrentMemory&& other);  ///< The other one is empty then.
    RecurrentMemory& operator=(const RecurrentMemory& other);
    RecurrentMemory& operator=(
        RecurrentMemory&& other) {  ///< As States, which keep their identity.
        return *this = std::as_const(other);
    }

    /// True if nothing was stored since the reset, whatever the states hold.
    bool is_empty() const;
    Variable operator[](size_t k) const;  ///< Undefined while empty.
    void reset();                         ///< Empties it.
    /// What a step made of the states, in the order of the names; new ones are allocated on `home`.
    void store(std::initializer_list<Variable> values, Device& home);
    /// The same from outside a step.
    void set(std::initializer_list<Variable> values, Device& home);
    void move(Device& device);
    /// Names the states after the path of their link, told from a parameter in it: "/l1/upward/W",
    /// which the link knows as "upward/W", stands in "/l1", whose states are "/l1/c" and "/l1/h".
    void name_beside(const Parameter& parameter, const std::string& own);

private:
    /// A state, and the variable with its graph that was last stored in it.
    struct Memory {
        std::string name;
        State state;
        Variable recent;
        bool chained = false;  ///< `recent` had a creator when it was stored.
        /// Without a graph once `recent` was unchained: the truncated part needs no gradient.
        Variable value() const;
        /// Allocates the state with this size, content unspecified: a program can only assign
        /// existing states.
        void make_room(const Variable& value, Device& device);
        void store(const Variable& value);
    };

    /// Whether it is empty, and which states have a graph: a region's code does something else
    /// then.
    struct Contents final : HostFact {
        std::vector<Memory> memories;
        bool empty = true;
        Array before_recording;  ///< Restored to the last state when a recording on shapes, which
                                 ///< began empty, is undone.
        bool is_empty() const;
        uint64_t present() const override;
    };

    class HeldContents;

    /// Tells the recorder that the code depends on the contents.
    Contents& contents() const;
    /// The same, for a call that is about to change them.
    Contents& changing_contents();
    std::shared_ptr<Contents> contents_;
};

}  // namespace catena
