// SPDX-License-Identifier: MIT
#include "backends/cuda/cuda_module.h"

#include <algorithm>
#include <array>

#include "probe/core/text.h"

namespace backends::cuda {
namespace {

namespace rt = probe::cuda;

constexpr std::size_t kLogBytes = 8192;
constexpr std::size_t kLogTailBytes = 1500;

}  // namespace

probe::Result<rt::CuModule> ModuleCache::Get(std::string_view ptx) {
  const auto known = loaded_.find(ptx.data());
  if (known != loaded_.end()) return known->second;
  return loaded_.emplace(ptx.data(), Load(ptx)).first->second;
}

probe::Result<rt::CuModule> ModuleCache::Load(std::string_view ptx) const {
  std::string log(kLogBytes, '\0');
  std::array options = {rt::kCuJitErrorLog, rt::kCuJitErrorLogBytes};
  // The size travels as the pointer's value: so the interface has it.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(kLogBytes)};
  rt::CuModule module = nullptr;
  const rt::CuResult code = api_.cuModuleLoadDataEx(&module, ptx.data(), 2, options.data(), values.data());
  if (code == rt::kCuSuccess) return module;
  probe::Error error = rt::ErrorOf("cuModuleLoadDataEx", code);
  log.resize(std::min(log.find('\0'), log.size()));
  if (log.size() > kLogTailBytes) log.erase(0, log.size() - kLogTailBytes);
  std::replace(log.begin(), log.end(), '\n', ' ');
  const std::string words = probe::CleanText(log, 2 * kLogTailBytes);
  if (!words.empty()) error.text += (error.text.empty() ? "" : ": ") + words;
  return error;
}

}  // namespace backends::cuda
