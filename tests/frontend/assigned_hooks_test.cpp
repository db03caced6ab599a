// Hooks of links that are assigned: they belong to a link's identity, as its place in an optimizer.
#include <algorithm>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/connection/linear.h"
#include "frontend/link/hooks/spectral_normalization.h"
#include "frontend/link/hooks/timer.h"
#include "frontend/link/link_hook.h"
#include "tests/reject/rejection.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Counts the calls that it hears.
struct CountingHook : LinkHook {
    explicit CountingHook(std::string called) : called_(std::move(called)) {}
    std::string name() const override { return called_; }
    void forward_preprocess(LinkCall&) override { ++calls; }
    int calls = 0;

private:
    std::string called_;
};

std::vector<std::string> hook_names(const Link& link) {
    std::vector<std::string> names;
    for (const Link::NamedHook& hook : link.hooks()) names.push_back(hook.name);
    return names;
}

Linear with_hook(const std::string& name, int64_t outputs = 2) {
    Linear made(3, outputs);
    made.add_hook(std::make_shared<CountingHook>(name));
    return made;
}

Variable ones_of(int64_t size) { return Variable(Array::full({Dtype::float32, {1, size}}, 1)); }

TEST(AssignedHooks, a_link_that_takes_the_content_of_another_keeps_its_own) {
    Linear a = with_hook("a");
    const Linear b = with_hook("b");
    a = b;
    EXPECT_THAT(hook_names(a), ElementsAre("a"));
    EXPECT_THAT(hook_names(b), ElementsAre("b"));
    a = with_hook("c");
    EXPECT_THAT(hook_names(a), ElementsAre("a"));
}

TEST(AssignedHooks, a_link_that_was_moved_from_gets_those_of_what_takes_its_place) {
    Linear a = with_hook("a"), b = with_hook("b");
    std::swap(a, b);
    EXPECT_THAT(hook_names(a), ElementsAre("b"));
    EXPECT_THAT(hook_names(b), ElementsAre("a"));
    a(ones_of(3));
    const auto hook = [](const Linear& link) {
        return static_cast<const CountingHook*>(link.hooks()[0].hook.get());
    };
    EXPECT_EQ(hook(a)->calls, 1) << "it is heard";
    EXPECT_EQ(hook(b)->calls, 0);
}

TEST(AssignedHooks, links_that_are_sorted_in_a_vector_take_theirs_along) {
    std::vector<Linear> links;
    for (const char* name : {"c", "a", "b"}) links.push_back(with_hook(name));
    std::ranges::sort(links, std::less(), [](const Linear& link) { return hook_names(link)[0]; });
    for (size_t i = 0; i < 3; ++i)
        EXPECT_THAT(hook_names(links[i]), ElementsAre(std::string(1, char('a' + i))));
}

TEST(AssignedHooks, a_link_that_was_moved_from_gets_copies_of_what_is_copied_to_it) {
    Linear a(3, 2);
    Linear moved = std::move(a);
    Linear source(3, 2);
    source.add_hook(link_hooks::SpectralNormalization());
    a = source;
    ASSERT_THAT(hook_names(a), ElementsAre("SpectralNormalization"));
    EXPECT_NE(a.hooks()[0].hook, source.hooks()[0].hook);
    EXPECT_EQ(a.namedpersistents().size(), 1u);
    EXPECT_THAT(hook_names(moved), IsEmpty());
}

TEST(AssignedHooks, what_hooks_of_both_own_is_assigned) {
    Linear a(3, 2), b(3, 2);
    for (Linear* link : {&a, &b})
        link->add_hook(link_hooks::SpectralNormalization({.use_gamma = true}));
    a(ones_of(3));
    b(ones_of(3));
    const auto hook = a.hooks()[0].hook;
    a = b;
    EXPECT_EQ(a.hooks()[0].hook, hook);
    const auto ours = a.namedpersistents(), theirs = b.namedpersistents();
    ASSERT_EQ(ours.size(), 1u);
    EXPECT_EQ(ours[0].second->array().to_vector<float>(),
              theirs[0].second->array().to_vector<float>());
    EXPECT_EQ(a(ones_of(3)).array().to_vector<float>(), b(ones_of(3)).array().to_vector<float>());
}

TEST(AssignedHooks, what_a_hook_of_one_alone_owns_would_be_lost) {
    Linear a(3, 2), b(3, 2);
    b.add_hook(link_hooks::SpectralNormalization());
    EXPECT_THAT(testing::refusal<ValueError>([&] { a = b; }),
                HasSubstr("Linear: only the one whose content is taken has a hook with 'W_u'"));
    EXPECT_THAT(testing::refusal<ValueError>([&] { b = a; }),
                HasSubstr("Linear: only the one that is assigned to has a hook with 'W_u'"));
    b.add_hook(link_hooks::TimerHook());
    a.add_hook(link_hooks::SpectralNormalization());
    EXPECT_NO_THROW(a = b) << "a hook that owns nothing does not matter";
}

}  // namespace
}  // namespace catena
