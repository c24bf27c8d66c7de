// SPDX-License-Identifier: MIT
// The words of --assume, read and checked one by one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/core/device.h"
#include "probe/core/result.h"
#include "probe/core/vendor_names.h"
#include "report/core/tables.h"

namespace report::assume {

// One text. What it does not say is absent.
struct Words {
  std::optional<std::uint32_t> vendor;  // PCI's number
  bool no_gpu = false;
  std::optional<std::string> name;
  std::string spelling;                       // the name with the blanks that the tables have in it
  std::optional<probe::DeviceKind> kind;      // absent: discrete, as far as anybody knows
  std::optional<probe::PciIds> ids;           // of a known card
  std::string printed;                        // what another tool printed, where the name was taken out of it
  bool is_chip_printed = false;               // the architecture is what that says of the chip
  std::string alias;                          // what was written, where the name is the card's of it
  std::string taken_for;                      // the card, where others are named like it, too
  std::string instead;                        // how to say another one; empty: it is another maker's
  std::string several;                        // of which architectures chips are called so: "ip 9.2, 12.3"
  std::string rates_of;                       // the card of these ids, where the name fits several
  std::optional<std::uint64_t> memory_bytes;  // by its own word, else that of a known card
  bool is_memory_of_rates = false;            // it is that of the card rates_of
  std::optional<std::uint64_t> chip_bytes;    // of a chip that is sold with one size: all that it shares
  std::optional<bool> unified;
  std::optional<std::uint32_t> count;  // absent: one
  std::optional<std::string> driver;
  // Names of installed runtimes with the version that they say, or ""; absent: the maker's own.
  std::optional<std::vector<std::pair<std::string, std::string>>> runtimes;
  const RuntimeFacts* of = nullptr;         // whose table has the key of the architecture
  std::optional<std::string> architecture;  // as probes say it: "sm_89"
  bool is_newer = false;                    // than every architecture that the table knows
  bool is_elsewhere = false;                // that runtime is none of the machine's system
  std::optional<std::uint64_t> ram_bytes;   // the processor's
  std::optional<std::string> os;
  std::optional<std::string> machine;
  std::optional<std::string> libc;
  std::optional<bool> wsl;
  std::optional<bool> container;
};

// The maker that has exactly that name, in whichever letters; nullptr where none has.
[[nodiscard]] const probe::VendorNames* MakerCalled(std::string_view name);

// The error names the key and what would be right.
[[nodiscard]] probe::Result<Words> ReadWords(const Tables& tables, const std::string& text);

}  // namespace report::assume
