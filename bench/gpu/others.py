# SPDX-License-Identifier: MIT
"""What PyTorch does for the products that were measured here."""
import json
import os
import subprocess
import sys
import time

from figures import gpus_of
from folder import ends_with_us

# What PyTorch does for the same product, printed as one JSON object; run by whichever Python has it.
TORCH = """
import json, sys, time
try:
    import torch
except ImportError:
    sys.exit(3)
if not torch.cuda.is_available():
    sys.exit(4)
DTYPES = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16,
          "fp8": getattr(torch, "float8_e4m3fn", None), "int8": torch.int8}
def seconds(run):
    # The median of batches of about 50 ms, by the device's events.
    run(); torch.cuda.synchronize()
    start = time.perf_counter(); run(); torch.cuda.synchronize()
    repeats = max(1, min(1000, int(0.05 / max(time.perf_counter() - start, 1e-6))))
    times = []
    for _ in range(7):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(repeats):
            run()
        last.record(); torch.cuda.synchronize()
        times.append(first.elapsed_time(last) / 1e3 / repeats)
    return sorted(times)[len(times) // 2]
def product(name, m, n, k, wide):
    torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    a, b = torch.rand(m, k, device="cuda") - 0.5, torch.rand(n, k, device="cuda") - 0.5
    if name == "int8":
        a, b = (a * 255).to(torch.int8), (b * 255).to(torch.int8)
        return lambda: torch._int_mm(a, b.t())
    a, b = a.to(DTYPES[name]), b.to(DTYPES[name])
    if name == "fp8":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, use_fast_accum=True,
                                        out_dtype=torch.float32 if wide else torch.bfloat16)
    if a.element_size() == 2 and wide:
        return lambda: torch.mm(a, b.t(), out_dtype=torch.float32)
    return lambda: a @ b.t()
# Results of four bytes, as the own kernels' are, where this PyTorch has them: mm with out_dtype came with 2.8.
rates, narrow, errors = {}, [], {}
for name, m, n, k in json.loads(sys.argv[1]):
    key = f"{name} {m}x{n}x{k}"
    for wide in (True, False):
        try:
            rates[key] = 2 * m * n * k / seconds(product(name, m, n, k, wide))
            narrow += [] if wide else [key]
            errors.pop(key, None)
            break
        except Exception as error:
            errors[key] = str(error)[:200]
bandwidth = {}
try:
    words = torch.ones(min(1 << 30, torch.cuda.mem_get_info()[0] // 12), dtype=torch.float32, device="cuda")
    copied = torch.empty_like(words)
    bandwidth = {"copy": 8 * words.numel() / seconds(lambda: copied.copy_(words)),
                 "sum": 4 * words.numel() / seconds(lambda: words.sum())}
except Exception as error:
    errors["bandwidth"] = str(error)[:200]
print(json.dumps({"version": torch.__version__, "device": torch.cuda.get_device_name(0), "gemm_flop_per_s": rates,
                  "narrow": narrow, "bytes_per_s": bandwidth, "errors": errors}))
"""
# As predict/stack.py ends, too.
WHY_NOT = {3: "it has no PyTorch", 4: "its PyTorch sees no GPU"}


def pythons():
    """Each that may have it, in the order in which they are asked."""
    return list(dict.fromkeys(filter(None, (os.environ.get("GPU_CHECK_PYTHON"), sys.executable, "python3"))))


def torch_rates(report, timeout_s, more=()):
    """PyTorch's own products at the shapes of ours on GPUs and at `more` (type, m, n, k), by whichever Python has it, within
    that time in all; and of each Python that was asked in vain why."""
    end = time.monotonic() + timeout_s
    ids = {gpu["id"] for gpu in gpus_of(report)}
    products = sorted({*more, *((m["in_dtype"], *(m["shape"][edge] for edge in "mnk")) for m in report["measurements"]
                                if m["device_id"] in ids and m["kernel"] == "gemm" and m["status"] == "ok")})
    products = [product for product in products if product[0] in ("fp32", "tf32", "fp16", "bf16", "fp8", "int8")]
    skipped = []
    for python in pythons():
        left_s = end - time.monotonic()
        if left_s <= 1:
            skipped.append(f"{python}: no time was left for it")
            continue
        try:
            done = subprocess.run([python, "-c", TORCH, json.dumps(products)], capture_output=True, text=True,
                                  timeout=left_s, preexec_fn=ends_with_us())
        except subprocess.TimeoutExpired:
            skipped.append(f"{python}: killed after {left_s:.0f} s")
            continue
        except OSError as error:
            skipped.append(f"{python}: {error.strerror}")
            continue
        if done.returncode == 0:
            return json.loads(done.stdout), skipped
        said = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        skipped.append(f"{python}: " + WHY_NOT.get(done.returncode, f"it ended with {done.returncode}: {said}"))
    return None, skipped


def torch_lines(torch, skipped):
    if torch is None:
        return [f"skipped: {why}" for why in skipped]
    errors = [f"{product}: {error}" for product, error in torch.get("errors", {}).items()]
    return [f"PyTorch {torch['version']} on {torch['device']}", *errors]
