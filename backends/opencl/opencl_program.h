// SPDX-License-Identifier: MIT
// Builds OpenCL C for one device and keeps what was built. Runs nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/result.h"
#include "probe/opencl/opencl_api.h"

namespace backends::opencl {

class ProgramCache {
 public:
  ProgramCache(const probe::opencl::Api& api, cl_context context, cl_device_id device)
      : api_(api), context_(context), device_(device) {}
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;
  ~ProgramCache();

  // One build for each pair of source and options; a failed one is not repeated. The error's text ends with
  // the last lines of the compiler's log, cleaned.
  [[nodiscard]] probe::Result<cl_program> Get(std::string_view source, std::string_view options);

 private:
  [[nodiscard]] probe::Result<cl_program> Build(const std::string& source, const std::string& options) const;
  [[nodiscard]] std::string LogTail(cl_program program) const;

  const probe::opencl::Api& api_;
  cl_context context_;
  cl_device_id device_;
  std::map<std::pair<std::string, std::string>, probe::Result<cl_program>> built_;
};

}  // namespace backends::opencl
