// SPDX-License-Identifier: MIT
// The few distinctions between devices that decide: what is a GPU, what only pretends to be another device,
// which measurements belong to which way of reaching one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report {

// The module of processors, which every build has; and the id of the processor, be it listed or not.
inline constexpr std::string_view kProcessorRuntime = "cpu";
inline constexpr std::string_view kProcessorId = "cpu:0";

// Hardware, or a driver that claims such: discrete, integrated, or unknown with a view that says so, or of a
// maker of GPUs and without a view. Not management graphics, virtual displays, NPUs or the processor.
[[nodiscard]] bool IsGpu(const probe::PhysicalDevice& device);

// Why nobody can say that there is no GPU where none was found: the machine was not looked through. Empty
// where it was.
[[nodiscard]] std::string WhyNotLooked(const Report& report);

// How a view is matched that no probe saw: the caller's program brings the runtime, and the kernel has its
// driver for the device.
inline constexpr std::string_view kBrought = "target";
// The same where this build has no module to look for the runtime, be it installed or not.
inline constexpr std::string_view kUnseen = "unseen";
// And where a runtime shows the device and could not be measured, for a reason that the program never meets.
inline constexpr std::string_view kOwnRuntime = "own_runtime";
inline constexpr std::string_view kOwnCode = "own_code";
[[nodiscard]] inline bool IsSpared(const probe::View& view) {
  return view.matched_by == kOwnRuntime || view.matched_by == kOwnCode;
}
[[nodiscard]] inline bool IsSupposed(const probe::View& view) {
  return view.matched_by == kBrought || view.matched_by == kUnseen || IsSpared(view);
}

// "ANV Mesa 25.2.6"; of a way that no probe saw: why.
[[nodiscard]] std::string DriverText(const probe::View& view);

// What a described machine's devices have in the place of a driver's name: nobody said it.
inline constexpr std::string_view kDescribed = "assumed";

// The view computes on the host processor by way of a runtime that is made for other devices.
[[nodiscard]] bool IsSoftware(const probe::PhysicalDevice& device, const probe::View& view);

// What it is of a card that is divided (MIG instance, tile, compute partition); nullopt of a whole one.
[[nodiscard]] std::optional<std::string> PartitionOf(const probe::PhysicalDevice& device);

// Two GPUs of one model, or two partitions of such, with as much memory and as many compute units, reached in
// the same ways by the same drivers: what one can do says what to expect of the other.
[[nodiscard]] bool AreEqualGpus(const probe::PhysicalDevice& a, const probe::PhysicalDevice& b);

// The PCI vendor, of the hardware or as a runtime says it; nullopt where neither knows.
[[nodiscard]] std::optional<std::uint32_t> VendorOf(const probe::PhysicalDevice& device);

// Of its memory: what this process may use, else what is free, else all. nullopt where nobody says.
[[nodiscard]] std::optional<double> AvailableBytes(const probe::PhysicalDevice& device);
// The same by way of one view. Runtimes see different parts of the memory that a GPU shares with the
// processor: there it is what the view says itself, as long as it says anything.
[[nodiscard]] std::optional<double> AvailableBytes(const probe::PhysicalDevice& device,
                                                   const probe::View& view);

// Whether the caller's terms, but for his program's, leave the way to the device for an answer.
[[nodiscard]] bool IsLeft(const Tables& tables, const Terms& terms, const probe::PhysicalDevice& device,
                          const probe::View& view);
// Whether the device's total is a part of the memory that is set apart for an integrated GPU, beside which
// the kernel lends it more of the host's.
[[nodiscard]] bool HasCarveOut(const probe::PhysicalDevice& device);
// Of an integrated GPU the bytes that are free of its own part of the memory; 0 where it has none.
[[nodiscard]] double OwnFreeBytes(const probe::PhysicalDevice& device);

// Whether less of its memory is free than a device has that nobody uses.
[[nodiscard]] bool IsMostlyHeld(const probe::PhysicalDevice& device);

// nullptr where no device has that id. Fast where they are sorted as unification sorts them.
[[nodiscard]] const probe::PhysicalDevice* FindDevice(std::span<const probe::PhysicalDevice> devices,
                                                      std::string_view id);
// What people call it: its plain name, with the id behind where others have the same one; the id where it has
// none.
[[nodiscard]] std::string DeviceName(std::span<const probe::PhysicalDevice> devices, const std::string& id);
// "2 x NVIDIA H200, Tesla T4 and 3 more"; of one alone its name as above.
[[nodiscard]] std::string NamesOf(std::span<const probe::PhysicalDevice> devices,
                                  const std::vector<const probe::PhysicalDevice*>& some);
// Whether a card of its own memory is of no use in this report because most of that is somebody's: the work
// would have room in the whole of it. `use`: this work alone, else any.
[[nodiscard]] bool IsFull(const Report& report, const probe::PhysicalDevice& device,
                          std::optional<Use> use = std::nullopt);
// Why nothing is known of a device that no way makes eligible, for this use or for any: its first way that no
// trouble rules out, and that lacked time or free memory before all ran that would tell, or of which none was
// to run ("" where no more is to be said). nullopt without such a way.
[[nodiscard]] std::optional<std::string> WhyUnknown(const Report& report, const probe::PhysicalDevice& device,
                                                    std::optional<Use> use = std::nullopt);
// Whether a kernel came to an end, good or bad, by any of its ways.
[[nodiscard]] bool WasTried(const Report& report, const probe::PhysicalDevice& device);
// Whether a kernel was right there.
[[nodiscard]] bool HasRun(const Report& report, const probe::PhysicalDevice& device, const probe::View& view);
// Whether it is known that the way can not be taken: work that scores rest on came to no good where there was
// room for it, or the device is not what it claims.
[[nodiscard]] bool IsRuledOut(const Report& report, const probe::PhysicalDevice& device,
                              const probe::View& view);
// Whether such work did, and nothing makes the way one to be taken.
[[nodiscard]] bool HasFailed(const Report& report, const probe::PhysicalDevice& device,
                             const probe::View& view);
// Whether one was, and the way may be taken, be there a published program for it or not; unknown: none ran
// that would tell.
enum class Usability { kNo, kUnknown, kYes };
[[nodiscard]] Usability UsabilityOf(const Report& report, const probe::PhysicalDevice& device,
                                    const probe::View& view);
// How many GPUs equal that one, with it; 0 of what is no GPU.
[[nodiscard]] std::size_t CountEqualGpus(std::span<const probe::PhysicalDevice> devices,
                                         const probe::PhysicalDevice& device);
// How much of the time a card was used when it was found, by whichever source knows: the kernel or one of its
// runtimes; nullptr for none.
[[nodiscard]] const probe::Fact* UtilizationOf(const probe::PhysicalDevice& device);
// Whether others were seen to compute on it then, or to hold memory there. Of another container's or user's
// processes nobody may tell.
[[nodiscard]] bool IsSeenInUse(const probe::PhysicalDevice& device);

// How a way was judged for a use, of any driver where `driver` is empty; nullptr where it was not.
[[nodiscard]] const Score* FindScore(const Report& report, Use use, std::string_view device_id,
                                     std::string_view runtime, std::string_view driver);
// The same of the way that is recommended.
[[nodiscard]] const Score* ScoreOf(const Report& report, const Recommendation& answer);

// Whether a finding is about this device, alone or among others.
[[nodiscard]] bool IsAbout(const Finding& finding, std::string_view device_id);
[[nodiscard]] const probe::View* FindView(const probe::PhysicalDevice& device, std::string_view runtime,
                                          std::string_view driver);

// Those of one way to reach one device, in their order.
[[nodiscard]] std::vector<const backends::Measurement*> MeasurementsOf(
    std::span<const backends::Measurement> all, std::string_view device_id, std::string_view runtime,
    std::string_view driver);

// Answers MeasurementsOf for many ways: looks at each measurement once. What it was made of must outlive it.
class MeasurementIndex {
 public:
  explicit MeasurementIndex(std::span<const backends::Measurement> all);
  [[nodiscard]] std::vector<const backends::Measurement*> Of(std::string_view device_id,
                                                             std::string_view runtime,
                                                             std::string_view driver) const;
  // By whichever way.
  [[nodiscard]] std::vector<const backends::Measurement*> Of(std::string_view device_id) const;

 private:
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
           std::vector<const backends::Measurement*>>
      by_way_;
};

// Whether a figure of the score's way is of a kind that such scores rest on.
[[nodiscard]] bool ScoresBy(const backends::Measurement& measurement, const Score& score);

// The verified figures that the score rests on: of its own way or, of a split model, of the one that has the
// rest of it.
enum class Side { kOwn, kRest };
[[nodiscard]] std::vector<const backends::Measurement*> FiguresBehind(const Report& report,
                                                                      const Score& score, Side side);

// Whether a figure that the score rests on is noisy.
[[nodiscard]] bool IsNoisy(const Report& report, const Score& score);
// Whether its speed is known within its range alone, and is printed as that everywhere: it is noisy, or is an
// estimate that spans a power of ten.
[[nodiscard]] bool IsRangeAlone(const Report& report, const Score& score);

// By a kernel of this tool, not by a library that was found.
[[nodiscard]] bool IsOwn(const backends::Measurement& measurement);

// Whether a kernel has implementations of this tool, each of which may be wrong by itself: without one of
// them the rest can be measured.
[[nodiscard]] bool HasImplementations(kernels::Kernel kernel);

// Of all the devices that a runtime joins, whichever its row names; what joins two has a peer, and what fails
// before that no implementation.
[[nodiscard]] bool IsAllReduce(const backends::Measurement& measurement);

// The kernel ran, its result was checked and it has a positive finite rate.
[[nodiscard]] bool IsVerified(const backends::Measurement& measurement);

// What scores rest on: the product of a type that they count with, and the memory's reads.
[[nodiscard]] bool IsScored(const backends::Measurement& measurement);

// It was not tried, or failed, for want of the device's memory.
[[nodiscard]] bool IsForWantOfMemory(const backends::Measurement& measurement);

// Something went wrong with it: it did not just lose, nor was it left out or cut short.
[[nodiscard]] bool IsTrouble(const backends::Measurement& measurement);

// The rows of a prompt: the shape at which scoring wants the product, beside the square one.
inline constexpr std::uint32_t kPromptRows = 512;

// Of one type of operands, the verified product at the prompt's shape or, without one, the fastest; nullptr
// where none was verified.
[[nodiscard]] const backends::Measurement* PromptProductIn(
    kernels::Dtype dtype, std::span<const backends::Measurement* const> of_one_way);

// The verified product that tells how fast a prompt is read: of the types that scoring uses (fp32, fp16,
// bf16) the fastest, each by PromptProductIn. nullptr where no product was verified.
[[nodiscard]] const backends::Measurement* PromptProduct(
    std::span<const backends::Measurement* const> of_one_way);

// What a figure is called beside the others of its way: FigureName, but "fp32 prompt product" of the product
// at the prompt's shape where a square one of its type was faster and has the name.
[[nodiscard]] std::string FigureLabel(const backends::Measurement& measurement,
                                      std::span<const backends::Measurement* const> of_one_way);

// The ids of those that others are part of.
[[nodiscard]] std::set<std::string> ParentIds(std::span<const probe::PhysicalDevice> devices);
// Whether its parts are what is used: nothing reaches the whole. `parents`: the ids above.
[[nodiscard]] bool IsUsedByParts(const std::set<std::string>& parents, const probe::PhysicalDevice& device);

// The runtime, and its driver where several drivers of the runtime reach the device: "vulkan (AMDVLK)".
[[nodiscard]] std::string RuntimeName(std::span<const probe::PhysicalDevice> devices,
                                      std::string_view device_id, std::string_view runtime,
                                      std::string_view driver);

// "vulkan@pci:0000:01:00.0", with the runtime as RuntimeName says it.
[[nodiscard]] std::string WayName(std::span<const probe::PhysicalDevice> devices, std::string_view device_id,
                                  std::string_view runtime, std::string_view driver);

// What a device was while it was measured, of all its figures: the highest that were seen, and the fastest
// link. Idle cards lower theirs.
struct AtWork {
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<probe::PcieLink> pcie;
};
[[nodiscard]] AtWork AtWorkOf(std::span<const backends::Measurement> measurements,
                              std::string_view device_id);

}  // namespace report
