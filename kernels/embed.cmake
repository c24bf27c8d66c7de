# SPDX-License-Identifier: MIT
# Turns text files into constants: embed_text(<target> <namespace> <header> <name>=<file>...) generates
# <header> and its source, with one `extern const std::string_view <name>;` a file, and adds them to <target>.
# Long texts are split, since a compiler need not accept a literal above 64 KiB.
function(embed_text target namespace header)
  set(directory "${PROJECT_BINARY_DIR}/generated")
  set(declarations "")
  set(definitions "")
  foreach(entry IN LISTS ARGN)
    string(REGEX MATCH "^([A-Za-z0-9_]+)=(.*)$" matched "${entry}")
    set(name "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_2}")
    get_filename_component(file "${file}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND declarations "extern const std::string_view ${name};\n")
    string(APPEND definitions
      "namespace {\nconstexpr char ${name}Bytes[] = {${bytes}'\\0'};\n}\n"
      "const std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes) - 1);\n")
  endforeach()
  get_filename_component(leaf "${header}" NAME)
  string(REGEX REPLACE "\\.h$" ".cpp" source "${header}")
  file(CONFIGURE OUTPUT "${directory}/${header}" @ONLY CONTENT
    "// SPDX-License-Identifier: MIT\n#pragma once\n#include <string_view>\nnamespace ${namespace} {\n${declarations}}\n")
  file(CONFIGURE OUTPUT "${directory}/${source}" @ONLY CONTENT
    "// SPDX-License-Identifier: MIT\n#include \"${header}\"\nnamespace ${namespace} {\n${definitions}}\n")
  # By itself, so that its neighbours stay the same in every build directory.
  set_source_files_properties("${directory}/${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${directory}/${source}")
  target_include_directories(${target} PUBLIC "${directory}")
endfunction()

# The name of a constant: kLevelZero for level_zero.
function(constant_name out name)
  string(REPLACE "_" ";" words "${name}")
  set(constant k)
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 0 1 first)
    string(SUBSTRING "${word}" 1 -1 rest)
    string(TOUPPER "${first}" first)
    string(APPEND constant "${first}${rest}")
  endforeach()
  set(${out} "${constant}" PARENT_SCOPE)
endfunction()

# The constant that holds a module's text: kGemmFp16Module for gemm_fp16.
function(module_constant out name)
  constant_name(constant "${name}")
  set(${out} "${constant}Module" PARENT_SCOPE)
endfunction()
