// SPDX-License-Identifier: MIT
// A fake Objective-C runtime, and what of Foundation Metal's callers meet.
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <vector>

#include "tests/fakes/metal/device.h"

namespace fakes::metal {
namespace {

long alive = 0;         // objects that somebody holds, but for classes
long without_pool = 0;  // given to a pool where none was open: nobody releases them
std::vector<Object*> pool;
std::vector<std::size_t> pools;  // where each that is open begins

std::map<std::string, ClassObject*>& Classes() {
  static auto* const classes = new std::map<std::string, ClassObject*>;
  return *classes;
}

struct String : Object {
  explicit String(std::string value);
  std::string text;
};
const char* Utf8(String* string, Sel) { return string->text.c_str(); }
// Of what is no UTF-8 it is nil; bytes that it has nowhere stand for all such.
rt::Id StringOfUtf8(ClassObject*, Sel, const char* text) {
  const std::string value = text;
  if (value.find_first_of("\xfe\xff") != std::string::npos) return nullptr;
  return Autorelease(new String(value));
}
ClassObject& StringClass() {
  static auto* const meta = new ClassObject("NSString meta", {{"stringWithUTF8String:", Of(StringOfUtf8)}});
  static auto* const type = new ClassObject("NSString", {{"UTF8String", Of(Utf8)}}, meta);
  return *type;
}
String::String(std::string value) : Object(&StringClass()), text(std::move(value)) {}

struct ErrorObject : Object {
  ErrorObject(std::string given_domain, Integer given_code, std::string given_description);
  std::string domain, description;
  Integer code;
};
Integer Code(ErrorObject* error, Sel) { return error->code; }
rt::Id Domain(ErrorObject* error, Sel) { return Autorelease(new String(error->domain)); }
rt::Id Description(ErrorObject* error, Sel) { return Autorelease(new String(error->description)); }
ClassObject& ErrorClass() {
  static auto* const type = new ClassObject(
      "NSError", {{"code", Of(Code)}, {"domain", Of(Domain)}, {"localizedDescription", Of(Description)}});
  return *type;
}
ErrorObject::ErrorObject(std::string given_domain, Integer given_code, std::string given_description)
    : Object(&ErrorClass()),
      domain(std::move(given_domain)),
      description(std::move(given_description)),
      code(given_code) {}

struct Array : Object {
  Array();
  void Empty() override {
    for (Object* object : objects) Release(object);
    objects.clear();
  }
  std::vector<Object*> objects;
};
UInteger Count(Array* array, Sel) { return array->objects.size(); }
rt::Id ObjectAt(Array* array, Sel, UInteger place) {
  if (place >= array->objects.size()) Die("index beyond bounds");
  return IdOf(array->objects[place]);
}
ClassObject& ArrayClass() {
  static auto* const type =
      new ClassObject("NSArray", {{"count", Of(Count)}, {"objectAtIndex:", Of(ObjectAt)}});
  return *type;
}
Array::Array() : Object(&ArrayClass()) {}

}  // namespace

Object::Object(ClassObject* type) : isa(type) { ++alive; }

ClassObject::ClassObject(const char* given_name,
                         std::initializer_list<std::pair<const char*, Method>> given_methods,
                         ClassObject* meta)
    : Object(meta), name(given_name), methods(given_methods.begin(), given_methods.end()) {
  --alive;
  Classes()[name] = this;
}

void Die(const std::string& why) {
  std::fprintf(stderr, "fake Metal: %s\n", why.c_str());
  std::abort();
}

const std::string& NameOf(Sel selector) { return *reinterpret_cast<const std::string*>(selector); }

void Retain(Object* object) {
  if (object->references <= 0) Die("retain of a " + object->isa->name + " that is gone");
  ++object->references;
}

// One that is gone stays in memory, so that a message to it is found out.
void Release(Object* object) {
  if (object->references <= 0) Die("release of a " + object->isa->name + " that is gone");
  if (--object->references > 0) return;
  --alive;
  object->Empty();
}

rt::Id Autorelease(Object* object) {
  if (pools.empty()) {
    ++without_pool;
  } else {
    pool.push_back(object);
  }
  return IdOf(object);
}

Object* NewString(const std::string& text) { return new String(text); }
const std::string& TextOf(rt::Id string) { return As<String>(string).text; }
Object* NewError(const std::string& domain, Integer code, const std::string& description) {
  return new ErrorObject(domain, code, description);
}
Object* NewArray(std::initializer_list<Object*> objects) {
  auto* array = new Array;
  for (Object* object : objects) Add(array, object);
  return array;
}
void Add(Object* array, Object* object) {
  Retain(object);
  static_cast<Array*>(array)->objects.push_back(object);
}

// Of objc_msgSend: the method, or for nil one that returns nothing but zeros.
extern "C" [[gnu::visibility("hidden")]] void fake_metal_nil();
extern "C" [[gnu::visibility("hidden")]] Method fake_metal_find(Object* object, Sel selector);
Method fake_metal_find(Object* object, Sel selector) {
  if (object == nullptr) return fake_metal_nil;
  if (object->references <= 0) Die(NameOf(selector) + " to a " + object->isa->name + " that is gone");
  const auto found = object->isa->methods.find(NameOf(selector));
  if (found == object->isa->methods.end()) {
    Die("unrecognized selector " + NameOf(selector) + " sent to a " + object->isa->name);
  }
  return found->second;
}

}  // namespace fakes::metal

// Goes on to the method with all arguments as they are: registers that carry some are kept over the search
// for it.
#ifdef __x86_64__
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, @function
objc_msgSend:
  endbr64
  pushq %rbp
  movq %rsp, %rbp
  subq $176, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rcx, 24(%rsp)
  movq %r8, 32(%rsp)
  movq %r9, 40(%rsp)
  movups %xmm0, 48(%rsp)
  movups %xmm1, 64(%rsp)
  movups %xmm2, 80(%rsp)
  movups %xmm3, 96(%rsp)
  call fake_metal_find
  movq %rax, %r11
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  movq 24(%rsp), %rcx
  movq 32(%rsp), %r8
  movq 40(%rsp), %r9
  movups 48(%rsp), %xmm0
  movups 64(%rsp), %xmm1
  movups 80(%rsp), %xmm2
  movups 96(%rsp), %xmm3
  leave
  jmp *%r11
  .size objc_msgSend, . - objc_msgSend
  .globl objc_msgSend_stret
  .type objc_msgSend_stret, @function
objc_msgSend_stret:
  endbr64
  pushq %rbp
  movq %rsp, %rbp
  subq $32, %rsp
  movq %rdi, (%rsp)
  movq %rsi, 8(%rsp)
  movq %rdx, 16(%rsp)
  movq %rsi, %rdi
  movq %rdx, %rsi
  call fake_metal_find
  movq %rax, %r11
  movq (%rsp), %rdi
  movq 8(%rsp), %rsi
  movq 16(%rsp), %rdx
  leave
  jmp *%r11
  .size objc_msgSend_stret, . - objc_msgSend_stret
  .globl fake_metal_nil
  .hidden fake_metal_nil
fake_metal_nil:
  endbr64
  xorl %eax, %eax
  xorps %xmm0, %xmm0
  ret
)");
#else
asm(R"(
  .text
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend:
  stp x29, x30, [sp, #-160]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  bl fake_metal_find
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp x29, x30, [sp], #160
  br x16
  .size objc_msgSend, . - objc_msgSend
  .globl fake_metal_nil
  .hidden fake_metal_nil
fake_metal_nil:
  mov x0, #0
  movi d0, #0
  ret
)");
#endif

using namespace fakes::metal;  // NOLINT: the entry points below are C

FAKE_METAL rt::Class objc_getClass(const char* name) {
  (void)StringClass();
  NameCompileOptions();
  const auto found = Classes().find(name);
  return found == Classes().end() ? nullptr
                                  : reinterpret_cast<rt::Class>(static_cast<Object*>(found->second));
}
FAKE_METAL Sel sel_registerName(const char* name) {
  static auto* const names = new std::set<std::string>;
  return reinterpret_cast<Sel>(const_cast<std::string*>(&*names->insert(name).first));
}
FAKE_METAL rt::Class object_getClass(rt::Id object) {
  if (object == nullptr) return nullptr;
  return reinterpret_cast<rt::Class>(static_cast<Object*>(As<Object>(object).isa));
}
FAKE_METAL Boolean class_respondsToSelector(rt::Class type, Sel selector) {
  if (type == nullptr) return 0;
  return As<ClassObject>(reinterpret_cast<rt::Id>(type)).methods.contains(NameOf(selector)) ? 1 : 0;
}
FAKE_METAL rt::Id objc_retain(rt::Id object) {
  if (object != nullptr) Retain(&As<Object>(object));
  return object;
}
FAKE_METAL void objc_release(rt::Id object) {
  if (object != nullptr) Release(&As<Object>(object));
}
FAKE_METAL void* objc_autoreleasePoolPush() {
  pools.push_back(pool.size());
  return std::bit_cast<void*>(pools.size());
}
FAKE_METAL void objc_autoreleasePoolPop(void* token) {
  const auto place = reinterpret_cast<std::size_t>(token);
  if (place == 0 || place > pools.size()) Die("a pool that is not open is closed");
  const std::size_t first = pools[place - 1];
  while (pool.size() > first) {
    Object* object = pool.back();
    pool.pop_back();
    Release(object);
  }
  pools.resize(place - 1);
}

// For tests: objects that somebody holds, and those that were given to no pool.
FAKE_METAL long fake_metal_alive() { return alive; }
FAKE_METAL long fake_metal_without_pool() { return without_pool; }
