// SPDX-License-Identifier: MIT
#include "tests/fakes/cuda/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

namespace fakes::cuda {
namespace {

auto Address(const Slot& slot) {
  const PciBus pci = slot.gpu->pci.value_or(PciBus{});
  return std::tuple(pci.domain, pci.bus, pci.device, pci.function);
}

std::vector<Slot> All() {
  std::vector<Slot> slots;
  slots.reserve(Current().devices.size());
  for (std::uint32_t i = 0; i < Current().devices.size(); ++i)
    slots.push_back({&Current().devices[i], nullptr, i});
  return slots;
}

std::vector<Slot> InCudaOrder() {
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  return order != nullptr && std::string_view(order) == "PCI_BUS_ID" ? ByAddress() : All();
}

// Whole GPUs; without any the first instance.
std::vector<Slot> Default(const std::vector<Slot>& all) {
  std::vector<Slot> out;
  for (const Slot& slot : all) {
    const bool works = Get(*slot.gpu, "nvml_handle", 0) == 0 && Get(*slot.gpu, "mig", 0) == 0;
    if (works && slot.gpu->partitions.empty()) out.push_back(slot);
  }
  const auto divided =
      std::find_if(all.begin(), all.end(), [](const Slot& slot) { return !slot.gpu->partitions.empty(); });
  if (out.empty() && divided != all.end())
    out.push_back({divided->gpu, &divided->gpu->partitions[0], divided->index});
  return out;
}

// An abbreviated UUID has to name one GPU alone (CUDA Programming Guide, CUDA_VISIBLE_DEVICES: "enough digits
// from the beginning of the GPU UUID to uniquely identify that GPU"); one that names several is as invalid as
// one that names none, as PyTorch, which counts devices without the driver, has found it to be
// (torch/cuda/__init__.py, uuid_to_ordinal).
const Slot* Named(const std::vector<Slot>& candidates, const std::string& entry) {
  const Slot* named = nullptr;
  for (const Slot& slot : candidates) {
    if (entry.size() <= 4 || !UuidText(slot).starts_with(entry)) continue;
    if (named != nullptr) return nullptr;
    named = &slot;
  }
  return named;
}

// As strtoul reads it: what follows the digits is left.
std::optional<std::size_t> Number(const std::string& entry) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(entry.c_str(), &end, 10);
  if (end == entry.c_str() || entry.find('-') != std::string::npos) return std::nullopt;
  return number;
}

std::vector<Slot> Chosen(const std::vector<Slot>& all, const std::string& value) {
  const std::vector<Slot> whole = Default(all);
  std::vector<Slot> candidates = all;
  for (const Slot& slot : all) {
    for (const Device& instance : slot.gpu->partitions)
      candidates.push_back({slot.gpu, &instance, slot.index});
  }
  std::vector<Slot> out;
  std::istringstream entries(value);
  bool first_is_number = false;
  for (std::string entry; std::getline(entries, entry, ',');) {
    const Slot* slot = nullptr;
    const auto index = Number(entry);
    if (out.empty()) first_is_number = index.has_value();
    if (index.has_value() != first_is_number) break;
    if (index && *index < whole.size()) slot = &whole[*index];
    if (!index) slot = Named(candidates, entry);
    if (slot == nullptr) break;
    if (std::any_of(out.begin(), out.end(), [&](const Slot& s) { return &s.self() == &slot->self(); }))
      return {};
    out.push_back(*slot);
    if (slot->instance != nullptr) break;  // one instance a process
  }
  return out;
}

}  // namespace

std::vector<Slot> ByAddress() {
  std::vector<Slot> slots = All();
  std::stable_sort(slots.begin(), slots.end(),
                   [](const Slot& a, const Slot& b) { return Address(a) < Address(b); });
  return slots;
}

const std::vector<Slot>& Visible() {
  static const std::vector<Slot> visible = [] {
    const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
    return value == nullptr ? Default(InCudaOrder()) : Chosen(InCudaOrder(), value);
  }();
  return visible;
}

std::int64_t Get(const Device& device, const std::string& attribute, std::int64_t otherwise) {
  const auto found = device.attributes.find(attribute);
  return found == device.attributes.end() ? otherwise : found->second;
}

std::int64_t GetOfDriver(const std::string& attribute, std::int64_t otherwise) {
  const auto found = Current().attributes.find(attribute);
  return found == Current().attributes.end() ? otherwise : found->second;
}

std::string UuidText(const Slot& slot) {
  std::string text = slot.instance != nullptr ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < slot.self().uuid.size(); ++i) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned>(slot.self().uuid[i]));
    text += pair;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace fakes::cuda
