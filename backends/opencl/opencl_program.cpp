// SPDX-License-Identifier: MIT
#include "backends/opencl/opencl_session.h"
#include "probe/core/text.h"

namespace backends::opencl {
namespace {

using probe::opencl::ErrorOf;

constexpr std::size_t kMaxLogBytes = 4U << 20U;

}  // namespace

ProgramCache::~ProgramCache() {
  for (const auto& [key, program] : built_) {
    if (program) api_.clReleaseProgram(*program);
  }
}

probe::Result<cl_program> ProgramCache::Get(std::string_view source, std::string_view options) {
  auto key = std::pair(std::string(source), std::string(options));
  const auto known = built_.find(key);
  if (known != built_.end()) return known->second;
  auto program = Build(key.first, key.second);
  return built_.emplace(std::move(key), std::move(program)).first->second;
}

probe::Result<cl_program> ProgramCache::Build(const std::string& source, const std::string& options) const {
  const char* text = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  const cl_program program = api_.clCreateProgramWithSource(context_, 1, &text, &length, &code);
  if (code != CL_SUCCESS) return ErrorOf("clCreateProgramWithSource", code);
  code = api_.clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  probe::Error error = ErrorOf("clBuildProgram", code);
  error.text = LogOf(program);
  if (error.text.empty()) error.text = "the compiler left no log";
  api_.clReleaseProgram(program);
  return error;
}

std::string ProgramCache::LogOf(cl_program program) const {
  std::size_t size = 0;
  if (api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS ||
      size > kMaxLogBytes) {
    return {};
  }
  std::string log(size, '\0');
  if (api_.clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) !=
      CL_SUCCESS) {
    return {};
  }
  return probe::LogTail(log);
}

}  // namespace backends::opencl
