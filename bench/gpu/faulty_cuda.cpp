// SPDX-License-Identifier: MIT
// A libcuda.so.1 that passes everything on to the machine's own, which lies beside it as libcuda_real.so, but
// has every kernel whose name holds a word of WHICHGPU_FAULTY_KERNELS ("gemm_fp16_128,wgmma_") write where no
// memory is. On a real GPU: bench/gpu_check.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using LoadDataEx = int (*)(void**, const void*, unsigned, int*, void**);

bool IsFaulty(std::string_view name) {
  const char* set = std::getenv("WHICHGPU_FAULTY_KERNELS");
  for (std::string_view rest = set ? set : ""; !rest.empty();) {
    const auto word = rest.substr(0, rest.find(','));
    if (!word.empty() && name.find(word) != name.npos) return true;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return false;
}

// PTX whose faulty entries begin with a store to an address of no memory.
std::string Planted(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry ";
  std::string out;
  for (auto at = ptx.find(kEntry); at != ptx.npos; at = ptx.find(kEntry)) {
    const auto name = ptx.substr(at + kEntry.size(), ptx.find('(', at) - at - kEntry.size());
    const auto body = ptx.find('{', at);
    if (body == ptx.npos) break;
    out += ptx.substr(0, body + 1);
    if (IsFaulty(name)) out += "\n{ .reg .b64 nowhere; mov.b64 nowhere, 64; st.global.b32 [nowhere], 0; }\n";
    ptx.remove_prefix(body + 1);
  }
  return out.append(ptx);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int cuModuleLoadDataEx(void** module, const void* image,
                                                                 unsigned count, int* options,
                                                                 void** values) {
  static const auto real = reinterpret_cast<LoadDataEx>(dlsym(RTLD_NEXT, "cuModuleLoadDataEx"));
  if (!real) return 999;
  const std::string planted = Planted(static_cast<const char*>(image));
  return real(module, planted.c_str(), count, options, values);
}
