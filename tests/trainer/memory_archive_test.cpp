#include "frontend/serializer/memory_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

struct Net : Chain {
    Linear l1{3, 2}, lazy{4};
    Net() { add_children({{"l1", l1}, {"lazy", lazy}}); }
};

TEST(MemoryArchive, holds_what_a_file_would) {
    Net a, b;
    Adam adam;
    adam.setup(a);
    sum(a.l1(Variable(Array::full({Dtype::float32, {1, 3}}, 1)))).backward();
    adam.update();
    auto state = [](Net& net) { return [&net](const Serializer& s) { net.serialize(s); }; };
    MemoryArchive archive;
    save_to(archive, state(a));
    save_to(archive, [&](const Serializer& s) {
        adam.serialize(s["adam"]);
        s.write("text", std::string_view("two\nlines"));
    });
    EXPECT_TRUE(archive.contains("l1/W"));
    MemoryArchive travelled(archive.bytes(), "the other rank");
    EXPECT_EQ(travelled.keys(), archive.keys());
    EXPECT_EQ(travelled.read_text("text"), "two\nlines");
    load_from(travelled, state(b), {});
    EXPECT_EQ(b.l1.W.array().to_vector<float>(), a.l1.W.array().to_vector<float>());
    EXPECT_FALSE(b.lazy.W.is_initialized());
    EXPECT_EQ(travelled.read("adam/l1/W/m").to_vector<float>(),
              archive.read("adam/l1/W/m").to_vector<float>());
    EXPECT_THAT(message_of<FileError>([&] { travelled.read("l1/V"); }),
                HasSubstr("the other rank: there is no 'l1/V'"));
}

TEST(MemoryArchive, refuses_damaged_bytes) {
    MemoryArchive archive;
    archive.write("x", Array::from<float>({1, 2, 3}));
    archive.write_text("t", "text");
    const std::string bytes = archive.bytes();
    for (size_t length = 0; length < bytes.size(); ++length)
        EXPECT_THROW(MemoryArchive(std::string_view(bytes).substr(0, length), "cut"), FileError)
            << length;
    for (size_t at = 0; at < bytes.size(); ++at) {  // An error or other values, never more.
        std::string damaged = bytes;
        damaged[at] = char(damaged[at] ^ 0x7f);
        try {
            MemoryArchive(damaged, "damaged");
        } catch (const Error&) {
        }
    }
}

TEST(MemoryArchive, packs_arrays_of_any_kind) {
    std::vector<Array> arrays{Array::scalar<int64_t>(7), Array(),
                              Array::zeros({Dtype::bool_, {0, 3}}),
                              Array::from<double>({0.5}).astype(Dtype::float16)};
    std::vector<Array> again = unpack_arrays(pack_arrays(arrays), "here");
    ASSERT_EQ(again.size(), 4u);
    EXPECT_EQ(again[0].item<int64_t>(), 7);
    EXPECT_FALSE(again[1].defined());
    EXPECT_EQ(again[2].type(), (Type{Dtype::bool_, {0, 3}}));
    EXPECT_EQ(again[3].type(), (Type{Dtype::float16, {1}}));
}

TEST(MemoryArchive, packs_empty_arrays_whose_other_sizes_are_large) {
    const int64_t huge = int64_t(1) << 40;
    for (const Shape& shape : {Shape{300, 0}, Shape{0, 300}, Shape{100, 100, 0},
                               Shape{huge, 0, huge}, Shape{huge, huge, 0}})
        EXPECT_EQ(unpack_arrays(pack_arrays({Array::zeros({Dtype::float32, shape})}), "here")
                      .at(0)
                      .shape(),
                  shape);
}

}  // namespace
}  // namespace catena
