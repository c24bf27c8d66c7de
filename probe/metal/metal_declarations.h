// SPDX-License-Identifier: MIT
// The few declarations of the Objective-C runtime and of Metal that are called. Names, types and numbers are
// Apple's, from its documentation ("Objective-C Runtime", "Metal", "IOKit", "Core Foundation") and the
// headers that it describes: objc/runtime.h, objc/message.h, MTLDevice.h, MTLResource.h, MTLCommandBuffer.h,
// MTLLibrary.h. Objects are told apart by what is sent to them, as the language itself does.
#pragma once

#include <cstddef>
#include <cstdint>

namespace probe::metal {

using Id = struct ObjectTag*;  // an object, or nil
using Class = struct ClassTag*;
using Sel = struct SelectorTag*;
using Boolean = unsigned char;   // BOOL: one byte on every system
using UInteger = std::uint64_t;  // NSUInteger of 64-bit systems
using Integer = std::int64_t;    // NSInteger

using IoObject = unsigned int;  // io_object_t, a port of Mach
using CfType = const void*;     // CFTypeRef

struct MtlSize {
  UInteger width, height, depth;
};

namespace functions {
Class objc_getClass(const char* name);
Sel sel_registerName(const char* name);
Class object_getClass(Id object);
Boolean class_respondsToSelector(Class type, Sel selector);
// Called as what the method is: by a pointer to a function of the receiver, the selector and the method's
// parameters.
void objc_msgSend();
void objc_msgSend_stret();
Id objc_retain(Id object);
void objc_release(Id object);
void* objc_autoreleasePoolPush();
void objc_autoreleasePoolPop(void* pool);
Id MTLCopyAllDevices();
CfType IORegistryEntryIDMatching(std::uint64_t entry_id);
IoObject IOServiceGetMatchingService(IoObject main_port, CfType matching);  // which it releases
CfType IORegistryEntryCreateCFProperty(IoObject entry, CfType key, CfType allocator, std::uint32_t options);
int IOObjectRelease(IoObject object);
CfType CFStringCreateWithCString(CfType allocator, const char* text, std::uint32_t encoding);
unsigned long CFGetTypeID(CfType object);
unsigned long CFNumberGetTypeID();
Boolean CFNumberGetValue(CfType number, long type, void* value);
void CFRelease(CfType object);
}  // namespace functions

inline constexpr IoObject kIoMainPortDefault = 0;
inline constexpr std::uint32_t kCfStringEncodingUtf8 = 0x08000100;
inline constexpr long kCfNumberSInt64Type = 4;

// MTLGPUFamily.
inline constexpr Integer kMtlGpuFamilyApple1 = 1001;  // the others follow it
inline constexpr Integer kMtlGpuFamilyMac2 = 2002;
inline constexpr Integer kMtlGpuFamilyMetal3 = 5001;
inline constexpr Integer kMtlGpuFamilyMetal4 = 5002;

// MTLDeviceLocation.
inline constexpr UInteger kMtlDeviceLocationBuiltIn = 0;
inline constexpr UInteger kMtlDeviceLocationSlot = 1;
inline constexpr UInteger kMtlDeviceLocationExternal = 2;

// MTLResourceOptions: the processor and the GPU see one memory, or the GPU alone sees it.
inline constexpr UInteger kMtlResourceStorageModeShared = 0;
inline constexpr UInteger kMtlResourceStorageModePrivate = 2U << 4U;

// MTLLanguageVersion: of macOS 11, with SIMD-group matrices; of macOS 14, with bfloat.
inline constexpr UInteger kMtlLanguageVersion2_3 = (2U << 16U) + 3;
inline constexpr UInteger kMtlLanguageVersion3_1 = (3U << 16U) + 1;

// MTLCommandBufferStatus.
inline constexpr UInteger kMtlCommandBufferStatusCompleted = 4;

}  // namespace probe::metal
