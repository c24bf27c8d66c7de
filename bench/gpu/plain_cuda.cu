// SPDX-License-Identifier: MIT
// What CUDA C++ does of itself on the first GPU, for the figures of whichgpu to be held against; or a neighbour for it:
//   plain_cuda               JSON: copies and sums of 4 GiB, or of what is free a third at most, in bytes/s (a copy reads and
//                            writes them), an empty kernel's launch in s
//   plain_cuda load SECONDS  keeps the GPU at work
//   plain_cuda hold BYTES SECONDS   takes all of the memory but that much and does nothing
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t code = (call);                                                 \
    if (code != cudaSuccess) {                                                       \
      std::fprintf(stderr, "plain_cuda: %s: %s\n", #call, cudaGetErrorString(code)); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

__global__ void Empty() {}
__global__ void Copy(const uint4* from, uint4* to, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) to[i] = from[i];
}
__global__ void Sum(const uint4* from, unsigned* to, size_t count) {
  unsigned sum = 0;
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  for (; i + 3 * stride < count; i += 4 * stride) {
    const uint4 a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
    sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w + c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
  }
  for (; i < count; i += stride) sum += from[i].x + from[i].y + from[i].z + from[i].w;
  atomicAdd(to, sum);
}
__global__ void Spin(float* to, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.0001F + 1.0F;
  if (x == 0.5F) *to = x;
}

template <class F>
double EventSeconds(F&& run, int repeats, int batches = 7) {
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  std::vector<double> times;
  for (int batch = -1; batch < batches; ++batch) {
    CHECK(cudaEventRecord(first));
    for (int i = 0; i < repeats; ++i) run();
    CHECK(cudaEventRecord(last));
    CHECK(cudaEventSynchronize(last));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, first, last));
    if (batch >= 0) times.push_back(ms / 1e3 / repeats);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}
template <class F>
double WallSeconds(F&& run, int repeats, int batches = 21) {
  std::vector<double> times;
  for (int batch = -1; batch < batches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) run();
    CHECK(cudaDeviceSynchronize());
    if (batch >= 0) times.push_back(Since(start) / repeats);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void Figures() {
  size_t bytes = size_t{4} << 30, free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  while (bytes > free_bytes / 3) bytes /= 2;
  uint4 *from, *to;
  CHECK(cudaMalloc(&from, bytes));
  CHECK(cudaMalloc(&to, bytes));
  CHECK(cudaMemset(from, 0x5a, bytes));
  CHECK(cudaMemset(to, 0, bytes));
  int units = 0;
  CHECK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
  const size_t count = bytes / sizeof(uint4);
  const double memcpy_s = EventSeconds([&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); }, 5);
  double copy_s = 1e9, sum_s = 1e9;
  for (const int blocks : {2, 4, 8, 16, 32}) {
    copy_s = std::min(copy_s, EventSeconds([&] { Copy<<<units * blocks, 256>>>(from, to, count); }, 5));
    sum_s = std::min(sum_s, EventSeconds([&] { Sum<<<units * blocks, 256>>>(from, reinterpret_cast<unsigned*>(to), count); }, 5));
  }
  copy_s = std::min(copy_s, EventSeconds([&] { Copy<<<count / 512, 512>>>(from, to, count); }, 5));
  CHECK(cudaGetLastError());
  const double events_s = EventSeconds([] { Empty<<<1, 32>>>(); }, 1000);
  const double wall_s = WallSeconds([] { Empty<<<1, 32>>>(); }, 1000);
  const double alone_s = WallSeconds([] { Empty<<<1, 32>>>(); }, 1, 200);
  std::printf("{\"memcpy_bytes_per_s\": %.6g, \"copy_bytes_per_s\": %.6g, \"sum_bytes_per_s\": %.6g, \"launch_events_s\": %.4g, "
              "\"launch_wall_s\": %.4g, \"launch_alone_s\": %.4g}\n",
              2.0 * bytes / memcpy_s, 2.0 * bytes / copy_s, bytes / sum_s, events_s, wall_s, alone_s);
}

void Load(double seconds) {
  float* to;
  CHECK(cudaMalloc(&to, 4));
  std::puts("at work");
  std::fflush(stdout);
  for (const auto start = Clock::now(); Since(start) < seconds;) {
    for (int i = 0; i < 20; ++i) Spin<<<1056, 256>>>(to, 200000);
    CHECK(cudaDeviceSynchronize());
  }
}

void Hold(size_t but, double seconds) {
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  void* held;
  if (free_bytes > but) CHECK(cudaMalloc(&held, free_bytes - but));
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  std::printf("%zu bytes are left\n", free_bytes);
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) return Figures(), 0;
  if (count == 3 && !std::strcmp(words[1], "load")) return Load(std::atof(words[2])), 0;
  if (count == 4 && !std::strcmp(words[1], "hold")) return Hold(std::strtoull(words[2], nullptr, 10), std::atof(words[3])), 0;
  std::fprintf(stderr, "plain_cuda: no argument, load SECONDS, or hold BYTES SECONDS\n");
  return 2;
}
