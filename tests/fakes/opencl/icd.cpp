// SPDX-License-Identifier: MIT
// The driver's face to the loader: the exported entry points and the dispatch table.
// Interface: cl_khr_icd,
// https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_Ext.html#cl_khr_icd
#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "tests/fakes/opencl/objects.h"

namespace fakes::opencl {
namespace {

[[gnu::constructor]] void OnLoad() { ReachLoad(); }
[[gnu::destructor]] void OnUnload() { ReachTeardown(); }

// A function of the entry's own type that says CL_INVALID_OPERATION the way that its signature allows.
template <class Function>
struct Unsupported;

template <class R, class... Arguments>
struct Unsupported<R (*)(Arguments...)> {
  static R CL_API_CALL Call([[maybe_unused]] Arguments... arguments) {
    if constexpr (std::is_same_v<R, cl_int>) {
      return CL_INVALID_OPERATION;
    } else if constexpr (!std::is_void_v<R>) {
      if constexpr (std::is_same_v<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>,
                                   cl_int*>) {
        cl_int* error = std::get<sizeof...(Arguments) - 1>(std::tuple<Arguments...>(arguments...));
        if (error != nullptr) *error = CL_INVALID_OPERATION;
      }
      return nullptr;
    }
  }
};

// The header has `void*` for entries of other platforms.
template <class Function>
Function StandIn() {
  if constexpr (std::is_same_v<Function, void*>) {
    return reinterpret_cast<void*>(&Unsupported<cl_int (*)()>::Call);
  } else {
    return &Unsupported<Function>::Call;
  }
}

cl_icd_dispatch MakeTable() {
  cl_icd_dispatch table{};
#define FAKE_CL(name) table.name = StandIn<decltype(table.name)>();
#include "tests/fakes/opencl/dispatch.def"
#undef FAKE_CL
#define FAKE_CL(name) #name,
  constexpr std::string_view kNames[] = {
#include "tests/fakes/opencl/dispatch.def"
  };
#undef FAKE_CL
  static_assert(sizeof(table) == std::size(kNames) * sizeof(void*),
                "an entry of the header's table is missing");
  AddPlatform(table);
  AddObjects(table);
  AddCommands(table);
  return table;
}

}  // namespace

cl_icd_dispatch& Dispatch() {
  static cl_icd_dispatch table = MakeTable();
  return table;
}

cl_int At(Point point, std::optional<std::uint32_t> device) {
  return Reach(point, device).value_or(CL_SUCCESS);
}

cl_int Reply(const Answers& answers, cl_uint parameter, std::size_t space, void* value, std::size_t* needed) {
  const auto found = answers.find(parameter);
  if (found == answers.end()) return CL_INVALID_VALUE;
  const std::string& bytes = found->second;
  if (needed != nullptr) *needed = bytes.size();
  if (value == nullptr) return CL_SUCCESS;
  if (space < bytes.size()) return CL_INVALID_VALUE;
  std::memcpy(value, bytes.data(), bytes.size());
  return CL_SUCCESS;
}

}  // namespace fakes::opencl

extern "C" {

[[gnu::visibility("default")]] cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint space,
                                                                         cl_platform_id* platforms,
                                                                         cl_uint* count) {
  if (const cl_int error = fakes::opencl::At(fakes::Point::kInit); error != CL_SUCCESS) return error;
  return fakes::opencl::Dispatch().clGetPlatformIDs(space, platforms, count);
}

[[gnu::visibility("default")]] cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                    cl_platform_info parameter,
                                                                    std::size_t space, void* value,
                                                                    std::size_t* needed) {
  return fakes::opencl::Dispatch().clGetPlatformInfo(platform, parameter, space, value, needed);
}

[[gnu::visibility("default")]] void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR)
                                                          : nullptr;
}

}  // extern "C"
