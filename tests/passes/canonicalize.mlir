// RUN: catena-opt %s --catena-canonicalize | FileCheck %s

// CHECK-LABEL: @reshape_of_reshape
// CHECK-NEXT: %reshape = catena.reshape "reshape"(%arg0) : tensor<2x3x4xf32> -> tensor<24xf32>
// CHECK-NEXT: return
func.func @reshape_of_reshape(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>) {
  %0 = catena.reshape "reshape"(%x) : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = catena.reshape "reshape"(%0) : tensor<6x4xf32> -> tensor<24xf32>
  %2 = catena.reshape "reshape"(%1) : tensor<24xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<24xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: @transposes
// CHECK-NEXT: %[[T:.*]] = catena.transpose "b"(%arg0) by [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: return %[[T]], %arg0
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %0 = catena.transpose "a"(%x) by [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = catena.transpose "b"(%0) by [2, 0, 1] : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
  %2 = catena.transpose "c"(%1) by [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// A column made a row has its elements in the same order.
// CHECK-LABEL: @transpose_of_a_column
// CHECK-NEXT: catena.reshape "transpose"(%arg0) : tensor<8x1xf32> -> tensor<1x8xf32>
func.func @transpose_of_a_column(%x: tensor<8x1xf32>) -> tensor<1x8xf32> {
  %0 = catena.transpose "transpose"(%x) by [1, 0] : tensor<8x1xf32> -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: @slice_of_slice
// CHECK-NEXT: catena.slice "slice"(%arg0) from [7] step [-4] : tensor<10xf32> -> tensor<2xf32>
func.func @slice_of_slice(%x: tensor<10xf32>) -> tensor<2xf32> {
  %0 = catena.slice "slice"(%x) from [9] step [-2] : tensor<10xf32> -> tensor<5xf32>
  %1 = catena.slice "slice"(%0) from [1] step [2] : tensor<5xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @pad_by_nothing
// CHECK: %[[WIDER:.*]] = catena.pad "pad"(%arg0
// CHECK-NEXT: return %arg0, %[[WIDER]]
func.func @pad_by_nothing(%x: tensor<8x10xf32>) -> (tensor<8x10xf32>, tensor<9x10xf32>) {
  %s = catena.scalar 0 seen 0.0
  %0 = catena.pad "pad"(%x with %s) {after = [0, 0], before = [0, 0]} : (tensor<8x10xf32>) -> tensor<8x10xf32>
  %1 = catena.pad "pad"(%x with %s) {after = [0, 0], before = [1, 0]} : (tensor<8x10xf32>) -> tensor<9x10xf32>
  return %0, %1 : tensor<8x10xf32>, tensor<9x10xf32>
}

// CHECK-LABEL: @reduce_over_size_one
// CHECK-NEXT: return %arg0
func.func @reduce_over_size_one(%x: tensor<8x1xf32>) -> tensor<8x1xf32> {
  %0 = catena.reduce "sum"(%x) sum over [1] : tensor<8x1xf32> -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// A map broadcasts by itself, and leading dimensions of size 1 do not matter to it.
// CHECK-LABEL: @map_reads_through
// CHECK-NEXT: catena.map "add"(%arg0, %arg1, %arg2) : (tensor<8x10xf32>, tensor<10xf32>, tensor<10xf32>)
func.func @map_reads_through(%x: tensor<8x10xf32>, %b: tensor<10xf32>, %c: tensor<10xf32>) -> tensor<8x10xf32> {
  %0 = catena.broadcast "broadcast_to"(%b) : tensor<10xf32> -> tensor<8x10xf32>
  %1 = catena.reshape "reshape"(%c) : tensor<10xf32> -> tensor<1x10xf32>
  %2 = catena.map "add"(%x, %0, %1) : (tensor<8x10xf32>, tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %3 = arith.addf %p, %q : f32
    %4 = arith.addf %3, %r : f32
    catena.yield %4 : f32
  }
  return %2 : tensor<8x10xf32>
}

// CHECK-LABEL: @map_operands_stand_once
// CHECK-NEXT: catena.map "f"(%arg0) : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT: ^bb0(%x0: f32):
// CHECK-NEXT:   arith.mulf %x0, %x0
func.func @map_operands_stand_once(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = catena.map "f"(%x, %y, %x) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %c : f32
    catena.yield %1 : f32
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @map_that_copies
// CHECK-NEXT: return %arg0
func.func @map_that_copies(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = catena.map "cast"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    catena.yield %a : f32
  }
  return %0 : tensor<8xf32>
}

// A cast is no copy.
// CHECK-LABEL: @map_that_converts
// CHECK-NEXT: catena.map "cast"
func.func @map_that_converts(%x: tensor<8xf32>) -> tensor<8xf16> {
  %0 = catena.map "cast"(%x) : (tensor<8xf32>) -> tensor<8xf16> {
  ^bb0(%a: f32):
    catena.yield %a : f32
  }
  return %0 : tensor<8xf16>
}

// CHECK-LABEL: @splat_is_inlined
// CHECK-NEXT: %s0 = catena.scalar 0
// CHECK-NEXT: catena.map "mul"(%arg0 with %s0) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
// CHECK-NEXT: ^bb0(%x0: f32, %k0: f32):
// CHECK-NEXT:   arith.mulf %x0, %k0
func.func @splat_is_inlined(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %s = catena.scalar 0
  %fill = catena.map "fill"(with %s) : () -> tensor<f32> {
  ^bb0(%k: f32):
    catena.yield %k : f32
  }
  %wide = catena.broadcast "broadcast_to"(%fill) : tensor<f32> -> tensor<8x10xf32>
  %0 = catena.map "mul"(%x, %wide) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %b : f32
    catena.yield %1 : f32
  }
  return %0 : tensor<8x10xf32>
}

// Stored as f16 the number is rounded, so it has to be stored.
// CHECK-LABEL: @rounded_splat_stays
// CHECK: catena.map "fill"
// CHECK: catena.map "mul"(%arg0, %fill)
func.func @rounded_splat_stays(%x: tensor<8xf16>) -> tensor<8xf16> {
  %s = catena.scalar 0
  %fill = catena.map "fill"(with %s) : () -> tensor<f16> {
  ^bb0(%k: f32):
    catena.yield %k : f32
  }
  %0 = catena.map "mul"(%x, %fill) : (tensor<8xf16>, tensor<f16>) -> tensor<8xf16> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.mulf %a, %b : f32
    catena.yield %1 : f32
  }
  return %0 : tensor<8xf16>
}

// Inexact algebra is left alone: x + 0 turns -0 into 0, x * 0 is NaN for infinities.
// CHECK-LABEL: @inexact_algebra_stays
// CHECK: arith.addf
// CHECK: arith.mulf
func.func @inexact_algebra_stays(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.addf %a, %zero : f32
    %2 = arith.mulf %1, %zero : f32
    catena.yield %2 : f32
  }
  return %0 : tensor<8xf32>
}

// A product reads a matrix in either order; the map runs along the rows that are stored.
// CHECK-LABEL: @map_before_transpose
// CHECK-NEXT: %[[M:.*]] = catena.map "double"(%arg0, %arg2) : (tensor<2x5x4xf32>, tensor<1xf32>) -> tensor<2x5x4xf32>
// CHECK: %[[T:.*]] = catena.transpose "t"(%[[M]]) by [0, 2, 1] : tensor<2x5x4xf32> -> tensor<2x4x5xf32>
// CHECK-NEXT: catena.contract "matmul"(%arg1, %[[T]])
func.func @map_before_transpose(%x: tensor<2x5x4xf32>, %a: tensor<2x3x4xf32>, %factor: tensor<1xf32>) -> tensor<2x3x5xf32> {
  %t = catena.transpose "t"(%x) by [0, 2, 1] : tensor<2x5x4xf32> -> tensor<2x4x5xf32>
  %0 = catena.map "double"(%t, %factor) : (tensor<2x4x5xf32>, tensor<1xf32>) -> tensor<2x4x5xf32> {
  ^bb0(%u: f32, %v: f32):
    %1 = arith.mulf %u, %v : f32
    catena.yield %1 : f32
  }
  %y = catena.contract "matmul"(%a, %0) {transa = false, transb = false} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// Another array is read in the order of the result, and so is what is returned.
// CHECK-LABEL: @map_after_transpose
// CHECK: %[[T:.*]] = catena.transpose "t"(%arg0)
// CHECK-NEXT: catena.map "multiply"(%[[T]], %arg2)
// CHECK: catena.map "square"(%[[T]])
func.func @map_after_transpose(%x: tensor<5x4xf32>, %a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> (tensor<3x5xf32>, tensor<4x5xf32>) {
  %t = catena.transpose "t"(%x) by [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
  %0 = catena.map "multiply"(%t, %b) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%u: f32, %v: f32):
    %1 = arith.mulf %u, %v : f32
    catena.yield %1 : f32
  }
  %2 = catena.map "square"(%t) : (tensor<4x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%u: f32):
    %1 = arith.mulf %u, %u : f32
    catena.yield %1 : f32
  }
  %y = catena.contract "matmul"(%a, %0) {transa = false, transb = false} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %y, %2 : tensor<3x5xf32>, tensor<4x5xf32>
}
