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
cuda_defect(wgmma_no_barrier wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "__syncthreads();  // everyone's part" "// everyone's part")
cuda_defect(wgmma_no_proxy_fence wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "FenceAsyncProxy();\n    __syncthreads();" "__syncthreads();")
cuda_defect(wgmma_proxy_fence_late wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "WaitCopies<S::kStages - 3>();\n    FenceAsyncProxy();" "FenceAsyncProxy();\n    WaitCopies<S::kStages - 3>();")
cuda_defect(wgmma_copies_waits_too_little wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "WaitCopies<S::kStages - 3>" "WaitCopies<S::kStages - 2>")
cuda_defect(wgmma_no_register_fence wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh "FenceRegisters(sum);" ";")
cuda_defect(wgmma_no_commit wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "CommitProducts();\n    fetch(" "fetch(")
cuda_defect(wgmma_no_wait wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh "WaitProducts<1>();\n  }\n  FinishProducts" "}\n  FinishProducts")
cuda_defect(wgmma_waits_too_little wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "WaitProducts<1>();\n  }\n  FinishProducts" "WaitProducts<2>();\n  }\n  FinishProducts")
cuda_defect(wgmma_not_finished wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "FinishProducts(sum);" "WaitProducts<1>();")
cuda_defect(wgmma_fetch_too_early wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "fetch(step + S::kStages - 2)" "fetch(step + S::kStages - 1)")
cuda_defect(wgmma_swizzle wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh "(piece ^ row % 8) * 16" "(piece ^ row / 2 % 8) * 16")
cuda_defect(wgmma_mode wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh "return 1ULL << 62" "return 2ULL << 62")
cuda_defect(wgmma_stride wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh "(kAtomBytes >> 4) << 32" "(kRowBytes >> 4) << 32")
cuda_defect(wgmma_start wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "DescriptorOf(stage + S::kM * kRowBytes)" "DescriptorOf(stage + (S::kM + 4) * kRowBytes)")
cuda_defect(wgmma_depth wgmma_int8 wgmma_int8_128 gemm_wgmma.cuh "b + (at >> 4))" "b + (at >> 5))")
cuda_defect(wgmma_swapped_operand wgmma_bf16 wgmma_bf16_128 gemm_wgmma.cuh
  "T::Multiply(sum, a + (at >> 4), b + (at >> 4))" "T::Multiply(sum, b + (at >> 4), a + (at >> 4))")
cuda_defect(wgmma_warpgroup_rows wgmma_fp8 wgmma_fp8_128 gemm_wgmma.cuh
  "threadIdx.x / kWarpgroup * kWarpgroupRows * kRowBytes" "threadIdx.x / kWarpgroup * 32 * kRowBytes")
cuda_defect(wgmma_fragment wgmma_fp16 wgmma_fp16_256 gemm_wgmma.cuh
  "sum[4 * j + 2], sum[4 * j + 3]" "sum[4 * j + 1], sum[4 * j + 3]")
cuda_defect(wgmma_store_row wgmma_tf32 wgmma_tf32_128 gemm_wgmma.cuh "static_cast<size_t>(8) * n" "static_cast<size_t>(4) * n")
cuda_defect(wgmma_tile_by_one wgmma_fp16 wgmma_fp16_128 gemm_wgmma.cuh
  "(b) + tile.column * stride" "(b) + (tile.column == 0 ? 0 : tile.column - S::kN) * stride")
cuda_defect(wgmma_last_step wgmma_int8 wgmma_int8_256 gemm_wgmma.cuh
  "step < steps; ++step) {\n    WaitCopies" "step + 1 < steps; ++step) {\n    WaitCopies")
cuda_defect(wgmma_chain_no_proxy_fence wgmma_fp16 chain_wgmma_fp16 gemm_wgmma.cuh
  "FenceAsyncProxy();\n  __syncthreads();" "__syncthreads();")
cuda_defect(wgmma_chain_changed_after_fence wgmma_fp16 chain_wgmma_fp16 gemm_wgmma.cuh
  "FenceRegisters(x);" "FenceRegisters(x);\n      if (step == done) x[0] += 1;")
cuda_defect(wgmma_chain_round wgmma_int8 chain_wgmma_int8 gemm_wgmma.cuh "total[i] += x[i];\n  }" "total[i] = x[i];\n  }")
cuda_defect(chain_round gemm_fp16 chain_fp16 gemm_mma.cuh "done += kRound) {" "done += kRound + 1) {")
cuda_defect(turing_no_barrier turing_fp16 turing_fp16_64 gemm_turing.cuh
  "// where everyone has done with the step before this one\n    __syncthreads();" "")
cuda_defect(turing_stage turing_fp16 turing_fp16_64 gemm_turing.cuh "store(step + 1);" "store(step);")
cuda_defect(turing_swizzle turing_int8 turing_int8_64 gemm_turing.cuh "kRowBytes, Offset);"
  "kRowBytes, [](unsigned row, unsigned piece) { return Offset(row, piece ^ row % 2); });")
cuda_defect(turing_fragment turing_fp16 turing_fp16_64 gemm_turing.cuh
  "MultiplyFp16Deep8(d, {a[0], a[1]}" "MultiplyFp16Deep8(d, {a[0], a[2]}")
cuda_defect(turing_halves turing_int8 turing_int8_64 gemm_turing.cuh "MultiplyInt8Deep16(lower, a[3], b[1])" "MultiplyInt8Deep16(lower, a[3], b[0])")
cuda_defect(scale_of_two scaled_fp8 scaled_fp8_64 scaled_fp8.cu "kOnes = 0x7f7f7f7f" "kOnes = 0x7f7f7f80")
cuda_defect(scale_of_a_quarter scaled_fp4 scaled_fp4_64 scaled_fp4.cu "kOnes = 0x38383838" "kOnes = 0x38403838")
cuda_defect(scaled_operands scaled_fp4 scaled_fp4_64 gemm_mma.cuh "LoadMatrices(two, tile_b" "LoadMatrices(two, tile_a")
cuda_defect(volta_no_barrier volta_fp16 volta_fp16_64 volta_fp16.cu
  "// where everyone has done with the step before this one\n    __syncthreads();" "")
cuda_defect(volta_padding volta_fp16 volta_fp16_64 volta_fp16.cu "kStride = 48;" "kStride = 40;")
cuda_defect(volta_operands volta_fp16 volta_fp16_64 volta_fp16.cu "sum[i][j], a, b[j]" "sum[i][j], b[j], a")
cuda_defect(volta_row volta_fp16 volta_fp16_128 volta_fp16.cu "(S::kM + column + j * kSide)" "(S::kM + column + j * kFragment)")
