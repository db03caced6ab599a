#pragma once

#include <memory>
#include <span>
#include <string>

#include "frontend/link/link.h"
#include "runtime/graph/call/code_must_run.h"

namespace catena {

/// A hook that is called around calls of links: of one link, with link.add_hook(hook), or of every
/// link that the thread calls while a LinkHookScope is open. Hooks run in eager code and in static
/// regions, at every call.
class LinkHook {
public:
    virtual ~LinkHook() = default;
    virtual std::string name() const = 0;
    /// Called when the hook is added to a link; null: to a scope.
    virtual void added([[maybe_unused]] Link* link) {}
    virtual void deleted([[maybe_unused]] Link* link) {}
    virtual void forward_preprocess(LinkCall&) {}
    /// Called after a call, also after an error, with call.failed(); it must not throw then.
    virtual void forward_postprocess(LinkCall&) {}
    /// The parameters (and persistents) that this hook adds to the link that it was added to.
    virtual std::vector<std::pair<std::string, Parameter*>> params();
    virtual std::vector<std::pair<std::string, State*>> persistents();
    /// The hook for a copy of its link. Null: the copy shares this hook, which is then called for
    /// both links.
    virtual std::shared_ptr<LinkHook> copied() const;
};

/// Calls the hook for all links of this thread until the scope ends. ValueError when one of that
/// name is active already.
class LinkHookScope {
public:
    explicit LinkHookScope(LinkHook& hook);
    ~LinkHookScope();
    LinkHookScope(const LinkHookScope&) = delete;

private:
    LinkHook& hook_;
    CodeMustRunScope heard_;
};

}  // namespace catena
