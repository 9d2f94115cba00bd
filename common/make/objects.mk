# What all stages share, once per backend. Included by the Makefile.
# How nvcc compiles a kernel, for whoever asks: the tuner, make resources and the tests add what for.
KERNEL_COMPILE = $(NVCC) -std=c++17 -O3 -DBACKEND_CUDA $(if $(CCBIN),-ccbin $(CCBIN))
CUDA_COMPILE = common/make/nvcc.sh $(KERNEL_COMPILE) -lineinfo -Xptxas -warn-spills \
  -Xcompiler -Wall,-pthread $(foreach arch,$(ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch))

# The name of a file that only one backend has ends in _emulator or _cuda.
SHARED := $(filter-out %_cuda.cpp,$(wildcard common/emulator/*.cpp common/host/*/*.cpp))
SHARED_CUDA := $(filter-out %_emulator.cpp,$(wildcard common/host/*/*.cpp common/host/*/*.cu))
EMULATOR_OBJECTS := $(patsubst common/%,$(BUILD)/emulator/%.o,$(basename $(SHARED)))
CUDA_OBJECTS := $(patsubst common/%,$(BUILD)/cuda/%.o,$(basename $(SHARED_CUDA)))
# The loader need not know where the toolkit is.
TOOLKIT = $(eval TOOLKIT := $(shell common/make/toolkit.sh $(call quote,$(NVCC))))$(TOOLKIT)
CUDA_LIBRARIES = -lcublas -ldl $(if $(word 2,$(TOOLKIT)),,$(TOOLKIT:%=-Xlinker -rpath=%))
ifeq ($(backend),cuda)
  COMPILE := $(CUDA_COMPILE)
  OBJECTS := $(CUDA_OBJECTS)
  LINK = $(CUDA_COMPILE) $^ $(CUDA_LIBRARIES)
else
  COMPILE := $(CXX) $(CXXFLAGS) -x c++
  OBJECTS := $(EMULATOR_OBJECTS)
  LINK = $(CXX) $(CXXFLAGS) $^
endif

# The checks are quick: nothing else starts before they are done.
$(EMULATOR_OBJECTS) $(CUDA_OBJECTS): | $(CHOSEN:%=$(BUILD)/%/preflight)
$(BUILD)/emulator/%.o: common/%.cpp $(BUILD)/emulator/flags
	$(call say,CXX,$<)
	$Q$(CXX) $(CXXFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/cuda/%.o: common/%.cpp $(BUILD)/cuda/flags
	$(call say,NVCC,$<)
	$Q$(CUDA_COMPILE) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(BUILD)/cuda/%.o: common/%.cu $(BUILD)/cuda/flags
	$(call say,NVCC,$<)
	$Q$(CUDA_COMPILE) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(BUILD)/emulator/flags: FORCE
	$(call update,echo '$(CXX) $(CXXFLAGS)')
$(BUILD)/cuda/flags: FORCE
	$(call update,echo '$(CUDA_COMPILE)')

# How each source is compiled, for editors: read off what make would do.
compile_commands.json: $(STAGES:%=$(BUILD)/%/options.h)
	$(call update,$(MAKE) -nB V=1 all test 2> $(BUILD)/$@.log | \
	  awk -f common/make/compile_commands.awk)
