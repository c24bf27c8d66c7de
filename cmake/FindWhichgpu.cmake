# SPDX-License-Identifier: MIT
# find_package(Whichgpu [VERSION] [REQUIRED]) looks for the program whichgpu and sets Whichgpu_FOUND, Whichgpu_EXECUTABLE and
# Whichgpu_VERSION. It is installed twice: as what CMAKE_PREFIX_PATH finds (WhichgpuConfig.cmake), and under its own name to
# be copied into a project, for which it then needs nothing beside it.
#
#   whichgpu_recommend([TARGET program] [AMONG backend...] [OPTIONS option...] [OPTIONAL])
#
# asks it and sets the variables of docs/scripts.md (WHICHGPU_BACKEND, WHICHGPU_ARCHITECTURES, WHICHGPU_OPTIONS, ...) where it
# is called. OPTIONS are any others of `whichgpu recommend`. Where there is no answer the configuration ends with its
# reason; with OPTIONAL WHICHGPU_STATUS is "none" instead and the reason a warning. Call it before project() or enable_language(),
# which settle the architectures.
find_program(Whichgpu_EXECUTABLE whichgpu HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
mark_as_advanced(Whichgpu_EXECUTABLE)
if(Whichgpu_EXECUTABLE)
  execute_process(COMMAND "${Whichgpu_EXECUTABLE}" --version OUTPUT_VARIABLE Whichgpu_VERSION ERROR_QUIET)
  string(REGEX MATCH "[0-9]+(\\.[0-9]+)+" Whichgpu_VERSION "${Whichgpu_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Whichgpu REQUIRED_VARS Whichgpu_EXECUTABLE VERSION_VAR Whichgpu_VERSION)

function(_whichgpu_ask)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "OPTIONAL" "TARGET" "AMONG;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "whichgpu_recommend: '${ARG_UNPARSED_ARGUMENTS}' is neither TARGET, AMONG, OPTIONS nor OPTIONAL")
  endif()
  set(arguments recommend --format cmake ${ARG_OPTIONS})
  if(ARG_TARGET)
    list(APPEND arguments --target "${ARG_TARGET}")
  endif()
  if(ARG_AMONG)
    list(JOIN ARG_AMONG "," among)
    list(APPEND arguments --among "${among}")
  endif()
  execute_process(COMMAND "${Whichgpu_EXECUTABLE}" ${arguments}
    OUTPUT_VARIABLE answer ERROR_VARIABLE reason RESULT_VARIABLE code ERROR_STRIP_TRAILING_WHITESPACE)
  if(code EQUAL 1 AND ARG_OPTIONAL)
    message(WARNING "${reason}")
  elseif(NOT code EQUAL 0)
    message(FATAL_ERROR "${reason}")
  endif()
  set(_whichgpu_answer "${answer}" PARENT_SCOPE)
endfunction()

# A macro, so that the variables become the caller's.
macro(whichgpu_recommend)
  _whichgpu_ask(${ARGV})
  cmake_language(EVAL CODE "${_whichgpu_answer}")
  unset(_whichgpu_answer)
endmacro()
