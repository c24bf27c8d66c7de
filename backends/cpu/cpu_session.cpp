// SPDX-License-Identifier: MIT
#include "backends/cpu/cpu_session.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include "backends/core/host.h"
#include "backends/core/measurement.h"
#include "backends/core/plan.h"
#include "backends/cpu/library_variants.h"
#include "kernels/cpu/quirks.h"
#include "probe/system/clock.h"
#include "probe/system/filesystem.h"
#include "probe/system/host.h"
#include "probe/system/processor.h"

namespace backends::cpu {
namespace {

// One huge page: smaller buffers gain nothing from it.
constexpr std::uint64_t kHugePageBytes = 2U << 20U;
// Kept after their release: getting pages from the system takes longer than most kernels.
constexpr std::uint64_t kMaxSpareBytes = 256U << 20U;
constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{1} << 46U;

// What `ulimit -v` leaves. Without /proc half of the limit is taken for used.
std::optional<std::uint64_t> AddressSpaceLeft(const probe::system::FileSystem& files) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  std::uint64_t used = limit.rlim_cur / 2;
  if (const auto statm = files.ReadLine("/proc/self/statm")) {
    std::uint64_t pages = 0;
    std::from_chars(statm->data(), statm->data() + statm->size(), pages);
    used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  return limit.rlim_cur - std::min<std::uint64_t>(used, limit.rlim_cur);
}

// Of what a control group leaves: beyond it the kernel ends the process, which needs room for itself and for
// what it checks results against.
std::uint64_t WithoutOwn(std::uint64_t left) {
  constexpr std::uint64_t kOwnBytes = 16U << 20U;
  const std::uint64_t most = left - left / 8;
  return most - std::min(most, kOwnBytes);
}

std::uint64_t UsableBytes(const OpenRequest& request) {
  std::uint64_t usable = kAddressSpaceBytes;
  const auto bound = [&usable](std::optional<std::uint64_t> bytes) {
    if (bytes) usable = std::min(usable, *bytes);
  };
  bound(request.device.memory_free_bytes);
  if (request.processor) bound(request.processor->memory_limit_bytes);
  bound(probe::system::ReadMemory(request.files).available_bytes);
  bound(AddressSpaceLeft(request.files));
  const bool is_limited = request.processor && request.processor->memory_limit_bytes;
  return is_limited ? WithoutOwn(usable) : usable;
}

probe::Error SystemError(std::string call, int code, std::string text) {
  return {std::move(call), code, std::generic_category().message(code), std::move(text)};
}

}  // namespace

CpuSession::CpuSession(const std::vector<int>& processors, Limits limits,
                       const probe::system::FileSystem& files, const probe::system::Environment& environment)
    : limits_(std::move(limits)), files_(files), environment_(environment), workers_(processors) {
  limits_.shape = {workers_.count(), 1, 1};
  limits_.threads = workers_.count();
}

CpuSession::~CpuSession() {
  for (const Mapping& mapping : buffers_.RemoveAll()) Unmap(mapping);
  for (const Mapping& mapping : spare_) Unmap(mapping);
}

// What is mapped gets its pages later, when it is too late for an error: the sum is held to the limit here.
void* CpuSession::MapWithinLimit(std::uint64_t bytes) {
  const std::uint64_t most = limits_.memory_free_bytes.value_or(kAddressSpaceBytes);
  errno = ENOMEM;
  if (mapped_bytes_ > most || bytes > most - mapped_bytes_) return MAP_FAILED;
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address != MAP_FAILED) mapped_bytes_ += bytes;
  return address;
}

void CpuSession::Unmap(const Mapping& mapping) {
  munmap(mapping.address, mapping.bytes);
  mapped_bytes_ -= mapping.bytes;
}

probe::Result<BufferId> CpuSession::Allocate(const BufferRequest& request) {
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 1);
  if (const auto spare = TakeSpare(bytes)) return buffers_.Add(*spare, bytes);
  void* address = MapWithinLimit(bytes);
  if (address == MAP_FAILED && !spare_.empty()) {
    for (const Mapping& mapping : std::exchange(spare_, {})) Unmap(mapping);
    address = MapWithinLimit(bytes);
  }
  if (address == MAP_FAILED) {
    return SystemError("mmap", errno,
                       std::string(kNoMemoryForBuffer) + " of " + std::to_string(bytes) + " bytes");
  }
  // Pages come with the first touch, by the worker that will use them; advice alone, so a refusal is no
  // error.
  if (bytes >= kHugePageBytes) probe::system::PreferLargePages(address, bytes);
  return buffers_.Add({static_cast<std::byte*>(address), bytes}, bytes);
}

// The smallest that is large enough.
std::optional<CpuSession::Mapping> CpuSession::TakeSpare(std::uint64_t bytes) {
  auto best = spare_.end();
  for (auto spare = spare_.begin(); spare != spare_.end(); ++spare) {
    if (spare->bytes >= bytes && (best == spare_.end() || spare->bytes < best->bytes)) best = spare;
  }
  if (bytes < kHugePageBytes || best == spare_.end()) return std::nullopt;
  const Mapping mapping = *best;
  spare_.erase(best);
  return mapping;
}

void CpuSession::Release(BufferId buffer) {
  const auto mapping = buffers_.Remove(buffer);
  if (!mapping) return;
  std::uint64_t kept = 0;
  for (const Mapping& spare : spare_) kept += spare.bytes;
  if (mapping->bytes >= kHugePageBytes && kept + mapping->bytes <= kMaxSpareBytes) {
    spare_.push_back(*mapping);
  } else {
    Unmap(*mapping);
  }
}

probe::Status CpuSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                 std::span<const std::byte> data) {
  const auto to = buffers_.Locate("transfer", buffer, offset_bytes, data.size());
  if (!to) return to.error();
  if (!data.empty()) std::memcpy((*to)->address + offset_bytes, data.data(), data.size());
  return probe::Ok();
}

probe::Status CpuSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  const auto from = buffers_.Locate("transfer", buffer, offset_bytes, data.size());
  if (!from) return from.error();
  if (!data.empty()) std::memcpy(data.data(), (*from)->address + offset_bytes, data.size());
  return probe::Ok();
}

probe::Result<KernelId> CpuSession::Load(const kernels::Variant& variant, const kernels::Step& step) {
  if (!step.library.empty()) return LoadLibrary(step.library, variant.in);
  const auto all = kernels::cpu::Implementations();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const bool meant = all[i].entry == step.entry && all[i].isa == step.options;
    if (meant && all[i].supported()) return KernelId{i};
  }
  return probe::Error{"load", std::nullopt, "unsupported",
                      std::string(step.entry) + " for " + std::string(step.options) + " does not run here"};
}

probe::Result<KernelId> CpuSession::LoadLibrary(std::string_view name, kernels::Dtype in) {
  const auto is_meant = [name](const auto& known) { return known.name == name; };
  auto library = std::find_if(libraries_.begin(), libraries_.end(), is_meant);
  if (library == libraries_.end()) {
    const auto vendors = Vendors();
    const auto vendor = std::find_if(vendors.begin(), vendors.end(), is_meant);
    if (vendor == vendors.end())
      return probe::Error{"load", std::nullopt, "unsupported", "no library is called " + std::string(name)};
    auto loaded = LoadVendor(*vendor, workers_.count(), files_, environment_);
    if (!loaded) return loaded.error();
    libraries_.push_back({vendor->name, std::move(loaded->multiply)});
    library = libraries_.end() - 1;
  }
  library_kernels_.push_back({in, library->multiply});
  const std::size_t own = kernels::cpu::Implementations().size();
  return KernelId{static_cast<std::uint32_t>(own + library_kernels_.size() - 1)};
}

struct CpuSession::Call {
  kernels::cpu::EntryPoint run;  // nullptr: a library's
  const LibraryKernel* library;
  std::vector<void*> buffers;
  std::span<const std::uint32_t> scalars;
};

probe::Result<std::vector<CpuSession::Call>> CpuSession::Bind(std::span<const Launch> launches) const {
  const auto own = kernels::cpu::Implementations();
  std::vector<Call> calls;
  for (const Launch& launch : launches) {
    const std::size_t kernel = static_cast<std::uint32_t>(launch.kernel);
    Call call{nullptr, nullptr, {}, launch.shape.scalars};
    if (kernel < own.size()) {
      call.run = own[kernel].run;
    } else {
      call.library = &library_kernels_[kernel - own.size()];
    }
    for (const BoundBuffer& bound : launch.buffers) {
      const auto mapping = buffers_.Locate("launch", bound.buffer);
      if (!mapping) return mapping.error();
      call.buffers.push_back((*mapping)->address);
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

probe::Status CpuSession::RunInTurn(const std::vector<Call>& calls) {
  for (const Call& call : calls) {
    if (call.library == nullptr) {
      workers_.Run(
          [&call](const kernels::cpu::Worker& worker) { call.run({call.buffers, call.scalars}, worker); });
      continue;
    }
    const auto status =
        call.library->multiply({call.library->in, call.scalars[0], call.scalars[1], call.scalars[2],
                                call.buffers[0], call.buffers[1], call.buffers[2]});
    if (!status) return status.error();
  }
  return probe::Ok();
}

probe::Result<Timing> CpuSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  const auto bound = Bind(launches);
  if (!bound) return bound.error();
  const std::vector<Call>& calls = *bound;
  const bool has_library =
      std::any_of(calls.begin(), calls.end(), [](const Call& call) { return call.library != nullptr; });
  const probe::system::SteadyTime start = probe::system::Now();
  for (std::uint32_t i = 0; has_library && i < repeats; ++i) {
    if (auto status = RunInTurn(calls); !status) return status.error();
  }
  const auto work = [&](const kernels::cpu::Worker& worker) {
    for (std::uint32_t i = 0; i < repeats; ++i) {
      for (const Call& call : calls) {
        call.run({call.buffers, call.scalars}, worker);
        worker.team->barrier.Wait();
      }
    }
  };
  if (!has_library) workers_.Run(work);
  return Timing{std::nullopt, probe::system::SecondsSince(start)};
}

DeviceState CpuSession::State() const {
  constexpr std::uint32_t kCount = 1;
  constexpr double kAdditions = kCount * 0x1p14;  // kernels/cpu/cpu_kernel.h
  constexpr int kTries = 3;                       // of which none may be interrupted by the system
  const kernels::cpu::EntryPoint adds = kernels::cpu::Best("clock_adds")->run;
  std::uint32_t sum = 0;
  void* const buffers[] = {&sum};
  const std::uint32_t scalars[] = {kCount};
  double least_s = 0;
  workers_.RunAlone([&] {
    for (int i = 0; i < kTries; ++i) {
      const probe::system::SteadyTime start = probe::system::Now();
      adds({buffers, scalars}, {0, 1, nullptr});
      const double elapsed_s = probe::system::SecondsSince(start);
      least_s = i == 0 ? elapsed_s : std::min(least_s, elapsed_s);
    }
  });
  DeviceState state;
  if (least_s > 0) state.clock_hz = kAdditions / least_s;
  return state;
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  if (request.device.kind != probe::DeviceKind::kCpu) {
    return probe::Error{"open", std::nullopt, "no such device",
                        request.device.name + " is not the host processor"};
  }
  Limits limits;
  limits.memory_free_bytes = UsableBytes(request);
  limits.max_buffer_bytes = *limits.memory_free_bytes;
  if (request.processor) {
    limits.cache_bytes = UsableCacheBytes(*request.processor);
    limits.features = request.processor->features;
  }
  if (kernels::cpu::AddsInt8In32Bits()) limits.features.emplace_back(kInt8Dot);
  const auto quota = request.processor ? request.processor->quota_cores : std::nullopt;
  const std::vector<int> placed = PlaceWorkers(probe::system::UsableProcessors(), quota, request.files);
  limits.quota_cores = BindingQuota(request, static_cast<std::uint32_t>(placed.size()));
  return std::unique_ptr<Session>(
      std::make_unique<CpuSession>(placed, std::move(limits), request.files, request.environment));
}

}  // namespace backends::cpu
