# SPDX-License-Identifier: MIT
# Gets llama.cpp for this machine, the release's file where one fits and else from source:
#   cmake -DFOLDER=llama [-DOPTIONS="--among;vulkan;cpu"] -P InstallLlamaCpp.cmake
# Lines that join or convert what whichgpu says, or hand it on, end in "glue".
cmake_minimum_required(VERSION 3.18)

if(NOT FOLDER)
  message(FATAL_ERROR "-DFOLDER=... names the folder that it goes to")
endif()
get_filename_component(FOLDER "${FOLDER}" ABSOLUTE)
file(MAKE_DIRECTORY "${FOLDER}")

foreach(program whichgpu curl tar git cmake)
  find_program(PROGRAM_${program} ${program} NO_CMAKE_PATH NO_CMAKE_SYSTEM_PATH)
  if(NOT PROGRAM_${program})
    message(FATAL_ERROR "${program} is not there; install it first")
  endif()
endforeach()

# Ends with the reason where a step fails.
function(run what)
  message(STATUS "${what}")
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${FOLDER}" RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed: ${code}")
  endif()
endfunction()

set(answer "${FOLDER}/whichgpu.cmake")
execute_process(COMMAND whichgpu recommend --target llama.cpp --format cmake ${OPTIONS} # glue
  OUTPUT_FILE "${answer}" RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "no build of llama.cpp fits here")
endif()
include("${answer}") # glue

if(WHICHGPU_OPTIONS) # glue
  set(source "${FOLDER}/source")
  set(build "${FOLDER}/build")
  if(NOT EXISTS "${source}/CMakeLists.txt")
    run("Fetching the source" git clone --depth 1 https://github.com/ggml-org/llama.cpp "${source}")
  endif()
  set(settings -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=${FOLDER}")
  run("Configuring" cmake -S "${source}" -B "${build}" ${settings} ${WHICHGPU_OPTIONS}) # glue
  run("Building" cmake --build "${build}" --parallel)
  run("Installing" cmake --install "${build}")
else()
  run("Downloading ${WHICHGPU_ARTEFACT}" sh -c "${WHICHGPU_COMMAND}") # glue
endif()
message(STATUS "llama.cpp is in ${FOLDER}")
