// RUN: catena-opt %s --catena-cse | FileCheck %s

// CHECK-LABEL: @equal_maps
// CHECK-COUNT-1: catena.map
// CHECK-NOT: catena.map
// CHECK: return %relu, %relu
func.func @equal_maps(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = catena.scalar 0
  %0 = catena.map "relu"(%x with %zero) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %k: f32):
    %1 = arith.maximumf %a, %k : f32
    catena.yield %1 : f32
  }
  %2 = catena.map "relu"(%x with %zero) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %k: f32):
    %3 = arith.maximumf %a, %k : f32
    catena.yield %3 : f32
  }
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @different_regions
// CHECK-COUNT-2: catena.map
func.func @different_regions(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %1 = math.exp %a : f32
    catena.yield %1 : f32
  }
  %2 = catena.map "f"(%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    %3 = math.log %a : f32
    catena.yield %3 : f32
  }
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}
