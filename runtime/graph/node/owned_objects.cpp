#include "runtime/graph/node/owned_objects.h"

#include <unordered_map>
#include <vector>

#include "runtime/graph/node/node.h"

namespace catena {
namespace {

/// Counts the references it finds. Something whose references are all found lives because of the
/// beginning alone, and what it refers to is looked at in turn.
class OwnedWalk final : public OwnedVisitor {
public:
    explicit OwnedWalk(FunctionRef<void(void*)> visit) : visit_(visit) {}

    void run(VariableBody& body, uint32_t handles) {
        reach(&body, handles, bodies_);
        while (!bodies_.empty() || !nodes_.empty()) {
            if (!bodies_.empty()) {
                const VariableBody& owned = *taken(bodies_);
                reach(owned.grad.get(), 1, bodies_);
                reach(owned.alias_of.get(), 1, bodies_);
                reach(owned.creator.get(), 1, nodes_);
            } else {
                visit(*taken(nodes_));
            }
        }
    }

    void variable(const Variable& held) override { reach(held.body(), 1, bodies_); }
    void edge(const Edge& held) override {
        reach(held.node.get(), 1, nodes_);
        reach(held.leaf.get(), 1, bodies_);
    }
    void object(void* held) override { visit_(held); }

private:
    template <class T>
    using Waiting = std::vector<const T*>;

    template <class T>
    static const T* taken(Waiting<T>& waiting) {
        const T* last = waiting.back();
        waiting.pop_back();
        return last;
    }
    template <class T>
    void reach(const T* object, uint32_t references, Waiting<T>& waiting) {
        if (object && (found_[object] += references) == object->use_count())
            waiting.push_back(object);
    }
    void visit(const Node& node) {
        for (const Edge& each : node.edges) edge(each);
        if (const auto* owner = dynamic_cast<const ObjectOwner*>(node.region.get()))
            owner->visit(*this);
        if (const NodeFunction* function = node.function.get())
            if (++found_[function] == function->use_count()) function->visit(*this);
    }

    FunctionRef<void(void*)> visit_;
    std::unordered_map<const void*, uint32_t> found_;
    Waiting<VariableBody> bodies_;
    Waiting<Node> nodes_;
};

}  // namespace

std::atomic<int64_t> ObjectOwner::alive_{0};

void visit_owned_objects(const Variable& x, FunctionRef<void(void*)> visit, uint32_t handles) {
    if (!x.defined() || !(NodeFunction::any() || ObjectOwner::any())) return;
    OwnedWalk(visit).run(*x.body(), handles);
}

}  // namespace catena
