// SPDX-License-Identifier: MIT
// What host and device must agree on: the kernels that exist, the data types, and how one implementation of a
// kernel is launched. Implementations ("variants") are data; the code that runs them knows none of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

// fill writes the operands of every other kernel (operand.h); it is never reported.
enum class Kernel {
  kGemm,
  kChain,
  kGemv,
  kRead,
  kCopy,
  kTriad,
  kHostToDevice,
  kDeviceToHost,
  kPeer,
  kLaunch,
  kFill
};

// kQ4, kQ8: blocks of 32 weights of 4 or 8 bits with one fp16 scale. kU32: raw words, for bandwidth.
enum class Dtype { kFp32, kTf32, kFp16, kBf16, kFp8, kFp4, kInt8, kInt32, kQ4, kQ8, kU32 };

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  std::uint32_t bits;
  bool integer;
  std::uint32_t ones = 0;  // a word whose elements are all 1; 0 where that has no meaning
};
[[nodiscard]] const DtypeRow& Row(Dtype dtype);
[[nodiscard]] std::span<const DtypeRow> Dtypes();

// Bytes of a block of kQ4Block weights with its scale (operand.h); 0 for a type that has no blocks.
[[nodiscard]] std::uint32_t BlockBytes(Dtype dtype);

// One problem, and what each kernel must compute. Matrices are row-major without padding; fields not named
// are 0.
//   gemm   m, n, k   C[m x n] = A[m x k] B[k x n]; A, B in `in`, C in `acc`
//   gemv   m, k      y[m] = W[m x k] x[k]; W in `in`, x and y in `acc`
//   read   count     sums of kIn, modulo 2^32, in kPartials
//   copy   count     kOut = kIn
//   triad  count     kOut = kA + kTriadFactor kB, element by element
//   chain  count, n, k
//                    kOut: `count` accumulators in `acc`; accumulator i starts at i mod 8 and has 1 * 1 added
//                    n * k times, in k dependent steps of n products each (n: the depth of a matrix
//                    instruction, else 1). The ones reach the kernel as scalars or memory, so that no
//                    compiler can fold them.
//   fill   count, seed  kOut = the operand of kernels/operand.h
struct Problem {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  std::uint32_t count = 0;
  std::uint32_t seed = 0;
  bool operator==(const Problem&) const = default;
};

inline constexpr float kTriadFactor = 3.0F;

// What a launch may depend on besides the problem.
struct DeviceShape {
  std::uint32_t compute_units = 1;        // or worker threads
  std::uint32_t max_work_group_size = 1;  // invocations
  std::uint32_t subgroup_width = 1;
};

// What a buffer is to the kernel. The host sizes and fills it accordingly: kA, kB, kX, kW, kIn with operands;
// kC, kY, kOut are results; kPartials holds one u32 sum per writer (unwritten words stay 0); kWorkspace is
// private.
enum class Role { kA, kB, kC, kW, kX, kY, kIn, kOut, kPartials, kWorkspace };

// How the kernel sees it. Texel views exist because some drivers read them far faster than storage buffers.
enum class View { kStorage, kTexelFloat4, kTexelUint4 };

struct Binding {
  Role role;
  View view = View::kStorage;
  std::uint32_t box_rows = 0;  // if not 0, as a MatrixMap
};

// A matrix, rows of k without padding, of which a kernel has boxes of so many rows and 128 bytes copied to
// shared memory, swizzled: what CUDA's tensor maps describe.
struct MatrixMap {
  std::uint64_t rows = 0;
  std::uint64_t row_bytes = 0;
  std::uint32_t box_rows = 0;
};

// A number that a launch depends on: one of the problem's, n * k, the factor of triad, or a constant.
enum class Number { kOne, kM, kN, kK, kCount, kSeed, kProducts, kFactor, kWord };

// A word that the kernel is handed, floats by bit cast. `word` is that of kWord.
struct Scalar {
  Number number = Number::kWord;
  std::uint32_t word = 0;
};

struct KernelRow {
  Kernel kernel;
  std::string_view name;  // in JSON
  std::string_view unit;  // of its rate; int8 products count "op_per_s" instead of "flop_per_s"
  // What it binds and is handed in this order, unless a variant says otherwise. kWord is a word of ones.
  std::vector<Role> roles = {};
  std::vector<Number> scalars = {};
};
[[nodiscard]] const KernelRow& Row(Kernel kernel);
[[nodiscard]] std::span<const KernelRow> Kernels();

// How one side of the problem is divided among work-groups: `each` to every group, the rest to the last.
struct Tiling {
  Number number = Number::kOne;
  std::uint32_t each = 1;
};

// How a step is launched; ShapeOf makes the numbers of one problem on one device of it.
struct Geometry {
  std::array<Tiling, 2> tiles = {};    // a work-group each, in x and y
  bool in_a_row = false;               // all of these groups in x instead
  std::uint32_t groups_a_cluster = 1;  // their number is a multiple of this; those run beside each other
  std::uint32_t groups_a_unit = 0;     // if not 0, so many groups a compute unit, of tiles at most so many
  std::uint32_t most_a_group = 0;  // if not 0, more groups where one would get more than this of the count
  std::array<std::uint32_t, 2> threads = {1, 1};  // invocations of a group, in x and y
  bool threads_are_subgroups = false;             // those in x count subgroups instead of invocations
  std::uint32_t partials_a_group = 0;             // words of Role::kPartials that a group writes
};

// Work-groups and invocations a group, in x, y, z, and the kernel's scalar words in order.
struct LaunchShape {
  std::array<std::uint32_t, 3> groups = {1, 1, 1};
  std::array<std::uint32_t, 3> local = {1, 1, 1};
  std::vector<std::uint32_t> scalars;
};

// One launch of one entry point. A variant may need several (pack, then multiply): all of them are timed.
struct Step {
  std::string_view entry = {};         // function name
  std::string_view source = {};        // text in the runtime's language; empty for the processor
  std::string_view older_source = {};  // the same for drivers that are too old for that one, if there is
  std::span<const std::uint32_t> code = {};  // SPIR-V words where the language is compiled ahead
  std::string_view options = {};             // for the compiler; for the processor its set of instructions
  std::vector<Binding> bindings = {};
  Geometry geometry = {};
  std::vector<Scalar> scalars = {};
  std::uint32_t shared_bytes = 0;  // dynamic shared memory of a group, beside what the code declares itself
  // The vendor's library whose own product this is, by the runtime's name for it; empty where the code is
  // ours.
  std::string_view library = {};
};
[[nodiscard]] MatrixMap MapOf(const Binding& binding, Dtype in, const Problem& problem);
[[nodiscard]] LaunchShape ShapeOf(const Step& step, const Problem& problem, const DeviceShape& device);

// One implementation of one kernel for one pair of types.
struct Variant {
  std::string name;    // "own:avx512", "own:tile_6x64"
  std::string family;  // what those share that differ in their tiles or types alone: "own:tile"
  Kernel kernel = Kernel::kGemm;
  Dtype in = Dtype::kFp32;
  Dtype acc = Dtype::kFp32;
  std::vector<Step> steps;
  std::vector<std::string> requires_features;  // of Limits::features; all must be there
  // The shapes it takes are multiples of these.
  std::uint32_t multiple_m = 1;
  std::uint32_t multiple_n = 1;
  std::uint32_t multiple_k = 1;
  std::uint32_t multiple_count = 1;
  bool b_transposed = false;  // B is stored n x k
  // Of gemv: what is multiplied is x in 8 bits, which the kernel makes of it, as engines for processors do.
  // Each 32 numbers of x share a scale, the largest magnitude / 127, and become x * (127 / the largest
  // magnitude), rounded to the nearest integer, a tie to the even one; all of that in fp32. A verified
  // product is that of W with these integers times their scales.
  bool x_in_8_bits = false;
  std::string note;      // said with its figures
  std::string left_out;  // why it is not run, where something showed that it had better not be
  // Bytes of Role::kWorkspace; nullptr where the variant has none.
  std::uint64_t (*workspace_bytes)(const Variant&, const Problem&, const DeviceShape&) = nullptr;
};

// A variant of this project's own, of one step, whose family is called as it is. Bindings and scalars that
// the step leaves out are those of the kernel.
[[nodiscard]] Variant Own(std::string name, Kernel kernel, Dtype in, Dtype acc, Step step);

// By a kernel of this project, not by a library that was found.
[[nodiscard]] bool IsOwn(std::string_view implementation);
[[nodiscard]] bool IsOfLibrary(const Variant& variant);

// Work of one problem: operations (2*m*n*k for gemm, 2*count*n*k for chain) or bytes moved (read: in; gemv:
// W; copy: in + out; triad: 2 in + out).
[[nodiscard]] double Work(Kernel kernel, Dtype in, const Problem& problem);

}  // namespace kernels
