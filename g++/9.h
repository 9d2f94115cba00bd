// Written by make: what this build of 02_warp_specialized was asked for.
// 
#define STAGE_NAME "02_warp_specialized"
#define CONFIG_FIELDS "M N K BM BN BK bk_stages warps_per_block_m warps_per_block_n swizzle group_m group_n min_blocks_per_sm"
#define CONFIG_OVERRIDES {"M", 512}, {"N", 512}, {"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"warps_per_block_m", 2}, {"warps_per_block_n", 2}, {"min_blocks_per_sm", 1}, {"swizzle", 128}, {"group_m", 8}, {"group_n", 8}, {"bk_stages", 3}, {"BK", 32}, 
#define CONFIG_ARCH 120
#define CONFIG_ARCHS "120"
#define CONFIG_PRESET ""
#define KERNEL_HASH "4016712919-18774"
