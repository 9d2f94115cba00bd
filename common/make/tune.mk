# `make tune`, `make profile` and `make sass`. Included by the Makefile.
.PHONY: tune profile sass
# A tuner is one program a stage, which compiles other configs of its stage itself.
TUNE_OBJECTS := $(patsubst common/%,$(BUILD)/cuda/%.o,\
  $(basename $(filter-out %/main.cu,$(wildcard common/tools/tune/*.cpp common/tools/tune/*.cu))))
TUNERS := $(CHOSEN:%=$(BUILD)/%/tune)

ifeq ($(backend),cuda)
tune: $(TUNERS)
	@common/tools/tune/tune.sh $(call quote,$(BUDGET)) $(call quote,$(CONFIGS)) \
	  $(call quote,$(KERNEL_COMPILE)) $(BUILD)/kernels $^
profile: $(CHOSEN:%=%/run)
	@$(LAB)/profile.py $(BUILD) $^
else
tune profile:
	@echo "make $@ measures on a GPU, and this is the emulator: $(REASON)"; exit 1
endif
$(TUNERS): $(BUILD)/%/tune: common/tools/tune/main.cu $(HEADERS) $(TUNE_OBJECTS) $(CUDA_OBJECTS) \
    $(BUILD)/%/preflight
	$(call say,NVCC,$@)
	$Q$(CUDA_COMPILE) -include $(BUILD)/$*/options.h -include $*/config.h -include $*/kernel.cuh \
	  $(filter %.cu %.o,$^) $(CUDA_LIBRARIES) -o $@

# What `make resources` has compiled, and numbers of the config to compare its machine code with.
sass: $(PTXAS) $(CHOSEN:%=$(BUILD)/%/kernel_facts)
	@$(LAB)/sass.py $(NVCC) $(PTXAS)
$(CHOSEN:%=$(BUILD)/%/kernel_facts): $(BUILD)/%/kernel_facts: common/tools/lab/kernel_facts.cpp \
    $(BUILD)/%/preflight
	$Q$(CXX) -std=c++17 -w -DBACKEND_CUDA -include $(BUILD)/$*/options.h -include $*/config.h $< -o $@
