// SPDX-License-Identifier: MIT
#include "tests/fakes/common/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace fakes {
namespace {

// Of each buffer: a wrong result needs no more, and a client may have gigabytes.
constexpr std::size_t kMaxOverwritten = std::size_t{4} << 20U;

std::byte Garbage(std::size_t i) { return static_cast<std::byte>((i * 2654435761U) >> 13U); }

void Overwrite(Results results, std::span<std::byte> output) {
  switch (results) {
    case Results::kNone:
      return;
    case Results::kGarbage:
      for (std::size_t i = 0; i < output.size(); ++i) output[i] = Garbage(i);
      return;
    case Results::kNan:
      std::fill(output.begin(), output.end(), std::byte{0xff});
      return;
    case Results::kZero:
      std::fill(output.begin(), output.end(), std::byte{0});
      return;
  }
}

// Whether this process is one of the first that compute a product on the device. Leaves its file.
bool IsEarly(const Device& device) {
  const std::filesystem::path folder = device.unsteady_folder;
  std::error_code error;
  const auto before = std::distance(std::filesystem::directory_iterator(folder, error), {});
  std::ofstream(folder / std::to_string(getpid())).flush();
  return before < device.unsteady_processes;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What the device's launches took more than they should, in seconds.
double& Waited(const Device& device) {
  thread_local std::map<const Device*, double> waited;
  return waited[&device];
}

// Multiples of the golden ratio are spread evenly, whichever of them one kernel gets.
double UnsteadySeconds(const Device& device, double product_s) {
  constexpr double kGoldenRatio = 1.6180339887498949;
  if (device.unsteady_share == 0 || product_s == 0) return 0;
  static std::mutex mutex;
  static std::map<const Device*, bool> unsteady;
  static std::uint32_t launches = 0;
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = unsteady.try_emplace(&device, true);
  if (is_new && !device.unsteady_folder.empty()) known->second = IsEarly(device);
  const double turn = ++launches * kGoldenRatio;
  return product_s * device.unsteady_share * (known->second ? turn - std::floor(turn) : 1);
}

}  // namespace

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void Launch(const Device& device, std::span<const std::span<std::byte>> outputs,
            const std::optional<Work>& work) {
  const double more_s = work && work->is_product ? UnsteadySeconds(device, work->processor_s) : 0;
  std::this_thread::sleep_for(std::chrono::duration<double>(device.slow_kernel_s + more_s));
  for (const auto output : outputs) {
    Overwrite(device.results, output.first(std::min(output.size(), kMaxOverwritten)));
  }
  if (work) Waited(device) += SecondsSince(work->start) - work->processor_s - device.slow_kernel_s - more_s;
}

bool Faults(const Device& device, std::string_view entry) {
  const auto is_one_of = [&](const std::string& names) { return !names.empty() && entry.starts_with(names); };
  if (is_one_of(device.crashing_kernels)) std::abort();
  if (is_one_of(device.hanging_kernels)) std::this_thread::sleep_for(std::chrono::hours(1));
  return is_one_of(device.faulting_kernels);
}

std::uint64_t EventTime(const Device& device, std::chrono::steady_clock::time_point start) {
  const double waited_s = device.unsteady_share == 0 ? 0 : Waited(device);
  return 1'000'000'000U +
         static_cast<std::uint64_t>((SecondsSince(start) - waited_s) * 1e9 * device.event_time_scale);
}

}  // namespace fakes
