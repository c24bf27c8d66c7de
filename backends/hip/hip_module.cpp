// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "backends/hip/hip_runtime.h"
#include "probe/core/text.h"

namespace backends::hip {
namespace {

namespace rt = probe::hip;

constexpr std::size_t kMaxLogBytes = 1U << 20U;
constexpr std::size_t kMaxCodeBytes = 64U << 20U;

// A program, gone with its scope.
class Program {
 public:
  Program(const rt::Compiler& compiler, const char* source) : compiler_(compiler) {
    code_ = compiler.hiprtcCreateProgram(&program_, source, "whichgpu.hip", 0, nullptr, nullptr);
  }
  ~Program() {
    if (code_ == rt::kHiprtcSuccess) (void)compiler_.hiprtcDestroyProgram(&program_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] rt::HiprtcResult code() const { return code_; }
  [[nodiscard]] rt::HipProgram get() const { return program_; }

  [[nodiscard]] std::string Log() const {
    std::size_t bytes = 0;
    if (compiler_.hiprtcGetProgramLogSize(program_, &bytes) != rt::kHiprtcSuccess || bytes > kMaxLogBytes)
      return {};
    std::string log(bytes, '\0');
    if (compiler_.hiprtcGetProgramLog(program_, log.data()) != rt::kHiprtcSuccess) return {};
    return probe::LogTail(log);
  }

 private:
  const rt::Compiler& compiler_;
  rt::HipProgram program_ = nullptr;
  rt::HiprtcResult code_;
};

}  // namespace

probe::Result<rt::HipModule> ModuleCache::Get(std::string_view source) {
  const auto known = loaded_.find(source.data());
  if (known != loaded_.end()) return known->second;
  return loaded_.emplace(source.data(), Load(std::string(source))).first->second;
}

probe::Result<std::string> ModuleCache::Compile(const std::string& source) const {
  if (!compiler_) return compiler_.error();
  const Program program(*compiler_, source.c_str());
  if (program.code() != rt::kHiprtcSuccess) return rt::CompilerErrorOf("hiprtcCreateProgram", program.code());
  const std::string target = "--offload-arch=" + target_;
  std::vector<const char*> options = {target.c_str(), "-std=c++17", "-O3"};
  const std::string dies = "-DXCC_COUNT=" + std::to_string(xcc_count_);
  options.push_back(dies.c_str());
  // RDNA's compute units work alone: with a pair's, a barrier drops what is being fetched from their caches.
  if (target_.starts_with("gfx1")) options.push_back("-mcumode");
  const auto compiled =
      compiler_->hiprtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());
  if (compiled != rt::kHiprtcSuccess) {
    probe::Error error = rt::CompilerErrorOf("hiprtcCompileProgram " + target, compiled);
    const std::string words = program.Log();
    if (!words.empty()) error.text += (error.text.empty() ? "" : ": ") + words;
    return error;
  }
  std::size_t bytes = 0;
  if (const auto code = compiler_->hiprtcGetCodeSize(program.get(), &bytes); code != rt::kHiprtcSuccess)
    return rt::CompilerErrorOf("hiprtcGetCodeSize", code);
  if (bytes == 0 || bytes > kMaxCodeBytes)
    return probe::Error{"hiprtcGetCodeSize", std::nullopt, "no code", std::to_string(bytes) + " bytes"};
  std::string image(bytes, '\0');
  if (const auto code = compiler_->hiprtcGetCode(program.get(), image.data()); code != rt::kHiprtcSuccess)
    return rt::CompilerErrorOf("hiprtcGetCode", code);
  return image;
}

probe::Result<rt::HipModule> ModuleCache::Load(const std::string& source) const {
  const auto image = Compile(source);
  if (!image) return image.error();
  rt::HipModule module = nullptr;
  const auto code = rt::Told(api_, api_.hipModuleLoadData(&module, image->data()));
  if (code != rt::kHipSuccess) return rt::ErrorOf("hipModuleLoadData", code);
  return module;
}

}  // namespace backends::hip
