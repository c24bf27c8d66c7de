// SPDX-License-Identifier: MIT
// Identifiers that are known by their form: UUIDs, numbers of chips, ids of containers, addresses of network
// cards. Each function replaces all of a text by pseudonyms of the same form, equal ones by equal ones.
#pragma once

#include <string>
#include <string_view>

namespace report {

[[nodiscard]] bool IsWordCharacter(char c);
// Replaces `from` where it stands as a word of its own.
void ReplaceWord(std::string& text, std::string_view from, std::string_view to);

void ReplaceUuids(std::string& text);
// Numbers that AMD gives its chips.
void ReplaceChipNumbers(std::string& text);
// Ids of 64 hexadecimal digits, UUIDs of pods, names of LXC's containers.
void ReplaceContainers(std::string& text);
void ReplaceNetworkAddresses(std::string& text);

}  // namespace report
