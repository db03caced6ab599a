// Every pass of catena to catena, in the order of the pipeline (pipeline.cpp says why that order).
//
// One pass is one definition here, one .cpp of its name, and one program of its name in tests/passes. A pass
// does one thing, leaves valid IR or fails, and where it declines to do what a reader would expect, says why
// (`remarks`, and the notes of explain()). What it may do, it asks of ChangeLimit, change by change.
#ifndef CATENA_PASSES_TD
#define CATENA_PASSES_TD

include "mlir/Pass/PassBase.td"

def Canonicalize : Pass<"catena-canonicalize", "::mlir::func::FuncOp"> {
  let summary = "one form for what can be said in several";
  let description = [{
    The folds of ir/folding.cpp and the patterns of ir/canonicalize.cpp. MLIR's own pass looks at all arithmetic in all
    maps, twice; this one at the operations of the program, and into those that it changes.
  }];
}

def Cse : Pass<"catena-cse", "::mlir::func::FuncOp"> {
  let summary = "compute equal values once";
  let description = [{
    Like MLIR's own for the operations of the program, which have one block: their formulas share what is equal since they were
    recorded, and are compared as wholes.
  }];
}

def DropDead : Pass<"catena-drop-dead", "::mlir::func::FuncOp"> {
  let summary = "remove what no output and no assignment needs";
  let description = [{
    Also drops single results of operations that have several, which the removal of dead operations does not see:
    a gradient map of which only one gradient is used.
  }];
}

def JoinCalls : Pass<"catena-join-calls", "::mlir::func::FuncOp"> {
  let summary = "make one call of many that share an operand or are summed";
  let description = [{
    A loop over time steps applies the same weights at every step. Where no step needs another's result, the
    calls become one on their operands side by side, which reads the weights once; and the sum of the steps' gradients
    becomes one call as well, whose steps are never stored apart: `sum_t a_t b_t = [a_1 a_2 ...] [b_1; b_2; ...]`.
    The gradients of slices, each placed among zeros and then summed, become the slices side by side (`passes/join/join_slices.h`).
    What an embedding's gradient scatters among zeros is scattered onto the other term of a sum instead (`passes/join/join_scattered.h`).
    Products of the rows that an embedding reads, where it reads more than it has, are products of its rows (`passes/join/join_rows.h`).
    How an op's calls can be joined is declared in its definition (`runtime/ops/declare/joined_calls.h`); parts of a summed reduction are joined too.

    Done where it copies fewer bytes than it saves. A sum over steps is rounded in another order then,
    as one over a longer inner dimension.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Statistics : Pass<"catena-statistics", "::mlir::func::FuncOp"> {
  let summary = "give convolutions the statistics of their results to compute";
  let description = [{
    Batch normalization of a convolution's result begins with the mean and the variance of each channel, for which the result was read twice. The convolution has it in
    registers or in a core's cache as it is stored: its measured form (`runtime/ops/declare/measured.h`) returns the sum of each channel, and the sum of squares of
    the differences from the channel's mean, beside it; around another centre c there are n (mean - c)^2 more. Results are as near as those of the definition, also where the mean is large beside the deviation;
    NaN and infinity give the same.

    Done where both sums are over all images and positions, for an op that declares such a form for these sizes.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Variance : Pass<"catena-variance", "::mlir::func::FuncOp"> {
  let summary = "mean and variance of channels in one sweep instead of two";
  let description = [{
    The variance of batch normalization, `sum (x - mean)^2` over all positions of all images, needs the mean of all of them first: x is
    read twice from memory. Here blocks of neighbouring positions, which stay in a cache, get a mean and a sum of squares of their
    own in one sweep; the blocks' results, which are few, then give those of the whole (T. F. Chan, G. H. Golub, R. J. LeVeque,
    "Algorithms for computing the sample variance", 1983; with the correction for the rounding of the blocks' means). Results are as
    near as those of the definition, also where the mean is large beside the deviation; NaN and infinity give the same.

    Done where the innermost dimensions are reduced together with others further out, for float32 and float64, if blocks are
    neither so small that their statistics cost more than is saved nor too large for a core's cache.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Tails : Pass<"catena-tails", "::mlir::func::FuncOp"> {
  let summary = "give convolutions of inference what follows them pointwise";
  let description = [{
    A bias, a normalization with fixed statistics, the sum with another image, ReLU and other bounds after a convolution become its tail
    (`runtime/ops/declare/tail.h`): min(max((y + before) * scale + shift + other, lowest), highest). The library then does it with the sums
    that it has in registers, a scale being multiplied into the packed weights. oneDNN's bounds make a number of NaN, so it may only bound what
    cannot be NaN. That is known at each call, from the largest magnitude of what the convolution reads: each tailed call returns
    what bounds its result, which the next one is given where only operations that keep it come between (`keeps_range`).

    Done where the program assigns no state, so that weights stay packed, and where the weights are an input of the program; for maps whose arithmetic
    is such a chain of steps, one after another, and each result read by the next alone.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Blocks : Pass<"catena-blocks", "::mlir::func::FuncOp"> {
  let summary = "compute convolutions that follow each other some lines at a time";
  let description = [{
    Three tailed convolutions of which each is all that reads the one before become one call, where their op declares that it pays
    (`runtime/ops/declare/block.h`): one with few channels, a depthwise one and a 1x1 one, as in networks for small devices. What is between them
    stays in a core's cache, and threads meet once instead of three times.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Fuse : Pass<"catena-fuse", "::mlir::func::FuncOp"> {
  let summary = "gather maps and reductions into groups";
  let description = [{
    Every `catena.map` and `catena.reduce` ends inside a `catena.group`, alone if need be. One walk in program
    order lets each operation join first the clusters that produce its operands (a map into a map,
    a map into a reduction, a reduction's result back into maps over the same domain), then clusters
    that read the same tensors over the same domain. Nothing is computed twice: a value that is needed inside and
    outside becomes a result of its group.

    Two clusters may join when
    - they sweep the same domain (leading dimensions of size 1 aside), and if both reduce, the same
      dimensions; or one works on the reduced values of the other;
    - no reduced value would be read over the domain before its reduction has ended: that needs the
      reduced dimensions to be the last ones (each row ends its own reduction) and, unless the domain is
      small, more than one row;
    - no operation outside would have to run between them (passes/analysis/cluster_graph.h);
    - the later one is not better computed where it is used (passes/fuse/levels.h).
    What was refused for these reasons is noted.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Emit a remark for each pair that stays apart">,
  ];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Recompute : Pass<"catena-recompute", "::mlir::func::FuncOp"> {
  let summary = "compute cheap values where they are read instead of storing them";
  let description = [{
    Fusion computes nothing twice: what several groups read is stored by one and read by the others. Where such a value follows by
    a little arithmetic from an array that is stored anyway and from values that are smaller than it, its readers can compute it from
    these as cheaply as they read it, and the writing is saved: `x - mean` and `(x - mean) * scale` of a normalization are not stored
    for the backward pass, which has x.

    Done for a result of a group if all its readers are groups over the same domain, its formula has no more than a few additions,
    multiplications, comparisons and the like (no function such as exp), and fewer bytes are moved: the result is not
    written, each reader does not read it, but reads what it did not read before. As the formula reads at most one array of this
    size that not all readers read anyway, and it lives on in the place of the result, hardly more memory is needed. A result that is
    stored for others too is computed again by readers that read all of its formula anyway: which elements a ReLU let
    pass follows from the `x` of the normalization before it, so its output is not read once more. Smaller values that reductions of
    the group give become results of it. Contents of states that the program assigns are not kept alive: they are overwritten in place.
  }];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Layout : Pass<"catena-layout", "::mlir::func::FuncOp"> {
  let summary = "store images with their channels last where their readers prefer it";
  let description = [{
    A convolution on row-major images reorders them at every call; on images whose channels are the innermost dimension
    it does not. On a device that is so of convolutions of float16 and bfloat16 on tensor cores. A memory order is only an order of strides: shapes and operations stay as they are, and the results of
    groups and library calls that are stored with their channels last are listed in `catena.channels_last`.

    All images that one group sweeps should have one order, so they are decided together: for channels-last when more
    bytes are read and written by calls that prefer it (`runtime/ops/declare/channels_last.h`) than by what is row-major whatever
    is decided here: results of the function, operations without a rule, reshapes, and groups that run row by row.
  }];
  let options = [
    Option<"device", "device", "bool", "false", "For a device whose library computes all convolutions, not for the host">,
  ];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

def Rematerialize : Pass<"catena-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "make values again before late readers, so that less memory is used at a time";
  let description = [{
    A training step keeps what the forward pass stores until the backward pass reads it. Under `budget`, values that wait at the
    place where most memory is used are not kept but made again by a copy of their group or call, shortly before they are read.
    Which ones is planned on plain data (passes/analysis/memory_model.h); results of the function, assigned values and messages are never
    made again. Every value is the same bits as before: groups and calls are functions of their operands.

    Without a budget that is done where more than `from` bytes are needed at a time, with what takes hardly any time to make again:
    at most a fiftieth of the program's, by an estimate, if that saves an eighth of these and of the program's inputs together.
  }];
  let options = [
    Option<"budget", "budget", "int64_t", "0", "Bytes of intermediate results at a time; 0: no limit">,
    Option<"from", "from", "int64_t", "0", "Without a budget: bytes from which on some are saved; 0: never">,
  ];
  let dependentDialects = ["::catena::ir::CatenaDialect"];
}

#endif
