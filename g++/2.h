// Written by make: what this build of 00_naive was asked for.
// 
#define STAGE_NAME "00_naive"
#define CONFIG_FIELDS "M N K BM BN BK warps_per_block_m warps_per_block_n swizzle min_blocks_per_sm"
#define CONFIG_OVERRIDES {"M", 512}, {"N", 512}, {"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"warps_per_block_m", 2}, {"warps_per_block_n", 2}, {"min_blocks_per_sm", 1}, {"swizzle", 0}, {"BN", 0}, 
#define CONFIG_ARCH 120
#define CONFIG_ARCHS "120"
#define CONFIG_PRESET ""
#define KERNEL_HASH "2258529514-17823"
