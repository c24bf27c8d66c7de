# SPDX-License-Identifier: MIT
"""What a driver can do to the process that it is loaded into, at any moment and whatever its runtime: name -> what the
fakes call it (tests/fakes/common/hostile.h) and how the process is expected to fare."""
import resource
import signal

# How the process ends: by itself, by the tool at its deadline, or either or not at all.
ENDS, HANGS, GOES_ON = "ends", "hangs", "goes on"
# Acts on the tool itself: it may end by that signal, with what it knows; or at once, where it can not help it.
INTERRUPTS, KILLS = "interrupts", "kills"

RAISED = ("HUP", "INT", "QUIT", "TRAP", "USR1", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "XCPU", "XFSZ", "VTALRM", "PROF",
          "IO", "PWR", "SYS", "KILL")
LIMITS = {"descriptors": (resource.RLIMIT_NOFILE, 3), "address_space": (resource.RLIMIT_AS, 1 << 20),
          "processor_time": (resource.RLIMIT_CPU, 1), "file_size": (resource.RLIMIT_FSIZE, 0),
          "processes": (resource.RLIMIT_NPROC, 0), "stack": (resource.RLIMIT_STACK, 4096),
          "data": (resource.RLIMIT_DATA, 0)}


def _plain(kind, *names):
    return {name: ({"do": name}, kind) for name in names}


ACTIONS = {
    **_plain(ENDS, "abort", "segfault", "stack_overflow", "throw_cxx", "bus_error", "illegal_instruction", "end_thread",
             "throw_number", "throw_through_noexcept", "terminate", "abort_in_thread", "throw_in_thread", "exec_true",
             "exec_own_binary", "fork_daemon_and_abort", "fork_kills_parent", "write_near_null", "call_null",
             "free_garbage", "free_twice", "kill_own_group", "claim_done",
             "claim_time_and_hang", "claim_done_and_hang"),
    **{f"raise_{name.lower()}": ({"do": "raise", "code": int(getattr(signal, f"SIG{name}"))}, ENDS) for name in RAISED},
    "exit_0": ({"do": "exit", "code": 0}, ENDS),
    "exit_1": ({"do": "exit", "code": 1}, ENDS),
    "exit_at_once": ({"do": "exit_at_once", "code": 0}, ENDS),
    "quick_exit": ({"do": "quick_exit", "code": 0}, ENDS),
    "exit_in_thread": ({"do": "exit_in_thread", "code": 0}, ENDS),
    "signal_group": ({"do": "signal_group", "code": int(signal.SIGTERM)}, ENDS),
    **_plain(HANGS, "hang", "spin", "hang_at_exit", "exec_sleep", "exec_sleep_without_environment", "deadlock",
             "fork_session_and_hang", "vfork_hang", "hang_in_handler", "hang_blocked", "outlive_parent", "become_traced"),
    "raise_stop": ({"do": "raise", "code": int(signal.SIGSTOP)}, HANGS),
    # Stopped by the first, where a terminal is there to go on from; else nothing happens.
    "raise_tstp": ({"do": "raise", "code": int(signal.SIGTSTP)}, GOES_ON),
    "raise_ttou": ({"do": "raise", "code": int(signal.SIGTTOU)}, GOES_ON),
    **_plain(GOES_ON, "fork", "fork_session", "fork_daemon", "fork_disguised", "fork_other_user", "fork_bomb",
             "fork_relay", "fork_zombies", "fork_stopped", "fork_namespace", "threads", "busy_thread", "leave_group",
             "leave_session", "adopt_orphans", "abort_soon_in_thread", "jump_to_nowhere", "exec_yes"),
    "clone_sibling": ({"do": "clone_sibling", "code": int(signal.SIGCHLD)}, GOES_ON),
    "clone_unseen_sibling": ({"do": "clone_sibling", "code": 0}, GOES_ON),
    **_plain(GOES_ON, "close_fds", "close_range", "close_everything", "close_standard_streams", "close_stdio",
             "close_pipes", "replace_descriptors", "replace_by_one_pipe", "occupy_descriptors", "make_non_blocking",
             "shrink_pipes", "read_everything", "write_noise", "write_huge_length", "write_half_record",
             "write_deep_record", "write_wrong_types", "write_empty_records", "claim_no_time",
             "say_noise", "say_escapes", "say_one_line", "say_json", "say_on_terminal"),
    "flood_stdout": ({"do": "flood_stdout", "bytes": 4 << 20}, GOES_ON),
    "flood_fds": ({"do": "flood_fds", "bytes": 20 << 20}, GOES_ON),
    "fill_scratch": ({"do": "fill_scratch", "bytes": 70 << 20}, GOES_ON),
    **_plain(GOES_ON, "leave_file", "leave_many_files", "leave_deep_folders", "leave_long_names", "leave_locked_folders",
             "leave_links", "leave_special_files", "leave_sparse_file", "leave_temporary_files", "remove_folder",
             "replace_folder_by_file", "replace_folder_by_link", "lock_folder", "change_folder", "change_root",
             "change_mask"),
    **_plain(GOES_ON, "corrupt_heap", "smash_stack", "leak_address_space", "take_all_memory", "remove_library_c",
             "replace_environment", "unmap_stack", "lock_memory", "forbid_own_code"),
    **_plain(GOES_ON, "block_signals", "ignore_signals", "ignore_children", "fault_forever", "wrong_signal_stack",
             "alarm_soon", "alarm_often", "profile_timer"),
    **_plain(GOES_ON, "set_environment", "clear_environment", "set_locale", "round_upwards", "trap_arithmetic",
             "become_nobody", "lowest_priority", "one_processor", "idle_scheduling", "not_dumpable", "rename",
             "no_new_privileges", "strict_seccomp", "own_namespaces", "no_clock"),
    **{f"limit_{name}": ({"do": "limit", "code": number, "bytes": limit}, GOES_ON)
       for name, (number, limit) in LIMITS.items()},
    "terminate_parent": ({"do": "signal_parent", "code": int(signal.SIGTERM)}, INTERRUPTS),
    "interrupt_parent": ({"do": "signal_parent", "code": int(signal.SIGINT)}, INTERRUPTS),
    "hang_up_parent": ({"do": "signal_parent", "code": int(signal.SIGHUP)}, INTERRUPTS),
    "stop_parent": ({"do": "signal_parent", "code": int(signal.SIGSTOP)}, GOES_ON),
    "kill_parent": ({"do": "signal_parent", "code": int(signal.SIGKILL)}, KILLS),
}

# moment -> the point in the fakes (tests/fakes/common/scenario.h), and whether it takes a measuring run to get there
MOMENTS = {"constructor": ("load", False), "init": ("init", False), "enumerate": ("enumerate", False),
           "device": ("properties", False), "compile": ("compile", True), "alloc": ("allocate", True),
           "launch": ("launch", True), "teardown": ("teardown", True)}
