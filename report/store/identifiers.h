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
// Runs of 32 or more hexadecimal digits, as container runtimes, pods and machines are numbered by, UUIDs of
// pods, names of LXC's containers. A pseudonym is as long as its id.
void ReplaceContainers(std::string& text);
void ReplaceNetworkAddresses(std::string& text);

}  // namespace report
