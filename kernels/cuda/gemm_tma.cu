// SPDX-License-Identifier: MIT
// C = A * B by Hopper's warpgroups as in gemm_wgmma.cu, from tiles that its copy engine (TMA) brings. Blocks work in
// pairs, on 256 x kN of C at a time: both need the same columns, of which each brings one half to both, so that the
// second-level cache is asked for half as much of B. Of a block's three warpgroups one has a single thread that asks for
// tiles, kStages ahead at most, and two multiply 64 rows each. A stage has two barriers: `full` counts its bytes in,
// `empty` has the two consumers of both blocks let go of it. Pairs stay, and go from tile to tile.

#include "kernels/cuda/warpgroup_tiles.cuh"
#include "kernels/cuda/tma.cuh"

namespace {

constexpr unsigned kBlocks = 2;  // of a cluster
constexpr unsigned kConsumers = 2;
constexpr unsigned kThreads = (1 + kConsumers) * kWarpgroup;
constexpr unsigned kBlockRows = kConsumers * kWarpgroupRows;
// Registers of a thread: together as many as three warpgroups of 168 have from the start.
constexpr unsigned kProducerRegisters = 40, kConsumerRegisters = 232;

template <unsigned kN_, unsigned kStages_>
struct Shape {
  static constexpr unsigned kM = kBlocks * kBlockRows, kN = kN_, kStages = kStages_;  // of a pair
  static constexpr unsigned kStageBytes = (kBlockRows + kN) * kRowBytes;
  static constexpr unsigned kPartRows = kN / kBlocks;  // of B, that one block brings
};

template <class S>
struct Block {
  unsigned char* stages;
  Barrier *full, *empty;
  unsigned rank, pair, pairs;  // in its cluster; of clusters
  unsigned m, n, tiles, steps;

  DEVICE Block(unsigned m_, unsigned n_, unsigned row_bytes)
      : stages(SharedMemory()), full(reinterpret_cast<Barrier*>(stages + S::kStages * S::kStageBytes)),
        empty(full + S::kStages), rank(BlockOfCluster()), pair(blockIdx.x / kBlocks), pairs(gridDim.x / kBlocks), m(m_),
        n(n_), tiles(m / S::kM * (n / S::kN)), steps(row_bytes / kRowBytes) {}
  DEVICE unsigned char* Stage(unsigned stage) const { return stages + stage * S::kStageBytes; }
  DEVICE unsigned RowOf(const Tile& tile) const { return tile.row + rank * kBlockRows; }

  DEVICE void InitBarriers() const {
    for (unsigned stage = 0; stage < S::kStages; ++stage) {
      InitBarrier(full + stage, 1);
      InitBarrier(empty + stage, kBlocks * kConsumers);
    }
    FenceBarriers();
  }
};

// By one thread.
template <class S>
DEVICE void Produce(const Block<S>& block, const TensorMap& a, const TensorMap& b) {
  Ring<S::kStages> ring;
  for (unsigned at = block.pair; at < block.tiles; at += block.pairs) {
    const Tile tile = TileOf<S>(at, block.m, block.n);
    for (unsigned step = 0; step < block.steps; ++step, ring.Next()) {
      unsigned char* rows = block.Stage(ring.stage);
      const unsigned part = block.rank * S::kPartRows;
      Barrier* full = block.full + ring.stage;
      WaitPhase(block.empty + ring.stage, ring.parity ^ 1);
      ArriveExpecting(full, S::kStageBytes);
      CopyBox(rows, a, full, step * kRowBytes, block.RowOf(tile));
      CopyBoxToBlocks(rows + (kBlockRows + part) * kRowBytes, b, full, step * kRowBytes, tile.column + part,
                      (1U << kBlocks) - 1);
    }
  }
}

template <class S, class T>
DEVICE void Consume(const Block<S>& block, unsigned consumer, typename T::Result* c) {
  // One thread for each block of the cluster: products that have ended have done so in the whole warpgroup.
  const auto let_go = [&](unsigned stage) {
    if (threadIdx.x % kWarpgroup < kBlocks) ArriveAt(block.empty + stage, threadIdx.x % kWarpgroup);
  };
  Ring<S::kStages> ring;
  for (unsigned at = block.pair; at < block.tiles; at += block.pairs) {
    const Tile tile = TileOf<S>(at, block.m, block.n);
    typename T::Result sum[S::kN / 2] = {};
    unsigned before = 0;
#pragma unroll 1  // the driver's compiler takes three times as long for more, and the products are no faster
    for (unsigned step = 0; step < block.steps; ++step, ring.Next()) {
      WaitPhase(block.full + ring.stage, ring.parity);
      const unsigned char* rows = block.Stage(ring.stage);
      FenceRegisters(sum);
      MultiplyStage<T>(rows + consumer * kWarpgroupRows * kRowBytes, rows + kBlockRows * kRowBytes, sum);
      CommitProducts();
      WaitProducts<1>();
      if (step > 0) let_go(before);
      before = ring.stage;
    }
    FinishProducts(sum);
    let_go(before);
    const unsigned row = block.RowOf(tile) + consumer * kWarpgroupRows + threadIdx.x % kWarpgroup / 32 * 16;
    StoreSums(c + row * static_cast<size_t>(block.n) + tile.column, block.n, sum);
  }
}

template <class S, class T>
DEVICE void Gemm(const TensorMap& a, const TensorMap& b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Block<S> block(m, n, k / 8 * T::kBits);
  if (threadIdx.x == 0) block.InitBarriers();
  SynchronizeCluster();
  const unsigned warpgroup = Warpgroup();
  if (warpgroup == 0) {
    GiveRegistersBack<kProducerRegisters>();
    if (threadIdx.x == 0) Produce(block, a, b);
  } else {
    TakeRegisters<kConsumerRegisters>();
    Consume<S, T>(block, warpgroup - 1, c);
  }
  SynchronizeCluster();  // until the other block has done with this one's memory
}

using Large = Shape<256, 4>;
using Small = Shape<128, 6>;

#define TMA_GEMM(name, S, T)                                                                                          \
  KERNEL PAIR_OF_BLOCKS __launch_bounds__(kThreads, 1)                                                                \
      name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, T::Result* __restrict__ c, unsigned m, \
           unsigned n, unsigned k) {                                                                                  \
    Gemm<S, T>(a, b, c, m, n, k);                                                                                     \
  }

WARPGROUP_TYPE(Type, BITS, SUM, MULTIPLY)

}  // namespace

TMA_GEMM(MODULE##_256, Large, Type)
TMA_GEMM(MODULE##_128, Small, Type)
