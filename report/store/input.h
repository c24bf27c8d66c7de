// SPDX-License-Identifier: MIT
// Files that a person names on the command line, read and, where two are compared, compared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "probe/core/json.h"
#include "probe/core/result.h"
#include "report/core/comparison.h"
#include "report/core/tables.h"
#include "report/core/targets.h"

namespace report {

inline constexpr std::size_t kMaxTextFileBytes = 64U << 20U;

// "<path>: <text>", the path made safe to print.
[[nodiscard]] probe::Error FileError(const std::string& path, std::string_view text);
// The same of what may be standard input, and is called so then.
[[nodiscard]] probe::Error InputError(const std::string& path, std::string_view text);

// The name of standard input, POSIX utility syntax guideline 13.
inline constexpr std::string_view kStandardInput = "-";
// What messages and comparisons call an input: its path, or "standard input".
[[nodiscard]] std::string InputName(const std::string& path);

// Pipes are read to their end; whoever accepts them must be ready to wait for it.
enum class Accepted { kFiles, kFilesAndPipes };

// The whole regular file, or where that is accepted, the pipe or standard input. The error is one line that
// names it: missing, unreadable, no file, too large.
[[nodiscard]] probe::Result<std::string> ReadTextFile(const std::string& path,
                                                      Accepted accepted = Accepted::kFiles);

// The one JSON document in it. The error says where it breaks: `kind` ("not what ... prints: ") stands before
// what is wrong with its content. Keys that stand twice in an object and texts longer than any that this tool
// writes are refused, for no reader can know which one was meant, or what was cut off.
[[nodiscard]] probe::Result<probe::Json> ReadJsonFile(const std::string& path, std::string_view kind,
                                                      Accepted accepted = Accepted::kFiles);

// The model that a person wants predicted in the place of the reference's.

// A file with keys of data/reference_request.json, {"inference": {"layers": 28}}; what it leaves out is as
// there, but for training's weights and adapters, which grow with the parameters. A new model names its
// parameters and bytes, a new format its type of weights and bytes. The error is one line that names the file
// and the key: no such key, no whole number from 1 to 1e15 (of layers, width and tokens to 1e7), no type of
// weights, or what is missing.
[[nodiscard]] probe::Result<ReferenceRequest> ReadRequest(const std::string& path);

// The builds of a program: of the file NAME.json in `directory`, where that is given and there, else this
// build's own. The error is one line that names the file and the key, or the programs that are known.
[[nodiscard]] probe::Result<TargetTable> ReadTarget(const std::string& name,
                                                    const std::optional<std::string>& directory);

// `whichgpu compare`: reads two reports and holds them against each other.

// What `whichgpu --json` printed into this file. The error is one line that names the file and what is wrong
// with it.
[[nodiscard]] probe::Result<MeasuredReport> ReadReport(const std::string& file);

// Both files, compared; `created` is now.
[[nodiscard]] probe::Result<Comparison> CompareFiles(const std::string& base, const std::string& other,
                                                     const std::string& tool_version);

}  // namespace report
