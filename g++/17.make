Makefile:66: *** wk_stages is no field of 02_warp_specialized. Its fields: M N K BM BN BK bk_stages warps_per_block_m warps_per_block_n swizzle group_m group_n min_blocks_per_sm.  Stop.
