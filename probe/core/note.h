// SPDX-License-Identifier: MIT
// How a module tells of a device that it shows what is nobody's fault and worth a note, as that programs see
// a part of it alone: by two facts of the device.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "probe/core/device.h"

namespace probe {

inline constexpr std::string_view kNoteFact = "note";              // as the runtime's table of errors has it
inline constexpr std::string_view kNoteTextFact = "note_because";  // the sentence
// The name of the variable that makes the runtime take the device for another, of which a warning tells.
inline constexpr std::string_view kTakenForAnotherFact = "taken_for_another_by";

struct Note {
  std::string name;
  std::string text;
};

inline void AddNote(Note note, RuntimeDevice& device) {
  device.facts.push_back({std::string(kNoteFact), std::move(note.name)});
  device.facts.push_back({std::string(kNoteTextFact), std::move(note.text)});
}

}  // namespace probe
