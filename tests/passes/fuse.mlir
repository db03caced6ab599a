// RUN: catena-opt %s --catena-fuse -split-input-file | FileCheck %s
// RUN: catena-opt %s --catena-fuse="remarks" -split-input-file -verify-diagnostics

// A softmax is one sweep, row by row: reduced values are read back in the same row.
// CHECK-LABEL: @softmax
// CHECK: catena.group "max_sub_exp_sum_and_1"(%{{.*}}) domain [8, 10] reduced [1]
// CHECK: catena.reduce "max"
// CHECK: catena.map "div"
// CHECK: catena.yield %{{.*}} : tensor<8x10xf32>
// CHECK-NOT: catena.group
func.func @softmax(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %max = catena.reduce "max"(%x) maximum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
  %sub = catena.map "sub"(%x, %max) : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    catena.yield %r : f32
  }
  %exp = catena.map "exp"(%sub) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %sum = catena.reduce "sum"(%exp) sum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
  %div = catena.map "div"(%exp, %sum) : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.divf %a, %b : f32
    catena.yield %r : f32
  }
  return %div : tensor<8x10xf32>
}

// -----

// A bias gradient is a column reduction of the map that makes the gradient: one sweep, two results.
// CHECK-LABEL: @map_into_column_reduction
// CHECK: %group:2 = catena.group "relu_grad_sum"(%arg0, %arg1) domain [8, 10] reduced [0] : {{.*}} -> (tensor<8x10xf32>, tensor<1x10xf32>)
// CHECK: %[[B:.*]] = catena.reshape "sum"(%group#1)
// CHECK: return %group#0, %[[B]]
func.func @map_into_column_reduction(%y: tensor<8x10xf32>, %gy: tensor<8x10xf32>) -> (tensor<8x10xf32>, tensor<10xf32>) {
  %gx = catena.map "relu_grad"(%y, %gy) : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  %sum = catena.reduce "sum"(%gx) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
  %gb = catena.reshape "sum"(%sum) : tensor<1x10xf32> -> tensor<10xf32>
  return %gx, %gb : tensor<8x10xf32>, tensor<10xf32>
}

// -----

// CHECK-LABEL: @siblings
// CHECK: catena.group "exp_neg"(%arg0) domain [64]
// CHECK-NOT: catena.group
func.func @siblings(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = catena.map "exp"(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %1 = catena.map "neg"(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    catena.yield %r : f32
  }
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Fused, the two maps would need the concat before themselves and after themselves.
// CHECK-LABEL: @no_cycle
// CHECK: catena.group "exp"
// CHECK: catena.concat
// CHECK: catena.group "mul"
func.func @no_cycle(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = catena.map "exp"(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %1 = catena.concat "concat"(%0) {axis = 0} : (tensor<64xf32>) -> tensor<64xf32>
  // expected-remark @+1 {{an operation between them, which cannot be fused, depends on the first}}
  %2 = catena.map "mul"(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  return %2 : tensor<64xf32>
}

// -----

// CHECK-LABEL: @different_reductions
// CHECK: catena.group "exp_sum"{{.*}} reduced [1]
// CHECK: catena.group "sum"{{.*}} reduced [0]
func.func @different_reductions(%x: tensor<8x10xf32>) -> (tensor<8x1xf32>, tensor<1x10xf32>) {
  %0 = catena.map "exp"(%x) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %1 = catena.reduce "sum"(%0) sum over [1] : tensor<8x10xf32> -> tensor<8x1xf32>
  // expected-remark @+1 {{they reduce different dimensions of [8,10]}}
  %2 = catena.reduce "sum"(%0) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
  return %1, %2 : tensor<8x1xf32>, tensor<1x10xf32>
}

// -----

// Batch normalization: the mean is complete only when all rows have been seen.
// CHECK-LABEL: @column_mean_is_not_read_back
// CHECK: catena.group "sum_div"{{.*}} domain [8, 10] reduced [0]
// CHECK: catena.group "sub"{{.*}} domain [8, 10] reduced []
func.func @column_mean_is_not_read_back(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
  %n = catena.scalar 0
  %sum = catena.reduce "sum"(%x) sum over [0] : tensor<8x10xf32> -> tensor<1x10xf32>
  %mean = catena.map "div"(%sum with %n) : (tensor<1x10xf32>) -> tensor<1x10xf32> {
  ^bb0(%a: f32, %k: f32):
    %r = arith.divf %a, %k : f32
    catena.yield %r : f32
  }
  // expected-remark @+1 {{a reduced value would be read before its reduction has finished}}
  %sub = catena.map "sub"(%x, %mean) : (tensor<8x10xf32>, tensor<1x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    catena.yield %r : f32
  }
  return %sub : tensor<8x10xf32>
}

// -----

// A loss: everything to one number, and what is done to that number.
// CHECK-LABEL: @full_reduction
// CHECK: catena.group "square_sum_scale"(%arg0 with %s0) domain [8, 10] reduced [0, 1] : {{.*}} -> tensor<f32>
// CHECK-NOT: catena.group
func.func @full_reduction(%x: tensor<8x10xf32>) -> tensor<f32> {
  %n = catena.scalar 0
  %square = catena.map "square"(%x) : (tensor<8x10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    catena.yield %r : f32
  }
  %sum = catena.reduce "sum"(%square) sum over [0, 1] : tensor<8x10xf32> -> tensor<1x1xf32>
  %flat = catena.reshape "sum"(%sum) : tensor<1x1xf32> -> tensor<f32>
  %scale = catena.map "scale"(%flat with %n) : (tensor<f32>) -> tensor<f32> {
  ^bb0(%a: f32, %k: f32):
    %r = arith.mulf %a, %k : f32
    catena.yield %r : f32
  }
  return %scale : tensor<f32>
}

// -----

// CHECK-LABEL: @different_domains
// CHECK-COUNT-2: catena.group
func.func @different_domains(%x: tensor<8x10xf32>, %b: tensor<10xf32>) -> tensor<8x10xf32> {
  %0 = catena.map "exp"(%b) : (tensor<10xf32>) -> tensor<10xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  // expected-remark @+1 {{their shapes differ: [10] and [8,10]}}
  %1 = catena.map "add"(%x, %0) : (tensor<8x10xf32>, tensor<10xf32>) -> tensor<8x10xf32> {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    catena.yield %r : f32
  }
  return %1 : tensor<8x10xf32>
}

// -----

// 1 - y could be computed beside y, but then it would be stored and read; y is there anyway.
// CHECK-LABEL: @computed_where_it_is_used
// CHECK: %group = catena.group "sigmoid"(%arg0) {{.*}} -> tensor<64xf32>
// CHECK: catena.concat
// CHECK: catena.group "rest_mul"(%group, %concat)
func.func @computed_where_it_is_used(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = catena.map "sigmoid"(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = math.tanh %a : f32
    catena.yield %r : f32
  }
  // expected-remark @+1 {{it is computed later, with the operations that read it}}
  %rest = catena.map "rest"(%y) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %r = arith.subf %one, %a : f32
    catena.yield %r : f32
  }
  %wall = catena.concat "concat"(%y) {axis = 0} : (tensor<64xf32>) -> tensor<64xf32>
  %mul = catena.map "mul"(%rest, %wall) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  return %mul : tensor<64xf32>
}

// -----

// Its operands would have to be stored, two for one: so it is computed early.
// CHECK-LABEL: @computed_early
// CHECK: catena.group "exp_log_mul"{{.*}} -> (tensor<64xf32>, tensor<64xf32>)
func.func @computed_early(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = catena.map "exp"(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    catena.yield %r : f32
  }
  %1 = catena.map "log"(%y) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = math.log %a : f32
    catena.yield %r : f32
  }
  %2 = catena.map "mul"(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  %wall = catena.concat "concat"(%0) {axis = 0} : (tensor<64xf32>) -> tensor<64xf32>
  // expected-remark @+1 {{an operation between them, which cannot be fused, depends on the first}}
  %3 = catena.map "add"(%2, %wall) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    catena.yield %r : f32
  }
  return %3 : tensor<64xf32>
}

// -----

// A layer norm's gradients: sums of rows that are read back, and sums of columns that leave, in one sweep.
// CHECK-LABEL: @rows_and_columns
// CHECK: %group:2 = catena.group "mul_sum_sub_sum"(%arg0) domain [64, 10] reduced [1]
// CHECK: catena.reduce "sum"(%{{.*}}) sum over [1]
// CHECK: catena.reduce "sum"(%{{.*}}) sum over [0]
// CHECK-NOT: catena.group
func.func @rows_and_columns(%x: tensor<64x10xf32>) -> (tensor<64x10xf32>, tensor<10xf32>) {
  %sq = catena.map "mul"(%x) : (tensor<64x10xf32>) -> tensor<64x10xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    catena.yield %r : f32
  }
  %row = catena.reduce "sum"(%sq) sum over [1] : tensor<64x10xf32> -> tensor<64x1xf32>
  %sub = catena.map "sub"(%x, %row) : (tensor<64x10xf32>, tensor<64x1xf32>) -> tensor<64x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    catena.yield %r : f32
  }
  %column = catena.reduce "sum"(%sub) sum over [0] : tensor<64x10xf32> -> tensor<1x10xf32>
  // expected-remark @+1 {{their shapes differ: [64,10] and [10]}}
  %flat = catena.reshape "sum"(%column) : tensor<1x10xf32> -> tensor<10xf32>
  return %sub, %flat : tensor<64x10xf32>, tensor<10xf32>
}

// -----

// A sum of columns is known after the last row: what reads it over the domain is another sweep.
// CHECK-LABEL: @columns_are_not_read_back
// CHECK: catena.group "sum_sub_sum"
// CHECK: catena.group "mul"
func.func @columns_are_not_read_back(%x: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %row = catena.reduce "sum"(%x) sum over [1] : tensor<64x10xf32> -> tensor<64x1xf32>
  %sub = catena.map "sub"(%x, %row) : (tensor<64x10xf32>, tensor<64x1xf32>) -> tensor<64x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    catena.yield %r : f32
  }
  %column = catena.reduce "sum"(%sub) sum over [0] : tensor<64x10xf32> -> tensor<1x10xf32>
  // expected-remark @+1 {{a column reduction finishes only after the last row}}
  %mul = catena.map "mul"(%sub, %column) : (tensor<64x10xf32>, tensor<1x10xf32>) -> tensor<64x10xf32> {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %b : f32
    catena.yield %r : f32
  }
  return %mul : tensor<64x10xf32>
}
