// SPDX-License-Identifier: MIT
#include "probe/system/device_node.h"

#include <utility>

namespace probe::system {

DeviceNode CheckNode(const FileSystem& files, std::string path) {
  DeviceNode node;
  node.path = std::move(path);
  node.exists = files.Exists(node.path);
  if (!node.exists) return node;
  const auto opened = files.TryOpen(node.path);
  node.openable = opened.ok();
  if (!opened) node.open_error = opened.error().name;
  return node;
}

}  // namespace probe::system
