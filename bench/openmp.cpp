// SPDX-License-Identifier: MIT
// Static code for the machine it is built on: of Highway only the one target that -march=native allows.
#define HWY_COMPILE_ONLY_STATIC
#include "bench/openmp.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <bit>

namespace bench {

std::uint32_t OpenMpRead(const std::uint32_t* in, std::size_t count) {
  std::uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < count; ++i) sum += in[i];
  return sum;
}

void OpenMpTriad(const float* a, const float* b, float* out, float factor, std::size_t count) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + factor * b[i];
}

void OpenMpTriadStreaming(const float* a, const float* b, float* out, float factor, std::size_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const std::size_t vectors = count / hn::Lanes(d);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t i = v * hn::Lanes(d);
      hn::Stream(hn::MulAdd(hn::Set(d, factor), hn::Load(d, b + i), hn::Load(d, a + i)), d, out + i);
    }
    hwy::FlushStream();
  }
}

void OpenMpWiden(const std::uint16_t* in, float* out, std::size_t count) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) out[i] = std::bit_cast<float>(std::uint32_t{in[i]} << 16U);
}

}  // namespace bench
