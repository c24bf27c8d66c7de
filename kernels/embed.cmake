# SPDX-License-Identifier: MIT
# What the assembler of a system calls the section of constants, what hides a symbol, and what stands before C's names.
set(EMBED_SECTION_Linux .rodata)
set(EMBED_HIDDEN_Linux .hidden)
set(EMBED_PREFIX_Linux "")
set(EMBED_SECTION_Darwin __TEXT,__const)
set(EMBED_HIDDEN_Darwin .private_extern)
set(EMBED_PREFIX_Darwin _)

# Turns text files into constants: embed_text(<target> <namespace> <header> <name>=<file>...) generates <header>, with one
# `constexpr std::string_view <name>` a file, and a source in which the assembler takes in the bytes, and adds them to
# <target>. A zero follows each text. Of JSON the lines are joined, as reading takes its time for each byte.
function(embed_text target namespace header)
  foreach(word SECTION HIDDEN PREFIX)
    set(${word} "${EMBED_${word}_${CMAKE_SYSTEM_NAME}}")
  endforeach()
  set(directory "${PROJECT_BINARY_DIR}/generated")
  string(REPLACE "::" "_" prefix "${namespace}")
  set(declarations "")
  set(definitions "")
  set(files "")
  foreach(entry IN LISTS ARGN)
    string(REPLACE "=" ";" entry "${entry}")
    list(GET entry 0 name)
    list(GET entry 1 file)
    get_filename_component(file "${file}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    set(symbol "${prefix}_${name}")
    if(file MATCHES "\\.json$")
      file(READ "${file}" text)
      string(REGEX REPLACE "\n *" "" text "${text}")  # a newline within a text of JSON is written \n
      set(file "${directory}/${header}.${symbol}.json")
      set(earlier "")
      if(EXISTS "${file}")
        file(READ "${file}" earlier)
      endif()
      if(NOT text STREQUAL earlier)
        file(WRITE "${file}" "${text}")
      endif()
    endif()
    list(APPEND files "${file}")
    file(SIZE "${file}" size)
    string(APPEND declarations
      "extern \"C\" const char ${symbol}[];  // NOLINT(readability-identifier-naming)\ninline constexpr std::string_view ${name}(${symbol}, ${size});\n")
    string(APPEND definitions
      "asm(\".pushsection ${SECTION}\\n.global ${PREFIX}${symbol}\\n${HIDDEN} ${PREFIX}${symbol}\\n${PREFIX}${symbol}:\\n\"\n"
      "    \".incbin \\\"${file}\\\"\\n.byte 0\\n.popsection\\n\");\n")
  endforeach()
  string(REGEX REPLACE "\\.h$" ".cpp" source "${header}")
  file(CONFIGURE OUTPUT "${directory}/${header}" @ONLY CONTENT
    "// SPDX-License-Identifier: MIT\n#pragma once\n#include <string_view>\nnamespace ${namespace} {\n${declarations}}\n")
  file(CONFIGURE OUTPUT "${directory}/${source}" @ONLY CONTENT "// SPDX-License-Identifier: MIT\n${definitions}")
  # The sizes are in the header, the bytes in the object.
  set_source_files_properties("${directory}/${source}" PROPERTIES OBJECT_DEPENDS "${files}")
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

# embed_modules(<target> <namespace> <folder> <suffix>): the texts <folder>/<name><suffix> of the modules of this folder's
# modules.txt, in its modules.h: kGemmFp16Module for gemm_fp16.
function(embed_modules target namespace folder suffix)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS modules.txt)
  file(STRINGS modules.txt rows REGEX "^[a-z]")
  set(texts "")
  foreach(row IN LISTS rows)
    string(REPLACE " " ";" row "${row}")
    list(GET row 0 name)
    constant_name(constant "${name}")
    list(APPEND texts "${constant}Module=${folder}/${name}${suffix}")
  endforeach()
  string(REPLACE "::" "/" path "${namespace}")
  embed_text(${target} ${namespace} ${path}/modules.h ${texts})
endfunction()
