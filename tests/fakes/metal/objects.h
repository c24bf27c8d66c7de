// SPDX-License-Identifier: MIT
// Objects of the fake Objective-C runtime: each has a class, which knows its methods by their selectors, and
// a count of those who hold it. A message to one that nobody holds, or that it does not understand, ends the
// process, as a crash or an exception of Apple's would.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "probe/metal/metal_declarations.h"
#include "tests/fakes/common/scenario.h"

#define FAKE_METAL extern "C" [[gnu::visibility("default")]]

namespace fakes::metal {

namespace rt = probe::metal;
using rt::Boolean;
using rt::Integer;
using rt::MtlSize;
using rt::Sel;
using rt::UInteger;

struct ClassObject;

struct Object {
  explicit Object(ClassObject* type);  // nullptr of a class that has no methods of its own
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  // What it holds goes when it does.
  virtual void Empty() {}

  ClassObject* isa;
  long references = 1;
};

// A method is a function of the object, the selector and its parameters.
using Method = void (*)();
template <class F>
Method Of(F* function) {
  return reinterpret_cast<Method>(function);
}
struct ClassObject : Object {
  ClassObject(const char* name, std::initializer_list<std::pair<const char*, Method>> methods,
              ClassObject* meta = nullptr);
  std::string name;
  std::map<std::string, Method> methods;
};

[[noreturn]] void Die(const std::string& why);
[[nodiscard]] const std::string& NameOf(Sel selector);
[[nodiscard]] inline rt::Id IdOf(Object* object) { return reinterpret_cast<rt::Id>(object); }
// What an Id means: every object begins with its Object.
template <class T>
T& As(rt::Id id) {
  return static_cast<T&>(*reinterpret_cast<Object*>(id));
}

void Retain(Object* object);
void Release(Object* object);
// Gives it to the pool that is open, and back to whoever asked.
[[nodiscard]] rt::Id Autorelease(Object* object);

[[nodiscard]] Object* NewString(const std::string& text);
[[nodiscard]] const std::string& TextOf(rt::Id string);
[[nodiscard]] Object* NewError(const std::string& domain, Integer code, const std::string& description);
[[nodiscard]] Object* NewArray(std::initializer_list<Object*> objects);
void Add(Object* array, Object* object);  // which it holds

}  // namespace fakes::metal
