#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/parameter.h"
#include "runtime/graph/call/host_fact.h"

namespace catena {

/// The states of a recurrent link, which persist from call to call. They are States: compiled
/// programs read and assign them as eager calls do. Inside one region, and between eager calls,
/// gradients flow back through them (cut with unchain_backward).
class RecurrentMemory {
public:
    /// A memory for states of these names: {"c", "h"}.
    explicit RecurrentMemory(std::vector<std::string> names);
    RecurrentMemory(const RecurrentMemory& other);
    /// Takes over the states of the other one, which is empty afterwards.
    RecurrentMemory(RecurrentMemory&& other);
    RecurrentMemory& operator=(const RecurrentMemory& other);
    /// Takes the content of the other's states; these States keep their identity.
    RecurrentMemory& operator=(RecurrentMemory&& other) { return *this = std::as_const(other); }

    /// True if nothing was stored since the reset, whatever the states hold.
    bool is_empty() const;
    /// The state of index k; undefined while empty.
    Variable operator[](size_t k) const;
    /// Forgets the remembered state.
    void reset();
    /// Stores the new states that a step has computed, in the order of the names. States that do
    /// not exist yet are allocated on `home`.
    void store(std::initializer_list<Variable> values, Device& home);
    /// Sets the states from outside a step, as set_state() of a link does.
    void set(std::initializer_list<Variable> values, Device& home);
    /// Moves the states to a device.
    void move(Device& device);
    /// Names the states after their link's path, which is found from one of its parameters: if the
    /// parameter "/l1/upward/W" is called "upward/W" in its link, the link is "/l1" and its states
    /// are "/l1/c" and "/l1/h".
    void name_beside(const Parameter& parameter, const std::string& own);

private:
    /// A state, and the variable with its graph that was last stored in it.
    struct Memory {
        std::string name;
        State state;
        Variable recent;
        bool chained = false;  ///< Whether `recent` had a creator when it was stored.
        /// The variable to read; without a graph once `recent` was unchained, as the truncated part
        /// needs no gradient.
        Variable value() const;
        /// Allocates the state with this size, content unspecified: a program can only assign
        /// existing states.
        void make_room(const Variable& value, Device& device);
        void store(const Variable& value);
    };

    /// A host fact (host_fact.h): whether the memory is empty and which states have a graph, as the
    /// code of a region depends on it.
    struct Contents final : HostFact {
        std::vector<Memory> memories;
        bool empty = true;
        /// The content before a recording on shapes began, which is restored when the recording is
        /// undone.
        Array before_recording;
        bool is_empty() const;
        uint64_t present() const override;
    };

    class HeldContents;

    /// Tells the recorder that the code depends on the contents.
    Contents& contents() const;
    /// Tells the recorder that the code is about to change the contents.
    Contents& changing_contents();
    std::shared_ptr<Contents> contents_;
};

}  // namespace catena
