// Every operation prints as it is read.
// RUN: catena-opt %s | catena-opt | FileCheck %s

// CHECK-LABEL: func.func @program(%{{.*}}: tensor<8x10xf32> {catena.name = "x", catena.role = "argument"}
func.func @program(%x: tensor<8x10xf32> {catena.name = "x", catena.role = "argument"},
                   %W: tensor<10x10xf32> {catena.name = "/l1/W", catena.role = "state"})
    -> (tensor<18x10xf32>, tensor<8x10xi1>) {
  // CHECK: %alpha = catena.scalar 0 "alpha" seen 1.000000e-03
  %alpha = catena.scalar 0 "alpha" seen 1.0e-03
  // CHECK: %s1 = catena.scalar 1
  %k = catena.scalar 1

  // CHECK: %scale = catena.map "scale"(%{{.*}} with %alpha, %s1) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  // CHECK-NEXT: ^bb0(%x0: f32, %k0: f32, %k1: f32):
  %scale = catena.map "scale"(%x with %alpha, %k) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %0 = arith.mulf %a, %s : f32
    %1 = arith.addf %0, %t : f32
    catena.yield %1 : f32
  }
  // CHECK: %positive = catena.map "positive"(%scale) : (tensor<8x10xf32>) -> tensor<8x10xi1> {
  %positive = catena.map "positive"(%scale) : (tensor<8x10xf32>) -> tensor<8x10xi1> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.cmpf ogt, %a, %zero : f32
    catena.yield %0 : i1
  }
  // CHECK: %fill = catena.map "fill"(with %s1) : () -> tensor<8x10xf32> {
  %fill = catena.map "fill"(with %k) : () -> tensor<8x10xf32> {
  ^bb0(%s: f32):
    catena.yield %s : f32
  }
  // CHECK: catena.reduce "sum"(%scale) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
  %sum = catena.reduce "sum"(%scale) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
  // CHECK: catena.reshape "reshape"(%sum) : tensor<1x10xf32> -> tensor<10xf32>
  %reshape = catena.reshape "reshape"(%sum) : tensor<1x10xf32> -> tensor<10xf32>
  // CHECK: catena.transpose "transpose"(%scale) by [1, 0] : tensor<8x10xf32> -> tensor<10x8xf32>
  %transpose = catena.transpose "transpose"(%scale) by [1, 0] : tensor<8x10xf32> -> tensor<10x8xf32>
  // CHECK: catena.broadcast "broadcast_to"(%reshape) : tensor<10xf32> -> tensor<3x10xf32>
  %broadcast = catena.broadcast "broadcast_to"(%reshape) : tensor<10xf32> -> tensor<3x10xf32>
  // CHECK: catena.slice "slice"(%{{.*}}) from [2, 7] step [-1, -2] : tensor<3x10xf32> -> tensor<3x4xf32>
  %slice = catena.slice "slice"(%broadcast) from [2, 7] step [-1, -2] : tensor<3x10xf32> -> tensor<3x4xf32>
  // CHECK: catena.concat "concat"(%scale, %{{.*}}) {axis = 0} : (tensor<8x10xf32>, tensor<10x10xf32>) -> tensor<18x10xf32>
  %concat = catena.concat "concat"(%scale, %W) {axis = 0}
      : (tensor<8x10xf32>, tensor<10x10xf32>) -> tensor<18x10xf32>
  // CHECK: catena.assign %{{.*}}, %{{.*}} : tensor<10x10xf32>
  catena.assign %W, %W : tensor<10x10xf32>
  // CHECK: catena.group "exp_max"(%concat, %sum with %alpha) domain [18, 10] reduced [1] : (tensor<18x10xf32>, tensor<1x10xf32>) -> (tensor<18x10xf32>, tensor<18x1xf32>) {
  // CHECK-NEXT: ^bb0(%in0: tensor<18x10xf32>, %in1: tensor<1x10xf32>, %s0: f64):
  %group:2 = catena.group "exp_max"(%concat, %sum with %alpha) domain [18, 10] reduced [1]
      : (tensor<18x10xf32>, tensor<1x10xf32>) -> (tensor<18x10xf32>, tensor<18x1xf32>) {
  ^bb0(%a: tensor<18x10xf32>, %b: tensor<1x10xf32>, %s: f64):
    %0 = catena.map "scale"(%a with %s) : (tensor<18x10xf32>) -> tensor<18x10xf32> {
    ^bb0(%c: f32, %t: f32):
      %1 = arith.mulf %c, %t : f32
      catena.yield %1 : f32
    }
    %2 = catena.reduce "max"(%0) maximum over [1] : tensor<18x10xf32> -> tensor<18x1xf32>
    catena.yield %0, %2 : tensor<18x10xf32>, tensor<18x1xf32>
  }
  return %group#0, %positive : tensor<18x10xf32>, tensor<8x10xi1>
}
