// RUN: catena-opt %s --catena-fuse --catena-plan-memory | FileCheck %s

// The arena holds what does not outlive the call; b is written over a, which is read there for the last time;
// c is returned and gets memory of its own.
// CHECK-LABEL: @chain
// CHECK-SAME: catena.arena_bytes = 256
// CHECK: catena.concat "concat"{{.*}} attributes {catena.offsets = array<i64: 0>}
// CHECK: catena.group "exp"{{.*}} attributes {catena.in_place = array<i64: 0>, catena.offsets = array<i64: 0>}
// CHECK: catena.concat "concat"{{.*}} attributes {catena.offsets = array<i64: -1>}
func.func @chain(%x: tensor<32xf32>) -> tensor<128xf32> {
  %a = catena.concat "concat"(%x, %x) {axis = 0} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %b = catena.map "exp"(%a) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    catena.yield %1 : f32
  }
  %c = catena.concat "concat"(%b, %b) {axis = 0} : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  return %c : tensor<128xf32>
}

// A view keeps its buffer alive, so b may not take a's memory.
// CHECK-LABEL: @view_keeps_alive
// CHECK-SAME: catena.arena_bytes = 512
// CHECK: catena.group "exp"
// CHECK-NOT: catena.in_place
// CHECK-SAME: catena.offsets = array<i64: 256>
func.func @view_keeps_alive(%x: tensor<32xf32>) -> tensor<128xf32> {
  %a = catena.concat "concat"(%x, %x) {axis = 0} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %view = catena.reshape "reshape"(%a) : tensor<64xf32> -> tensor<8x8xf32>
  %turned = catena.transpose "transpose"(%view) by [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %b = catena.map "exp"(%view) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    catena.yield %1 : f32
  }
  %c = catena.concat "concat"(%b, %turned) {axis = 0} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %d = catena.reshape "reshape"(%c) : tensor<16x8xf32> -> tensor<128xf32>
  return %d : tensor<128xf32>
}

// The new content of a state may be written over the old one, unless that is read afterwards.
// CHECK-LABEL: @update
// CHECK: catena.group "step"(%arg0, %arg1){{.*}} attributes {catena.in_place = array<i64: 0>, catena.offsets = array<i64: -1>}
func.func @update(%w: tensor<8xf32> {catena.role = "state"}, %g: tensor<8xf32>) {
  %0 = catena.map "step"(%w, %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %a, %b : f32
    catena.yield %1 : f32
  }
  catena.assign %w, %0 : tensor<8xf32>
  return
}

// CHECK-LABEL: @update_then_read
// CHECK: catena.group "step"
// CHECK-NOT: catena.in_place
// CHECK: return
func.func @update_then_read(%w: tensor<8xf32> {catena.role = "state"}, %g: tensor<8xf32>) -> tensor<16xf32> {
  %0 = catena.map "step"(%w, %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.subf %a, %b : f32
    catena.yield %1 : f32
  }
  %old = catena.concat "concat"(%w, %w) {axis = 0} : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  catena.assign %w, %0 : tensor<8xf32>
  return %old : tensor<16xf32>
}

// x is read again after the first pass over the rows, which is when y could be written.
// CHECK-LABEL: @read_in_a_later_pass
// CHECK: catena.group
// CHECK-NOT: catena.in_place
// CHECK: return
func.func @read_in_a_later_pass(%x: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %a = catena.concat "concat"(%x, %x) {axis = 0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = catena.map "exp"(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    catena.yield %1 : f32
  }
  %sum = catena.reduce "sum"(%y) sum over [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %z = catena.map "mul"(%a, %sum) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: f32, %s: f32):
    %1 = arith.mulf %0, %s : f32
    catena.yield %1 : f32
  }
  %half = catena.slice "slice"(%y) from [0, 0] step [1, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  %c = catena.concat "concat"(%half, %x) {axis = 0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %d = catena.slice "slice"(%z) from [0, 0] step [1, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  return %c, %d : tensor<8x8xf32>, tensor<4x8xf32>
}

// The second pass over a row computes exp(x) anew, after y has been written there.
// CHECK-LABEL: @computed_anew_in_a_later_pass
// CHECK: catena.group
// CHECK-NOT: catena.in_place = array<i64: 0
// CHECK: catena.slice
func.func @computed_anew_in_a_later_pass(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %a = catena.concat "concat"(%x, %x) {axis = 0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = catena.map "exp"(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: f32):
    %1 = math.exp %0 : f32
    catena.yield %1 : f32
  }
  %sum = catena.reduce "sum"(%y) sum over [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %z = catena.map "mul"(%y, %sum) : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: f32, %s: f32):
    %1 = arith.mulf %0, %s : f32
    catena.yield %1 : f32
  }
  %most = catena.reduce "max"(%z) maximum over [1] : tensor<8x8xf32> -> tensor<8x1xf32>
  %half = catena.slice "slice"(%y) from [0, 0] step [1, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  %wide = catena.broadcast "broadcast_to"(%most) : tensor<8x1xf32> -> tensor<8x8xf32>
  %half2 = catena.slice "slice"(%wide) from [0, 0] step [1, 1] : tensor<8x8xf32> -> tensor<4x8xf32>
  %c = catena.concat "concat"(%half, %half2) {axis = 0} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// All assignments end behind what they assign.
// CHECK-LABEL: @two_updates
// CHECK-COUNT-2: catena.assign
// CHECK-NEXT: return
func.func @two_updates(%v: tensor<8xf32> {catena.role = "state"}, %w: tensor<8xf32> {catena.role = "state"}) {
  catena.assign %v, %w : tensor<8xf32>
  catena.assign %w, %v : tensor<8xf32>
  return
}
