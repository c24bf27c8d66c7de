// SPDX-License-Identifier: MIT
// HIP's calls as backends/stream makes them, on the default stream of the device that is set.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/stream/runtime.h"
#include "probe/core/result.h"
#include "probe/hip/hip_api.h"

namespace backends::hip {

// Compiles sources for one target by hiprtc, loads what came out on the current device, and keeps it. Runs
// nothing. Compiling may abort the process: who asks for it has said so before.
class ModuleCache {
 public:
  // `target` as the compiler takes it: "gfx942:sramecc+:xnack-". `xcc_count`: dies that the device deals
  // work-groups out to (XCDs).
  ModuleCache(const probe::hip::Api& api, probe::Result<probe::hip::Compiler> compiler, std::string target,
              std::uint32_t xcc_count = 1)
      : api_(api), compiler_(std::move(compiler)), target_(std::move(target)), xcc_count_(xcc_count) {}

  // One compilation a text; a failed one is not repeated. `source` outlives the cache. The error's text ends
  // with the last lines of the compiler's log; without a compiler it is the reason for that.
  [[nodiscard]] probe::Result<probe::hip::HipModule> Get(std::string_view source);

 private:
  [[nodiscard]] probe::Result<std::string> Compile(const std::string& source) const;
  [[nodiscard]] probe::Result<probe::hip::HipModule> Load(const std::string& source) const;

  const probe::hip::Api& api_;
  probe::Result<probe::hip::Compiler> compiler_;
  std::string target_;
  std::uint32_t xcc_count_;
  std::map<const char*, probe::Result<probe::hip::HipModule>> loaded_;
};

class HipRuntime final : public stream::Runtime {
 public:
  // The devices are named by their numbers in this process. Libraries are sought in `files` by `environment`
  // once they are asked for: both outlive the runtime.
  HipRuntime(const probe::hip::Api& api, std::vector<int> devices, const probe::system::FileSystem& files,
             const probe::system::Environment& environment);
  // Says what kernels, libraries and the state of the first device need besides: `target` is the architecture
  // as the compiler takes it. A missing compiler fails the kernels alone.
  void PrepareKernels(const probe::RuntimeDevice& facts, probe::Result<probe::hip::Compiler> compiler,
                      std::string target);

  probe::Status Enter(std::size_t device) override;
  probe::Result<Memory> AskMemory() override;
  probe::Result<std::uint64_t> Allocate(std::uint64_t bytes) override;
  void Free(std::uint64_t address) override { (void)Told(api_.hipFree(stream::DevicePointer(address))); }
  probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  probe::Status Write(std::uint64_t to, std::span<const std::byte> data) override;
  probe::Status Read(std::uint64_t from, std::span<std::byte> data) override;
  probe::Status Synchronize() override;
  bool EndsContext(std::int64_t code) const override { return probe::hip::EndsContext(code); }
  DeviceState State() const override;

  probe::Result<void*> CreateEvent() override;
  bool Record(void* event) override;
  std::optional<double> SecondsBetween(void* first, void* last) override;

  probe::Result<stream::Function> Load(const kernels::Step& step) override;
  probe::Status StartLaunch(const stream::Function& function, const kernels::LaunchShape& shape,
                            void** arguments) override;
  probe::Result<stream::Products> OpenProducts(std::string_view library,
                                               std::uint64_t max_workspace_bytes) override;

  probe::Status CheckPeerCopies() const override;
  bool OpenWay(std::size_t from, std::size_t to) override;
  std::string_view CopierOf(std::uint64_t bytes) const override;
  probe::Status StartCopy(Place to, Place from, std::uint64_t bytes) override;
  int OrdinalOf(std::size_t device) const override { return devices_[device]; }
  probe::Result<Nccl> OpenNccl() override;
  probe::Result<void*> CreateStream() override;
  probe::Status Wait(void* stream) override;

 private:
  // Every code of the runtime's passes here: none is left for a library to find.
  [[nodiscard]] probe::hip::HipResult Told(probe::hip::HipResult code) const {
    return probe::hip::Told(api_, code);
  }

  const probe::hip::Api api_;
  const std::vector<int> devices_;
  int current_ = 0;  // the number of the device that was entered last
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
  probe::RuntimeDevice facts_;  // of the first device
  std::optional<ModuleCache> modules_;
};

// Of the last level: what the kernel tells of a third one, and HIP of the second. An APU's memory may have a
// cache that nobody tells of.
[[nodiscard]] std::optional<std::int64_t> LastCacheBytes(const probe::RuntimeDevice& device,
                                                         std::optional<int> l2_bytes);

}  // namespace backends::hip
