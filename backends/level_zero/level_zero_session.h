// SPDX-License-Identifier: MIT
// One Level Zero device, open: its memory, modules, kernels and launches on one queue, and a library's
// products. Knows no kernel by name and chooses nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/core/backend.h"
#include "backends/core/buffer_table.h"
#include "backends/core/culprit.h"
#include "backends/core/sharing.h"
#include "backends/level_zero/onednn.h"
#include "probe/core/result.h"
#include "probe/level_zero/level_zero_api.h"

namespace backends::level_zero {

namespace rt = probe::level_zero;

// The one queue of a device: what is appended runs in order, each launch seeing the results of those before
// it. Chooses nothing.
class Queue {
 public:
  // On the device's engine for computing.
  [[nodiscard]] static probe::Result<Queue> Create(const rt::Api& api, rt::ZeContext context,
                                                   rt::ZeDevice device);

  // The kernel's arguments and sizes are those that it has now. Sent to the device by and by; `event`, where
  // there is one, is signalled at its end.
  [[nodiscard]] probe::Status Launch(rt::ZeKernel kernel, const rt::ZeGroups& groups, rt::ZeEvent event);
  [[nodiscard]] probe::Status Copy(void* to, const void* from, std::size_t bytes);
  // Sends what is left; the device works on it.
  [[nodiscard]] probe::Status Send();
  // Sends the rest and waits for all of it. Also after an error: nothing may still run when the caller goes
  // on.
  [[nodiscard]] probe::Status Finish();

 private:
  Queue(const rt::Api& api, rt::ZeContext context, rt::ZeDevice device, rt::ZeQueue queue,
        std::uint32_t group)
      : api_(api), context_(context), device_(device), queue_(queue), group_(group) {}
  // The list that takes commands now.
  [[nodiscard]] probe::Result<rt::ZeList> Open();
  // Counts what was appended, with a barrier behind it, and sends a list that is full.
  [[nodiscard]] probe::Status Appended(rt::ZeList list);

  rt::Api api_;
  rt::ZeContext context_;
  rt::ZeDevice device_;
  rt::ZeQueue queue_;
  std::uint32_t group_;
  std::vector<rt::ZeList> lists_;  // those before open_ were sent
  std::size_t open_ = 0;
  std::uint32_t appended_ = 0;  // to lists_[open_]
};

class LevelZeroSession final : public Session {
 public:
  // `found` is a device of `driver`; `request` asked for it.
  [[nodiscard]] static probe::Result<std::unique_ptr<Session>> Create(const rt::Api& api, rt::ZeDriver driver,
                                                                      const rt::Found& found,
                                                                      const OpenRequest& request);
  ~LevelZeroSession() override = default;

  [[nodiscard]] const Limits& limits() const override { return limits_; }
  [[nodiscard]] probe::Result<BufferId> Allocate(const BufferRequest& request) override;
  void Release(BufferId buffer) override;
  [[nodiscard]] probe::Status Upload(BufferId buffer, std::uint64_t offset_bytes,
                                     std::span<const std::byte> data) override;
  [[nodiscard]] probe::Status Download(BufferId buffer, std::uint64_t offset_bytes,
                                       std::span<std::byte> data) override;
  [[nodiscard]] probe::Result<KernelId> Load(const kernels::Variant& variant,
                                             const kernels::Step& step) override;
  [[nodiscard]] probe::Result<Timing> Run(std::span<const Launch> launches, std::uint32_t repeats) override;
  [[nodiscard]] probe::Result<HostBuffer> AllocateHost(std::uint64_t bytes) override;
  [[nodiscard]] const Implementation* BroughtDownBy() const override { return account_.culprit(); }
  [[nodiscard]] bool HasWorked() const override { return account_.has_worked(); }
  [[nodiscard]] DeviceState State() const override;
  [[nodiscard]] bool Watch() override;

 private:
  struct LoadedKernel {
    rt::ZeKernel kernel = nullptr;
    std::string entry;
    const stream::ProductType* product = nullptr;  // of a library's, which has no kernel here
  };
  // How the device counts time in the timestamps of its kernels.
  struct Timer {
    double hz = 0;  // 0: nobody tells
    std::uint64_t mask = 0;
  };
  struct Opened {
    rt::ZeDriver driver = nullptr;
    rt::ZeContext context = nullptr;
    rt::ZeDevice device = nullptr;
    std::array<rt::ZeEvent, 2> events{};
    Timer timer;
  };

  LevelZeroSession(const rt::Api& api, const Opened& opened, Queue queue, Limits limits,
                   const OpenRequest& request);
  [[nodiscard]] static probe::Result<std::array<rt::ZeEvent, 2>> CreateEvents(const rt::Api& api,
                                                                              rt::ZeContext context,
                                                                              rt::ZeDevice device);
  [[nodiscard]] probe::Status Copy(void* to, const void* from, std::size_t bytes);
  [[nodiscard]] probe::Result<rt::ZeModule> ModuleOf(std::span<const std::uint32_t> code);
  [[nodiscard]] probe::Result<rt::ZeModule> Build(std::span<const std::uint32_t> code) const;
  [[nodiscard]] std::string LogOf(rt::ZeBuildLog log) const;
  [[nodiscard]] KernelId Keep(const kernels::Variant& variant, LoadedKernel loaded);
  [[nodiscard]] probe::Result<KernelId> LoadProduct(const kernels::Variant& variant,
                                                    const kernels::Step& step);
  // Of launches of a library's products these, ready to be started; nothing of launches of kernels.
  [[nodiscard]] probe::Result<std::vector<stream::Product>> PrepareProducts(std::span<const Launch> launches);
  [[nodiscard]] probe::Result<stream::Product> ProductOf(const Launch& launch,
                                                         const stream::ProductType& type) const;
  [[nodiscard]] probe::Status StartAll(std::span<const stream::Product> products, std::uint32_t repeats);
  [[nodiscard]] probe::Status Prepare(const Launch& launch) const;
  [[nodiscard]] probe::Status LaunchAll(std::span<const Launch> launches, std::uint32_t repeats);
  // Between the beginning of the first event's kernel and the end of the last one's.
  [[nodiscard]] std::optional<double> DeviceSeconds(rt::ZeEvent first, rt::ZeEvent last) const;
  // An error of a call that uses the device.
  [[nodiscard]] probe::Error Failed(probe::Error error);

  rt::Api api_;
  Opened opened_;
  Queue queue_;
  probe::RuntimeDevice record_;
  const probe::system::FileSystem& files_;
  const probe::system::Environment& environment_;
  Limits limits_;
  CulpritAccount account_;
  rt::Sysman sysman_;
  std::optional<std::uint32_t> tile_;         // of its card
  bool watches_ = false;                      // the next run
  std::optional<rt::Clock> seen_;             // while the last one ran that was watched
  BufferTable<std::byte*> buffers_{limits_};  // by their addresses on the device
  std::vector<LoadedKernel> kernels_;
  std::map<const std::uint32_t*, probe::Result<rt::ZeModule>> modules_;  // by their code
  std::optional<probe::Result<OneDnn>> onednn_;  // once asked for; one that failed is not opened again
};

}  // namespace backends::level_zero
