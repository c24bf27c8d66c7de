// SPDX-License-Identifier: MIT
// C = A * B by the matrix instructions that keep their sums in tensor memory (umma.cuh), for every type of which one
// takes 32 bytes of k: A is m x k, B is stored n x k. A block computes 128 x kN of C at a time: one thread has tiles
// copied, kStages ahead at most, another has them multiplied, and four warps write the sums of the tile before, for which
// there are two places. Of a stage `full` counts its bytes in and `empty` says that its products have ended; of a place
// `summed` says that its tile is complete and `written` has all who write let go of it. Blocks stay, and go from tile to
// tile. Those of a pair compute 256 x kN: each has its own rows of A and half of the columns of B copied and writes its
// own rows, and the first has all of it multiplied, so that `full` and `written` are its alone.

#include "kernels/simt/tiles.cuh"
#include "kernels/cuda/stages.cuh"
#include "kernels/cuda/umma.cuh"

namespace {

constexpr unsigned kRows = 128;     // of A, which an instruction multiplies: the lanes of tensor memory
constexpr unsigned kWriters = 128;  // threads, a row each
constexpr unsigned kProducer = 4, kMultiplier = 5;  // warps, after those that write
constexpr unsigned kThreads = kWriters + 2 * 32;
constexpr unsigned kPlaces = 2;       // for sums
constexpr unsigned kLoadColumns = 32;  // at a time

template <unsigned kBlocks_, unsigned kN_, unsigned kStages_>
struct Shape {
  static constexpr unsigned kBlocks = kBlocks_, kM = kBlocks * kRows, kN = kN_, kStages = kStages_;
  static constexpr unsigned kPart = kN / kBlocks;  // columns that a block brings
  static constexpr unsigned kStageBytes = (kRows + kPart) * kRowBytes;
};

// PTX ISA, "Shared memory descriptor": start, leading and stride offset in units of 16 bytes at bits 0, 16 and 32, a
// version of 1 at 46, the swizzle at 61 (2: 128 bytes). Swizzled, the leading offset is not used; the stride is from
// atom to atom.
DEVICE unsigned long long DescriptorOf(const unsigned char* tile) {
  return 2ULL << 61 | 1ULL << 46 | static_cast<unsigned long long>(kAtomBytes >> 4) << 32 | 1ULL << 16 |
         (SharedAddress(tile) & 0x3ffffU) >> 4;
}

// PTX ISA, "Instruction descriptor": the types of D, A and B at bits 4, 7 and 10, columns / 8 at 17, rows / 16 at 24.
template <class T, unsigned kM, unsigned kColumns>
constexpr unsigned kInstruction = T::kSum << 4 | T::kFormat << 7 | T::kFormat << 10 | kColumns >> 3 << 17 | kM >> 4 << 24;

// Between what threads did with shared and tensor memory and what others do next.
template <unsigned kBlocks>
DEVICE void SynchronizeTensors() {
  FenceBeforeOthers();
  if constexpr (kBlocks == 1) {
    __syncthreads();
  } else {
    SynchronizeCluster();
  }
  FenceAfterOthers();
}

// Of a place for sums: when they may be read, and written anew.
struct Places {
  Barrier *summed, *written;
  DEVICE void InitBarriers(unsigned writers) const {
    for (unsigned place = 0; place < kPlaces; ++place) {
      InitBarrier(summed + place, 1);
      InitBarrier(written + place, writers);
    }
  }
};

template <class S>
struct Block {
  unsigned char* stages;
  Barrier *full, *empty;
  Places places;
  unsigned* address;  // of tensor memory
  unsigned rank, first, stride;  // in its pair; of tiles
  unsigned m, n, tiles, steps;

  DEVICE Block(unsigned m_, unsigned n_, unsigned row_bytes)
      : stages(SharedMemory()), full(reinterpret_cast<Barrier*>(stages + S::kStages * S::kStageBytes)),
        empty(full + S::kStages), places{empty + S::kStages, empty + S::kStages + kPlaces},
        address(reinterpret_cast<unsigned*>(places.written + kPlaces)), rank(S::kBlocks == 1 ? 0 : BlockOfCluster()),
        first(blockIdx.x / S::kBlocks), stride(gridDim.x / S::kBlocks), m(m_), n(n_), tiles(m / S::kM * (n / S::kN)),
        steps(row_bytes / kRowBytes) {}
  DEVICE unsigned char* Stage(unsigned stage) const { return stages + stage * S::kStageBytes; }

  DEVICE void Fetch(unsigned char* to, Barrier* barrier, const TensorMap& a, const TensorMap& b, unsigned byte,
                    const Tile& tile) const {
    const unsigned row = tile.row + rank * kRows, column = tile.column + rank * S::kPart;
    if constexpr (S::kBlocks == 1) {
      ArriveExpecting(barrier, S::kStageBytes);
      CopyBox(to, a, barrier, byte, row);
      CopyBox(to + kRows * kRowBytes, b, barrier, byte, column);
    } else {
      ArriveExpectingAt(barrier, 0, S::kStageBytes);
      CopyBoxOfPair(to, a, barrier, byte, row);
      CopyBoxOfPair(to + kRows * kRowBytes, b, barrier, byte, column);
    }
  }
  DEVICE void LetGo(unsigned place) const {
    if constexpr (S::kBlocks == 1) {
      Arrive(places.written + place);
    } else {
      ArriveAt(places.written + place, 0);
    }
  }

  DEVICE void InitBarriers() const {
    for (unsigned stage = 0; stage < S::kStages; ++stage) {
      InitBarrier(full + stage, S::kBlocks);
      InitBarrier(empty + stage, 1);
    }
    places.InitBarriers(S::kBlocks * kWriters);
    FenceBarriers();
  }
};

// By one thread.
template <class S>
DEVICE void Produce(const Block<S>& block, const TensorMap& a, const TensorMap& b) {
  Ring<S::kStages> ring;
  for (unsigned at = block.first; at < block.tiles; at += block.stride) {
    const Tile tile = TileOf<S>(at, block.m, block.n);
#pragma unroll 1
    for (unsigned step = 0; step < block.steps; ++step, ring.Next()) {
      unsigned char* rows = block.Stage(ring.stage);
      WaitPhase(block.empty + ring.stage, ring.parity ^ 1);
      block.Fetch(rows, block.full + ring.stage, a, b, step * kRowBytes, tile);
    }
  }
  // No arrival is on its way when the block ends.
  for (unsigned stage = 0; stage < S::kStages; ++stage, ring.Next()) WaitPhase(block.empty + ring.stage, ring.parity ^ 1);
}

// By one thread. `sums` is where tensor memory begins.
template <class S, class T>
DEVICE void Multiply(const Block<S>& block, unsigned sums) {
  Ring<S::kStages> ring;
  Ring<kPlaces> place;
  for (unsigned at = block.first; at < block.tiles; at += block.stride, place.Next()) {
    WaitPhase(block.places.written + place.stage, place.parity ^ 1);
#pragma unroll 1
    for (unsigned step = 0; step < block.steps; ++step, ring.Next()) {
      WaitPhase(block.full + ring.stage, ring.parity);
      FenceAfterOthers();
      const unsigned char* rows = block.Stage(ring.stage);
      const unsigned long long a = DescriptorOf(rows), b = DescriptorOf(rows + kRows * kRowBytes);
#pragma unroll
      for (unsigned i = 0; i < kRowBytes; i += kInstructionBytes) {
        T::template Multiply<S::kBlocks>(sums + place.stage * S::kN, a + (i >> 4), b + (i >> 4),
                                         kInstruction<T, S::kM, S::kN>, step > 0 || i > 0);
      }
      ArriveAfterProducts<S::kBlocks>(block.empty + ring.stage);
    }
    ArriveAfterProducts<S::kBlocks>(block.places.summed + place.stage);
  }
}

// Neighbours in a row of C, past what the second-level cache keeps of A and B.
DEVICE void StoreOnce(float* to, const float* x) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(x[0], x[1], x[2], x[3]));
}
DEVICE void StoreOnce(int* to, const int* x) { __stcs(reinterpret_cast<int4*>(to), make_int4(x[0], x[1], x[2], x[3])); }

template <class S, class T>
DEVICE void Write(const Block<S>& block, unsigned sums, typename T::Result* c) {
  Ring<kPlaces> place;
  for (unsigned at = block.first; at < block.tiles; at += block.stride, place.Next()) {
    const Tile tile = TileOf<S>(at, block.m, block.n);
    typename T::Result* to = c + (tile.row + block.rank * kRows + threadIdx.x) * static_cast<size_t>(block.n) + tile.column;
    const unsigned from = sums + (threadIdx.x / 32 * 32 << 16) + place.stage * S::kN;
    WaitPhase(block.places.summed + place.stage, place.parity);
    FenceAfterOthers();
    for (unsigned column = 0; column < S::kN; column += kLoadColumns) {
      typename T::Result x[kLoadColumns];
      LoadColumns(x, from + column);
      WaitColumns(x);
#pragma unroll
      for (unsigned i = 0; i < kLoadColumns; i += 4) StoreOnce(to + column + i, x + i);
    }
    FenceBeforeOthers();
    block.LetGo(place.stage);
  }
}

template <class S, class T>
DEVICE void Gemm(const TensorMap& a, const TensorMap& b, typename T::Result* c, unsigned m, unsigned n, unsigned k) {
  const Block<S> block(m, n, k / 8 * T::kBits);
  const unsigned warp = Warp();
  if (threadIdx.x == 0) block.InitBarriers();
  if (warp == kMultiplier) AllocateColumns<S::kBlocks, kPlaces * S::kN>(block.address);
  SynchronizeTensors<S::kBlocks>();
  const unsigned sums = *block.address;
  if (warp == kProducer && IsElected()) Produce(block, a, b);
  if (warp == kMultiplier && block.rank == 0 && IsElected()) Multiply<S, T>(block, sums);
  if (warp < kProducer) Write<S, T>(block, sums, c);
  SynchronizeTensors<S::kBlocks>();
  if (warp == kMultiplier) FreeColumns<S::kBlocks, kPlaces * S::kN>(sums);
}

using Pair = Shape<2, 256, 6>;
using Large = Shape<1, 256, 4>;
using Small = Shape<1, 128, 6>;

#define TENSOR_GEMM(name, S, T, CLUSTER)                                                                                \
  KERNEL CLUSTER __launch_bounds__(kThreads, 1)                                                                         \
      name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, T::Result* __restrict__ c, unsigned m, \
           unsigned n, unsigned k) {                                                                                    \
    Gemm<S, T>(a, b, c, m, n, k);                                                                                       \
  }

// Dependent instructions on operands of ones in shared memory: a block has 128 x 256 accumulators, twice, so that one
// set is added up while the other is being summed. That is done every kRound steps: of fp8's sums older chips keep 14
// bits (arXiv 2512.07004), enough for 128 x 32 ones and no more.
constexpr unsigned kChainColumns = 256, kRound = 128;
constexpr unsigned kReaders = 256;  // threads, half of a row each
constexpr unsigned kChainThreads = kReaders + 32;
template <class T>
DEVICE void MultiplyOnes(const Places& places, const unsigned char* ones, unsigned sums, unsigned k) {
  Ring<kPlaces> place;
  const unsigned long long a = DescriptorOf(ones), b = DescriptorOf(ones + kRows * kRowBytes);
  for (unsigned done = 0; done < k; done += kRound, place.Next()) {
    WaitPhase(places.written + place.stage, place.parity ^ 1);
    FenceAfterOthers();
    const unsigned end = k - done < kRound ? k : done + kRound;
#pragma unroll 4
    for (unsigned step = done; step < end; ++step) {
      T::template Multiply<1>(sums + place.stage * kChainColumns, a, b, kInstruction<T, kRows, kChainColumns>, step > done);
    }
    ArriveAfterProducts<1>(places.summed + place.stage);
  }
}

template <class T>
DEVICE void AddUp(const Places& places, unsigned sums, unsigned k, typename T::Result* out) {
  constexpr unsigned kCount = kRows * kChainColumns / kReaders;
  const unsigned first = (blockIdx.x * kReaders + threadIdx.x) * kCount;
  typename T::Result total[kCount], x[kLoadColumns];
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) total[i] = static_cast<typename T::Result>((first + i) % 8);
  Ring<kPlaces> place;
  for (unsigned done = 0; done < k; done += kRound, place.Next()) {
    WaitPhase(places.summed + place.stage, place.parity);
    FenceAfterOthers();
    const unsigned lanes = threadIdx.x / 32 % 4 * 32 << 16, half = threadIdx.x / 128 * kCount;
    const unsigned from = sums + lanes + place.stage * kChainColumns + half;
#pragma unroll
    for (unsigned column = 0; column < kCount; column += kLoadColumns) {
      LoadColumns(x, from + column);
      WaitColumns(x);
#pragma unroll
      for (unsigned i = 0; i < kLoadColumns; ++i) total[column + i] += x[i];
    }
    FenceBeforeOthers();
    Arrive(places.written + place.stage);
  }
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) out[first + i] = total[i];
}

template <class T>
DEVICE void Chain(typename T::Result* out, unsigned k, unsigned ones) {
  constexpr unsigned kOperandBytes = (kRows + kChainColumns) * kRowBytes;
  unsigned char* shared = SharedMemory();
  auto* barriers = reinterpret_cast<Barrier*>(shared + kOperandBytes);
  const Places places{barriers, barriers + kPlaces};
  auto* address = reinterpret_cast<unsigned*>(barriers + 2 * kPlaces);
  for (unsigned at = threadIdx.x; at < kOperandBytes / 4; at += kChainThreads) StoreShared(shared + at * 4, ones);
  FenceAsyncProxy();
  if (threadIdx.x == 0) {
    places.InitBarriers(kReaders);
    FenceBarriers();
  }
  const bool multiplies = Warp() == kReaders / 32;
  if (multiplies) AllocateColumns<1, kPlaces * kChainColumns>(address);
  SynchronizeTensors<1>();
  const unsigned sums = *address;
  if (multiplies && IsElected()) MultiplyOnes<T>(places, shared, sums, k);
  if (!multiplies) AddUp<T>(places, sums, k, out);
  SynchronizeTensors<1>();
  if (multiplies) FreeColumns<1, kPlaces * kChainColumns>(sums);
}
#define TENSOR_CHAIN(name, T)                                                                              \
  KERNEL __launch_bounds__(kChainThreads, 1) name(T::Result* __restrict__ out, unsigned k, unsigned ones) { \
    Chain<T>(out, k, ones);                                                                                \
  }

// kFormat is the operands' type in the instruction descriptor, kSum that of C: 1 is fp32, 2 is int32.
struct Type {
  static constexpr unsigned kBits = BITS, kFormat = FORMAT, kSum = SUM_FORMAT;
  using Result = SUM;
  template <unsigned kBlocks>
  static DEVICE void Multiply(unsigned d, unsigned long long a, unsigned long long b, unsigned instruction, bool adds) {
    MULTIPLY<kBlocks>(d, a, b, instruction, adds);
  }
};

}  // namespace

TENSOR_GEMM(ENTRY##_pair, Pair, Type, PAIR_OF_BLOCKS)
TENSOR_GEMM(ENTRY##_256, Large, Type, )
TENSOR_GEMM(ENTRY##_128, Small, Type, )
TENSOR_CHAIN(chain_##ENTRY, Type)
