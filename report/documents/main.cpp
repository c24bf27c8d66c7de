// SPDX-License-Identifier: MIT
// whichgpu_documents FOLDER: writes the manual pages and the completions that are installed, and a list of
// the pages. Run by the build.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "probe/registry.h"
#include "report/cli/options.h"
#include "report/documents/documents.h"

namespace {

namespace documents = report::documents;

bool Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code unwritable;  // then the file cannot be opened either
  std::filesystem::create_directories(path.parent_path(), unwritable);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file.fail()) fmt::print(stderr, "whichgpu_documents: {} can not be written\n", path.string());
  return !file.fail();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "whichgpu_documents takes the folder to write to\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::vector<std::string> modules;
  for (const probe::Module& module : probe::Modules()) modules.emplace_back(module.name);
  const auto all = report::DescribeInterface(modules);
  const auto page = [&](const report::InterfaceCommand& of) {
    return Write(folder / "man" / (documents::PageName(of) + ".1"),
                 documents::ManualPage(of, all, WHICHGPU_VERSION));
  };
  bool is_written = page(all.program);
  for (const report::InterfaceCommand& command : all.commands) is_written = page(command) && is_written;
  return is_written && Write(folder / "completions/bash/whichgpu", documents::BashCompletion(all)) &&
                 Write(folder / "completions/zsh/_whichgpu", documents::ZshCompletion(all)) &&
                 Write(folder / "completions/fish/whichgpu.fish", documents::FishCompletion(all))
             ? 0
             : 3;
}
