#include "runtime/core/array/dlpack.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/dlpack_tensor.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/core/system/error.h"

/// As dlpack.h declares them in its versions 1.0 to 1.2.
extern "C" {
typedef struct {
    void* data;
    struct {
        int32_t device_type, device_id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned* self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;
}

namespace catena {
namespace {

using dlpack::Managed;
using dlpack::Versioned;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Managed* seen(DLManagedTensor* tensor) { return reinterpret_cast<Managed*>(tensor); }
Versioned* seen(DLManagedTensorVersioned* tensor) { return reinterpret_cast<Versioned*>(tensor); }

/// Somebody's tensor of float32 [2,3], and how often it was given back.
template <class Kind>
struct Theirs {
    float numbers[8] = {9, 0, 1, 2, 3, 4, 5, 9};
    int64_t shape[8] = {2, 3}, strides[8] = {3, 1};
    Kind managed{};
    int deleted = 0;

    Theirs() {
        managed.tensor = {numbers, {1, 0}, 2, {2, 32, 1}, shape, strides, sizeof(float)};
        if constexpr (std::is_same_v<Kind, Versioned>) managed.major = 1;
        managed.context = this;
        managed.deleter = [](Kind* self) { ++static_cast<Theirs*>(self->context)->deleted; };
    }
    Array taken() {
        if constexpr (std::is_same_v<Kind, Versioned>)
            return from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(&managed));
        else
            return from_dlpack(reinterpret_cast<DLManagedTensor*>(&managed));
    }
    /// The message of the error of class E that taking it gives; it has been given back then.
    template <class E>
    std::string refusal() {
        try {
            taken();
        } catch (const E& error) {
            EXPECT_EQ(deleted, 1);
            return error.what();
        }
        return "no error";
    }
};

TEST(FromDlpack, is_given_the_structures_of_dlpack_h) {
    const Array x = Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    DLManagedTensor* const plain = to_dlpack(x);
    EXPECT_EQ(plain->dl_tensor.data, x.elements());
    EXPECT_EQ(plain->dl_tensor.ndim, 2);
    EXPECT_EQ(plain->dl_tensor.dtype.code, 2);
    EXPECT_EQ(plain->dl_tensor.strides[0], 3);
    plain->deleter(plain);
    DLManagedTensorVersioned* const versioned = to_dlpack_versioned(x);
    EXPECT_EQ(versioned->version.major, 1u);
    EXPECT_EQ(versioned->flags, 0u);
    EXPECT_EQ(versioned->dl_tensor.shape[1], 3);
    EXPECT_EQ(versioned->dl_tensor.device.device_type, 1);
    versioned->deleter(versioned);
}

TEST(FromDlpack, shows_the_others_memory_from_its_byte_offset_on) {
    Theirs<Versioned> theirs;
    const Array x = theirs.taken();
    EXPECT_EQ(to_string(x.type()), "float32[2,3]");
    EXPECT_EQ(x.elements(), theirs.numbers + 1);
    EXPECT_THAT(x.to_vector<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
    theirs.numbers[1] = 7;
    EXPECT_EQ(x.to_vector<float>()[0], 7);
    x.data<float>()[5] = 8;
    EXPECT_EQ(theirs.numbers[6], 8);
}

TEST(FromDlpack, takes_strides_or_their_absence) {
    Theirs<Managed> theirs;
    theirs.shape[0] = 3, theirs.shape[1] = 2;
    theirs.strides[0] = 1, theirs.strides[1] = 3;
    EXPECT_THAT(theirs.taken().to_vector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
    theirs.strides[0] = 2, theirs.strides[1] = -1;
    theirs.managed.tensor.byte_offset = 2 * sizeof(float);
    EXPECT_THAT(theirs.taken().to_vector<float>(), ElementsAre(1, 0, 3, 2, 5, 4));
    theirs.managed.tensor.strides = nullptr;
    EXPECT_THAT(theirs.taken().to_vector<float>(), ElementsAre(1, 2, 3, 4, 5, 9));
    EXPECT_EQ(theirs.deleted, 3);
}

TEST(FromDlpack, calls_the_deleter_once_after_the_last_array_on_any_thread) {
    Theirs<Managed> theirs;
    Array row;
    {
        const Array x = theirs.taken();
        row = x.view({3}, {1}, 3);
    }
    EXPECT_EQ(theirs.deleted, 0);
    std::thread([last = std::exchange(row, Array())] {
        EXPECT_THAT(last.to_vector<float>(), ElementsAre(3, 4, 5));
    }).join();
    EXPECT_EQ(theirs.deleted, 1);
    theirs.managed.deleter = nullptr;  // Of a tensor that is nobody's.
    theirs.taken();
}

TEST(FromDlpack, what_may_only_be_read_is_not_written) {
    Theirs<Managed> plain;
    EXPECT_THROW(plain.taken().data<float>(), ValueError) << "nothing says that it may be written";
    Theirs<Versioned> fixed;
    fixed.managed.flags = dlpack::read_only_flag;
    const Array x = fixed.taken();
    EXPECT_THROW(x.data<float>(), ValueError);
    EXPECT_EQ(x.elements<float>()[0], 0);
}

TEST(FromDlpack, refuses_with_the_reason_and_gives_the_tensor_back) {
    using Plain = Theirs<Managed>;
    const auto with = [](const auto& change) {
        auto theirs = std::make_unique<Plain>();
        change(theirs->managed.tensor);
        return theirs;
    };
    using Tensor = dlpack::Tensor;
    EXPECT_THAT(with([](Tensor& t) { t.device = {2, 1}; })->refusal<DeviceError>(),
                HasSubstr("the tensor is on cuda:1, Catena reads those in memory of the host"));
    EXPECT_THAT(with([](Tensor& t) { t.device = {8, 0}; })->refusal<DeviceError>(),
                HasSubstr("device 0 of DLPack's type 8"));
    EXPECT_THAT(with([](Tensor& t) { t.dtype = {5, 64, 1}; })->refusal<DtypeError>(),
                HasSubstr("no dtype of 64 bits of DLPack's code 5 in 1 lanes"));
    EXPECT_THAT(with([](Tensor& t) { t.dtype = {2, 32, 4}; })->refusal<DtypeError>(),
                HasSubstr("in 4 lanes"));
    EXPECT_THAT(with([](Tensor& t) { t.rank = 9; })->refusal<ShapeError>(),
                HasSubstr("9 axes: Catena's have up to 8"));
    EXPECT_THAT(with([](Tensor& t) { t.rank = -1; })->refusal<ShapeError>(), HasSubstr("-1 axes"));
    EXPECT_THAT(with([](Tensor& t) { t.shape[1] = -3; })->refusal<ShapeError>(),
                HasSubstr("the shape [2,-3] has a negative size"));
    EXPECT_THAT(with([](Tensor& t) { t.shape = nullptr; })->refusal<ValueError>(),
                HasSubstr("the shape of a tensor of 2 axes is null"));
    EXPECT_THAT(with([](Tensor& t) { t.data = nullptr; })->refusal<ValueError>(),
                HasSubstr("the pointer to float32[2,3] is null"));
    EXPECT_THAT(with([](Tensor& t) { t.byte_offset = 2; })->refusal<ValueError>(),
                HasSubstr("is no multiple of 4 bytes"));
    EXPECT_THAT(with([](Tensor& t) { t.strides[0] = INT64_MAX; })->refusal<ShapeError>(),
                HasSubstr("64 bits"));
    Theirs<Versioned> later;
    later.managed.major = 2;
    EXPECT_THAT(later.refusal<ValueError>(), HasSubstr("is of DLPack 2.0, Catena reads 1.x"));
    EXPECT_THROW(from_dlpack(static_cast<DLManagedTensor*>(nullptr)), ValueError);
}

TEST(FromDlpack, an_empty_tensor_needs_no_memory) {
    Theirs<Managed> theirs;
    theirs.shape[0] = 0;
    theirs.managed.tensor.data = nullptr;
    EXPECT_EQ(to_string(theirs.taken().type()), "float32[0,3]");
    EXPECT_EQ(theirs.deleted, 1);
}

TEST(ToDlpack, gives_the_elements_with_shape_and_strides) {
    const Array x = Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    Managed* const given = seen(to_dlpack(x.view({3, 2}, {1, 3}, 0)));
    EXPECT_EQ(given->tensor.data, x.elements());
    EXPECT_EQ(given->tensor.byte_offset, 0u);
    EXPECT_EQ(given->tensor.rank, 2);
    EXPECT_EQ(given->tensor.shape[0], 3);
    EXPECT_EQ(given->tensor.strides[1], 3);
    EXPECT_EQ(given->tensor.device.type, 1);
    static_cast<float*>(given->tensor.data)[0] = 10;
    EXPECT_EQ(x.to_vector<float>()[0], 10) << "the memory is shared";
    given->deleter(given);
}

TEST(ToDlpack, keeps_the_memory_until_its_deleter_is_called) {
    Array x = Array::from<float>({1, 2, 3});
    const Ref<Storage> storage = x.storage();
    Managed* const given = seen(to_dlpack(x));
    x = Array();
    EXPECT_TRUE(storage->is_held());
    EXPECT_EQ(static_cast<float*>(given->tensor.data)[2], 3);
    std::thread([=] { given->deleter(given); }).join();
    EXPECT_FALSE(storage->is_held());
    EXPECT_EQ(storage->use_count(), 1u);
}

TEST(ToDlpack, every_dtype_comes_back_through_both_structures) {
    for (int i = 0; i < dtype_count; ++i) {
        const Array x =
            Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}).astype(Dtype(i));
        for (const Array& back : {from_dlpack(to_dlpack(x)), from_dlpack(to_dlpack_versioned(x))}) {
            EXPECT_EQ(to_string(back.type()), to_string(x.type()));
            EXPECT_EQ(back.to_vector<double>(), x.to_vector<double>());
            EXPECT_EQ(back.elements(), x.elements());
        }
    }
    const Array scalar = Array::scalar(2.5);
    EXPECT_EQ(from_dlpack(to_dlpack(scalar)).item<double>(), 2.5);
    EXPECT_EQ(from_dlpack(to_dlpack(Array::zeros({Dtype::int8, {0, 4}}))).size(), 0);
}

TEST(ToDlpack, says_that_memory_may_only_be_read_or_refuses) {
    Theirs<Versioned> fixed;
    fixed.managed.flags = dlpack::read_only_flag;
    const Array x = fixed.taken();
    Versioned* const given = seen(to_dlpack_versioned(x));
    EXPECT_EQ(given->major, 1u);
    EXPECT_EQ(given->flags, dlpack::read_only_flag);
    given->deleter(given);
    const auto message = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(message([&] { to_dlpack(x); }), HasSubstr("call to_dlpack_versioned(), or copy"));
    EXPECT_THAT(message([&] { to_dlpack(Array()); }), HasSubstr("the array is undefined"));
    const Array meta = Array::empty({Dtype::float32, {2}}, meta_device());
    EXPECT_THAT(message([&] { to_dlpack(meta); }), HasSubstr("to_dlpack: the array is on meta"));
}

}  // namespace
}  // namespace catena
