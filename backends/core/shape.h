// SPDX-License-Identifier: MIT
// A problem as a device is given it, and what it asks of the device: buffers, features, room. Chooses
// nothing.
#pragma once

#include <cstdint>
#include <string>

#include "backends/core/backend.h"
#include "kernels/spec.h"

namespace backends {

inline constexpr std::uint64_t kMiB = 1U << 20U;

// `copies` equal problems on operands of their own, run one after another as one execution: what exceeds one
// buffer, or must exceed every cache, is several.
struct Shape {
  kernels::Problem problem;
  std::uint32_t copies = 1;
  std::string note{};     // why it is smaller than it should be; empty if it is not
  bool too_long = false;  // one launch would last too long, however small it is made
  bool rough = false;     // only about how fast it is: Launch::rough
};
[[nodiscard]] double Work(const kernels::Variant& variant, const Shape& shape);
// As it is reported: the copies' counts added up.
[[nodiscard]] kernels::Problem Reported(const Shape& shape);

// The type of a buffer's elements: results, the vector of gemv and the accumulators of a chain are in `acc`.
[[nodiscard]] kernels::Dtype DtypeOf(const kernels::Variant& variant, kernels::Role role);

// Bytes of one buffer of a variant, padded so that the fill kernel and every view may run past the end of the
// operand; 0 for a role that the kernel does not have.
[[nodiscard]] std::uint64_t BufferBytes(const kernels::Variant& variant, kernels::Role role,
                                        const kernels::Problem& problem, const kernels::DeviceShape& device);

// Buffers are padded to a multiple of this, and texel views are made of elements of that size.
inline constexpr std::uint64_t kPaddingBytes = 256;
inline constexpr std::uint64_t kTexelBytes = 16;
// Whether it reads or writes any buffer as texels, whose number is limited.
[[nodiscard]] bool BindsTexels(const kernels::Variant& variant);

// Of all its buffers together.
[[nodiscard]] std::uint64_t NeededBytes(const kernels::Variant& variant, const Shape& shape,
                                        const kernels::DeviceShape& device);

// Why a variant can not run, at all or at that size; empty if it can.
[[nodiscard]] std::string MissingFeature(const kernels::Variant& variant, const Limits& limits);
[[nodiscard]] std::string Misfit(const kernels::Variant& variant, const Shape& shape, const Limits& limits);
// The same of all but the room that is left.
[[nodiscard]] std::string ShapeMisfit(const kernels::Variant& variant, const Shape& shape,
                                      const Limits& limits);

// Whether a device computes on the host processor and in its memory.
[[nodiscard]] bool OnHost(const probe::RuntimeDevice& device);

template <class T>
[[nodiscard]] constexpr T RoundUp(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace backends
