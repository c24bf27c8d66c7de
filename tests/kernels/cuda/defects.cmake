# SPDX-License-Identifier: MIT
# What can go wrong in a kernel, planted one at a time.
cuda_defect(no_barrier gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "__syncthreads();  // everyone's part" "// everyone's part")
cuda_defect(fragment_layout gemm_fp16 gemm_fp16_64 gemm_mma.cuh "b[2 * j][1] = two[1]" "b[2 * j][1] = two[2]")
cuda_defect(swapped_operand gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "LoadMatrices(a[i], tile_a" "LoadMatrices(a[i], tile_b")
cuda_defect(next_stage gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "(shared + step % S::kStages" "(shared + (step + 1) % S::kStages")
cuda_defect(waits_too_little gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "WaitCopies<S::kStages - 2>" "WaitCopies<S::kStages - 1>")
cuda_defect(store_row gemm_fp16 gemm_fp16_64 gemm_mma.cuh "c + (row + 8) * n" "c + (row + 4) * n")
cuda_defect(swizzle gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "CopyAsync(to + Offset(row, piece)" "CopyAsync(to + row * kRowBytes + piece * 16")
cuda_defect(tile_by_one gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "(a) + tile.row * stride" "(a) + (tile.row == 0 ? 0 : tile.row - S::kM) * stride")
cuda_defect(last_step gemm_fp16 gemm_fp16_64 gemm_mma.cuh "step < steps; ++step) {" "step + 1 < steps; ++step) {")
cuda_defect(fetch_too_early gemm_fp16 gemm_fp16_64 gemm_mma.cuh
  "fetch(step + S::kStages - 1)" "fetch(step + S::kStages)")
cuda_defect(simt_no_barrier gemm_simt gemm_fp32_64 gemm_simt.cu
  "lane);\n    __syncthreads();" "lane);")
cuda_defect(simt_buffer gemm_simt gemm_fp32_64 gemm_simt.cu "loader.Store(tiles, 1 - buffer" "loader.Store(tiles, buffer")
cuda_defect(simt_operands gemm_simt gemm_fp32_64 gemm_simt.cu "fmaf(av[i], bv[j]" "fmaf(av[j], bv[i]")
cuda_defect(gemv_no_barrier gemv gemv_fp16 gemv.cu
  "  __syncthreads();\n  if (threadIdx.x < kRows)" "  if (threadIdx.x < kRows)")
cuda_defect(gemv_halves gemv gemv_q4 gemv.cu "Nibbles(v.w >> 4), own[7]" "Nibbles(v.w), own[7]")
cuda_defect(read_no_barrier stream read_u32 stream.cu
  "    __syncthreads();\n    if (threadIdx.x < width) sums" "    if (threadIdx.x < width) sums")
cuda_defect(read_tail stream read_u32 stream.cu "for (; i < vectors; i += step) sum" "for (; i + step < vectors; i += step) sum")
cuda_defect(triad_factor stream triad_fp32 stream.cu "fmaf(factor, y.z, x.z)" "fmaf(factor, x.z, y.z)")
