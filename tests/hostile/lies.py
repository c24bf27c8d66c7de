# SPDX-License-Identifier: MIT
"""What a driver can say of its device that is not so, or do wrong in what it was asked for: name -> keys of the device
(tests/fakes/common/scenario.h). None of it may cost a neighbour its answer."""

LIES = {
    "results_unwritten": {"results": "none"},
    "results_garbage": {"results": "garbage"},
    "results_nan": {"results": "nan"},
    "results_zero": {"results": "zero"},
    "events_of_no_time": {"event_time_scale": 0},
    "events_of_negative_time": {"event_time_scale": -1},
    "events_of_ages": {"event_time_scale": 1e9},
    "lost_at_once": {"lost_after_launches": 0},
    "lost_later": {"lost_after_launches": 3},
    "no_memory": {"memory_total_bytes": 0},
    "all_memory": {"memory_total_bytes": (1 << 64) - 1},
    "more_free_than_there_is": {"memory_free_bytes": (1 << 64) - 1},
    "nothing_can_be_allocated": {"allocation_limit_bytes": 0},
    "no_buffer": {"max_buffer_bytes": 0},
    "no_compute_units": {"compute_units": 0},
    "countless_compute_units": {"compute_units": (1 << 32) - 1},
    "no_threads": {"max_workgroup_size": 0},
    "no_subgroup": {"subgroup_width": 0},
    "endless_clock": {"clock_mhz": (1 << 32) - 1},
    "no_clock_rate": {"clock_mhz": 0},
    "no_timestamps": {"timestamp_bits": 0},
    "empty_name": {"name": ""},
    "name_of_noise": {"name": [27, 91, 50, 74, 7, 13, 10, 0, 255, 254, 192, 128, 237, 160, 128, 226, 128, 174]},
    "name_without_end": {"name": "long ", "name_bytes": 51200},
    "vendor_of_noise": {"vendor": [27, 93, 48, 59, 7, 255]},
}
