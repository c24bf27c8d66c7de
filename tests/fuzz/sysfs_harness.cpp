// SPDX-License-Identifier: MIT
// A machine's /sys, /proc and /dev, as every module that reads files only sees them.
#include <array>
#include <string>

#include "probe/amd/amd.h"
#include "probe/core/codec.h"
#include "probe/core/fields.h"
#include "probe/registry.h"
#include "probe/system/host.h"
#include "probe/unify/unify.h"
#include "report/run/load.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_tree.h"

namespace {

using fuzz::Require;

// Runs the probe and requires a report that a parent would read as it was sent.
probe::ProbeReport Probed(const probe::Module& module, const fuzz::ScratchTree& tree) {
  probe::ProbeReport report;
  report.module = module.name;
  const auto take = [&](const probe::ProbeEvent& event) {
    probe::Apply(fuzz::Must(probe::DecodeEvent(probe::EncodeEvent(event))), report);
  };
  module.probe({tree.files(), tree.environment(), std::nullopt, take});
  probe::Conclude(report);
  return report;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::ScratchTree tree;
  tree.Become(fuzz::AsText(data, size));
  std::vector<probe::ProbeReport> reports;
  for (const probe::Module& module : probe::Modules()) {
    if (!module.loads_vendor_code) reports.push_back(Probed(module, tree));
  }
  const auto devices = probe::unify::Unify(reports);
  Require(!devices.empty(), "there always is a processor");
  for (const auto& device : devices) fuzz::RequireLine(device.id);
  for (const auto& node : probe::amd::ReadKfdNodes(tree.files()))
    if (node.target) fuzz::RequireLine(*node.target);
  const auto host = probe::system::DescribeHost(tree.files(), tree.environment());
  for (const auto& text : {host.name, host.os, host.kernel, host.container, host.virtualization})
    if (text) fuzz::RequireLine(*text);
  const auto busy = probe::system::BusySeconds(tree.files(), {});
  Require(!busy || *busy >= 0, "processors were busy for no negative time");
  return 0;
}
