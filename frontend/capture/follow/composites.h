#pragma once

#include <memory>
#include <span>
#include <vector>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/follow/known_body.h"

namespace catena::capture {

/// The composites of a region's code: which are open, and the bodies that are known. A composite is
/// followed as the calls of its body, or its body is taken again without being called.
class Composites {
public:
    explicit Composites(FollowedCall& call) : call_(call) {}

    /// The composite's results without its body; false: the body must be followed.
    bool repeat(const OpCall& call, Variables& outputs);
    void begin(const OpCall& call);
    /// `outputs`: none where the body has thrown.
    void end(std::span<const Variable> outputs);
    bool are_open() const { return !open_.empty(); }
    /// A host read: what is open goes on as single operations.
    void cut();
    void clear() { open_.clear(); }

    /// The first scalar slot of the composite that has just ended; -1: it was an operation.
    int last_scalar() const { return last_scalar_; }
    void forget_last() { last_scalar_ = -1; }

private:
    struct Open {
        const OpDef* op;  ///< The composite; null: it was cut.
        const Attributes* attributes;
        std::span<const Variable* const> inputs;
        size_t scalar_count;
        FollowedCall::Moment begun;
        /// The attempt to know the body; without a place the body is none.
        Attempt<KnownBody> attempt;
    };

    KnownBody* known_body(const OpCall& call) const;
    bool is_given(const KnownBody& known, std::span<const Variable* const> inputs) const;
    Attempt<KnownBody> attempt(const OpCall& call, const FollowedCall::Moment& begun) const;
    std::unique_ptr<KnownBody> made_body(const Open& open, std::span<const Variable> outputs) const;
    bool describe_inputs(const Open& open, KnownBody& body) const;
    std::unique_ptr<Composite> made_composite(const Open& open,
                                              std::span<const Variable> outputs) const;
    void add_to_tree(std::unique_ptr<Composite> made);

    FollowedCall& call_;
    std::vector<Open> open_;
    int last_scalar_ = -1;
};

}  // namespace catena::capture
