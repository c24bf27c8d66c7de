// SPDX-License-Identifier: MIT
#include "backends/null/null_session.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "kernels/cpu/cpu_kernel.h"
#include "probe/null/null_api.h"
#include "probe/system/clock.h"

namespace backends::null {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::uint64_t kMemoryBytes = 256U << 20U;

}  // namespace

void NullSession::AlignedDelete::operator()(std::byte* bytes) const { ::operator delete(bytes, kAlignment); }

probe::Result<BufferId> NullSession::Allocate(const BufferRequest& request) {
  auto* bytes = static_cast<std::byte*>(::operator new(request.bytes, kAlignment, std::nothrow));
  if (bytes == nullptr) {
    return probe::Error{"allocate", std::nullopt, "out of memory", std::to_string(request.bytes) + " bytes"};
  }
  return buffers_.Add(Memory(bytes), request.bytes);
}

void NullSession::Release(BufferId buffer) { buffers_.Remove(buffer); }

probe::Result<std::byte*> NullSession::Locate(BufferId buffer, std::uint64_t offset_bytes,
                                              std::uint64_t size) const {
  const auto memory = buffers_.Locate("transfer", buffer, offset_bytes, size);
  if (!memory) return memory.error();
  return (*memory)->get() + offset_bytes;
}

probe::Status NullSession::Upload(BufferId buffer, std::uint64_t offset_bytes,
                                  std::span<const std::byte> data) {
  const auto to = Locate(buffer, offset_bytes, data.size());
  if (!to) return to.error();
  std::copy(data.begin(), data.end(), *to);
  return probe::Ok();
}

probe::Status NullSession::Download(BufferId buffer, std::uint64_t offset_bytes, std::span<std::byte> data) {
  const auto from = Locate(buffer, offset_bytes, data.size());
  if (!from) return from.error();
  std::copy_n(*from, data.size(), data.begin());
  return probe::Ok();
}

// A real session compiles step.source or step.code with step.options.
probe::Result<KernelId> NullSession::Load(const kernels::Variant&, const kernels::Step& step) {
  const auto all = kernels::cpu::Implementations();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].entry == step.entry && all[i].supported()) return KernelId{i};
  }
  return probe::Error{"load", std::nullopt, "unsupported", "no kernel is called " + std::string(step.entry)};
}

// A real session submits everything, waits once, and also returns the time between events around the
// sequence.
probe::Result<Timing> NullSession::Run(std::span<const Launch> launches, std::uint32_t repeats) {
  kernels::cpu::Team alone(1);
  const probe::system::SteadyTime start = probe::system::Now();
  for (std::uint32_t i = 0; i < repeats; ++i) {
    for (const Launch& launch : launches) {
      std::vector<void*> buffers;
      for (const BoundBuffer& bound : launch.buffers) {
        const auto address = Locate(bound.buffer, 0, 0);
        if (!address) return address.error();
        buffers.push_back(*address);
      }
      const auto& kernel = kernels::cpu::Implementations()[static_cast<std::uint32_t>(launch.kernel)];
      kernel.run({buffers, launch.shape.scalars}, {0, 1, &alone});
    }
  }
  return Timing{std::nullopt, probe::system::SecondsSince(start)};
}

probe::Result<std::unique_ptr<Session>> Open(const OpenRequest& request) {
  const auto api = probe::null::Open(request.files, request.environment);
  if (!api) return api.error();
  const auto devices = probe::null::Devices(*api);
  if (!devices) return devices.error();
  // Not the whole record: what others know of a device is added to it.
  const auto is_same = [&wanted = request.device](const probe::RuntimeDevice& found) {
    return found.identity == wanted.identity && found.name == wanted.name && found.ordinal == wanted.ordinal;
  };
  if (std::none_of(devices->begin(), devices->end(), is_same)) {
    return probe::Error{"open", std::nullopt, "no such device",
                        "the runtime does not show " + request.device.name};
  }
  Limits limits;
  limits.memory_free_bytes = kMemoryBytes;
  limits.max_buffer_bytes = kMemoryBytes;
  return std::unique_ptr<Session>(std::make_unique<NullSession>(std::move(limits)));
}

}  // namespace backends::null
