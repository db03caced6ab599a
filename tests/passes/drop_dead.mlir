// RUN: catena-opt %s --catena-drop-dead | FileCheck %s

// CHECK-LABEL: @unused
// CHECK-NEXT: catena.assign %arg1, %arg0
// CHECK-NEXT: return %arg0
func.func @unused(%x: tensor<8xf32>, %w: tensor<8xf32> {catena.role = "state"}) -> tensor<8xf32> {
  %0 = catena.reshape "reshape"(%x) : tensor<8xf32> -> tensor<2x4xf32>
  %1 = catena.concat "concat"(%0, %0) {axis = 0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  catena.assign %w, %x : tensor<8xf32>
  return %x : tensor<8xf32>
}

// CHECK-LABEL: @one_result_of_two
// CHECK-NEXT: %both = catena.map "both"(%arg0) : (tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NOT: math.log
// CHECK: return %both
func.func @one_result_of_two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = catena.map "both"(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: f32):
    %1 = math.log %a : f32
    %2 = math.exp %a : f32
    catena.yield %1, %2 : f32, f32
  }
  return %0#1 : tensor<8xf32>
}
