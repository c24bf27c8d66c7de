# SPDX-License-Identifier: MIT
# What can go wrong in a kernel, planted one at a time.
set(gemm gemm_matrix.hip.h)
set(types matrix_types.hip.h)
hip_defect(no_barrier gfx90a gemm_fp16 gemm_fp16_64 ${gemm} "__syncthreads();  // the other" "// the other")
hip_defect(no_first_barrier gfx1201 gemm_fp16 gemm_fp16_64 ${gemm} "part.Store(shared);\n  __syncthreads();" "part.Store(shared);")
hip_defect(same_buffer gfx942 gemm_bf16 gemm_bf16_64 ${gemm} "shared + (step + 1) % 2" "shared + step % 2")
hip_defect(mfma_rows gfx90a gemm_fp16 gemm_fp16_64 ${types} "lane / 16 * 4 + item" "lane / 16 + item * 4")
hip_defect(rdna3_rows gfx1100 gemm_bf16 gemm_bf16_64 ${types} "item * 2 + lane / 16" "lane / 16 * 8 + item")
hip_defect(rdna4_rows gfx1201 gemm_int8 gemm_int8_64 ${types} "lane / 16 * 8 + item" "item * 2 + lane / 16")
hip_defect(mfma_depth gfx942 gemm_int8 gemm_int8_64 ${types} "kWave = 64, kGroups = 4" "kWave = 64, kGroups = 2")
hip_defect(rdna3_not_repeated gfx1100 gemm_fp16 gemm_fp16_64 ${gemm} "lane / 16 % T::kGroups" "lane / 16")
hip_defect(rdna4_repeated gfx1201 gemm_fp8 gemm_fp8_64 ${gemm} "lane / 16 % T::kGroups" "lane / 32")
hip_defect(swapped_operands gfx950 gemm_fp16 gemm_fp16_64 ${gemm}
  "T::Multiply(sum[i][j], a[i].part[part], b[j].part[part])" "T::Multiply(sum[i][j], b[j].part[part], a[i].part[part])")
hip_defect(operand_of_a gfx908 gemm_bf16 gemm_bf16_64 ${gemm} "Load(tile, kTile + wave_column" "Load(tile, wave_column")
hip_defect(half_the_parts gfx90a gemm_int8 gemm_int8_64 ${gemm}
  "part < Operand<T>::kInstructions; ++part) {\n#pragma unroll\n      for (unsigned i = 0; i < kDown"
  "part + 1 < Operand<T>::kInstructions; ++part) {\n#pragma unroll\n      for (unsigned i = 0; i < kDown")
hip_defect(unsigned_operand gfx1100 gemm_int8 gemm_int8_64 ${types}
  "AMD_BUILTIN(builtin)(true, __builtin" "AMD_BUILTIN(builtin)(false, __builtin")
hip_defect(ocp_operands gfx942 stream gemm_fp8_fnuz_64 stream.hip "word == 0 ? 0 : word + 8" "word")
hip_defect(swizzle gfx942 gemm_fp16 gemm_fp16_64 ${gemm} "Offset(at / kPieces, at % kPieces)) = a[i]" "Offset(at / kPieces, at % kPieces ^ 1)) = a[i]")
hip_defect(tile_by_one gfx1201 gemm_bf16 gemm_bf16_64 ${gemm}
  "(a) + tile.row * stride" "(a) + (tile.row == 0 ? 0 : tile.row - kTile) * stride")
hip_defect(last_step gfx90a gemm_fp32 gemm_fp32_matrix_64 ${gemm}
  "step < steps; ++step) {" "step + 1 < steps; ++step) {")
hip_defect(wave_column gfx1100 gemm_fp16 gemm_fp16_64 ${gemm} "wave % 2 * kAcross * 16" "wave % 2 * kDown * 16")
hip_defect(chain_operand gfx942 gemm_tf32 chain_tf32 ${gemm} "one.w[i] = ones" "one.w[i] = i == 0 ? ones : 0")
set(dot gemm_dot.hip.h)
hip_defect(dot_no_barrier gfx1030 dot_fp16 gemm_fp16_64 ${dot} "__syncthreads();  // the other" "// the other")
hip_defect(dot_operands gfx1030 dot_int8 gemm_int8_64 ${dot} "T::Dot(wa.w[i], wb.w[j]" "T::Dot(wa.w[j], wb.w[i]")
hip_defect(dot_lines gfx1030 dot_fp16 gemm_fp16_64 ${dot} "to[2 * Size<kTile>::kLine] = words.z" "to[2 * Size<kTile>::kLine] = words.y")
