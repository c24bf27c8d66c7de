// SPDX-License-Identifier: MIT
#include "probe/intel/ip_version.h"

namespace probe::intel {

std::optional<Ip> IpOf(std::uint32_t version) {
  constexpr std::uint32_t kOldest = 8;  // gen8, the first with these drivers
  const Ip ip{version >> 22U, version >> 14U & 0xffU};
  return ip.architecture >= kOldest ? std::optional(ip) : std::nullopt;
}

std::optional<std::string> ArchitectureOf(std::uint32_t version) {
  const auto ip = IpOf(version);
  if (!ip) return std::nullopt;
  return "ip-" + std::to_string(ip->architecture) + "." + std::to_string(ip->release);
}

}  // namespace probe::intel
