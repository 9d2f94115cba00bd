# `make bench`, `make reproduce` and `make curve`. Included by the Makefile.
# A kernel is compiled for one problem: each stage and size is an object (with PRESET two of them,
# with and without it), and all of them are one program, whose contestants take turns.
# With CUTLASS= there is an object for each of its kernels as well.
.PHONY: bench reproduce curve
CUTLASS_HEADER := cutlass/gemm/device/gemm_universal_base.h
ifneq ($(filter bench reproduce curve $(BUILD)/bench/run,$(GOALS)),)
  ifneq ($(backend),cuda)
    $(error This needs a GPU and the CUDA Toolkit, and the backend is $(backend): $(REASON))
  endif
  BENCH_SIZES := $(shell common/tools/bench/sizes.sh $(call quote,$(SIZES)) '$(filter M N K,$(GIVEN))')
  ifeq ($(word 1,$(BENCH_SIZES)),refused)
    $(error $(wordlist 2,99,$(BENCH_SIZES)))
  endif
  ifneq ($(CUTLASS),)
    ifeq ($(shell test -f $(call quote,$(CUTLASS)/$(CUTLASS_HEADER)) && echo there),)
      $(error CUTLASS=$(CUTLASS) has no $(CUTLASS_HEADER): give the include folder of CUTLASS 3 \
        or 4, as docs/reference.md says (or no CUTLASS=, to do without that peer))
    endif
  endif
endif

# An object is BUILD/bench/SIZE/STAGE.o, or BUILD/bench/SIZE.PRESET/STAGE.o.
BENCH_FOLDERS := $(foreach size,$(BENCH_SIZES),$(size) $(if $(PRESET),$(size).$(PRESET)))
BENCH_UNITS := $(foreach folder,$(BENCH_FOLDERS),$(CHOSEN:%=$(BUILD)/bench/$(folder)/%))
BENCH_OBJECTS := $(patsubst common/%,$(BUILD)/cuda/%.o,$(basename \
  $(filter-out %/stage.cu %/cutlass_kernel.cu,$(wildcard common/tools/bench/*.cpp common/tools/bench/*.cu))))
# Each is the tile of a block and the number of stages. Warps take 64x64, as much as registers hold. A
# kernel takes part on the GPUs whose shared memory holds its stages: sm_120 has no room for the last three.
CUTLASS_KERNELS := $(if $(CUTLASS),256x128x32x3 256x128x32x4 128x256x32x3 128x256x32x4 128x128x32x4 \
  128x128x32x5 128x128x64x3 128x128x64x4 256x128x64x3 128x256x64x3)
CUTLASS_OBJECTS := $(CUTLASS_KERNELS:%=$(BUILD)/bench/cutlass/%.o)
BENCH_FIELDS := $(filter-out $(VARIABLES),$(GIVEN))

# Of the object $1: its size and preset, its options, and a name that no other one has.
bench_size = $(firstword $(subst ., ,$(notdir $(patsubst %/,%,$(dir $1)))))
bench_preset = $(if $(filter %.$(PRESET),$(patsubst %/,%,$(dir $1))),$(PRESET))
bench_options = $(if $(call bench_preset,$1),$(call quote,PRESET=$(PRESET))) \
  $(foreach v,$(BENCH_FIELDS),$(call quote,$v=$(value $v))) \
  $(if $(filter default,$(call bench_size,$1)),,$(join M= N= K=,$(subst x, ,$(call bench_size,$1))))
bench_name = $(subst .,_,$(subst -,_,$(subst /,_,$(1:$(BUILD)/bench/%=%))))

bench reproduce curve: $(BUILD)/bench/run
	@common/tools/bench/bench.sh $@ $< '$(strip $(filter-out M N K,$(BENCH_FIELDS)) $(if $(STAGE),STAGE))' \
	  $(call quote,$(SEED))

$(BENCH_UNITS:%=%.h): %.h: FORCE
	$(call update,common/make/options.sh header $(notdir $*) '$(LIMITS)' '$(ARCHS)' '$(COMPILE)' \
	  $(call bench_options,$*))
$(BENCH_UNITS:%=%.kernel.h): %.kernel.h: FORCE
	$(call update,common/tools/bench/in_namespace.sh $(notdir $*) unit_$(call bench_name,$*))
$(BENCH_UNITS:%=%.preflight): %.preflight: common/tools/preflight/preflight.cpp %.h
	$Q$(CXX) -std=c++17 -O0 -w -DBACKEND_CUDA -MMD -MP -MF $@.d -MT $@ -include $*.h \
	  -include $(notdir $*)/config.h -include $(notdir $*)/kernel.cuh $< -o $@.new
	$Q$@.new && mv -f $@.new $@
$(BENCH_UNITS:%=%.o): %.o: common/tools/bench/stage.cu %.h %.kernel.h %.preflight
	$(call say,NVCC,$*)
	$Q$(CUDA_COMPILE) -I. -MMD -MP -MF $*.d -DBENCH_ENTRY=entry_$(call bench_name,$*) -include $*.h \
	  -include $*.kernel.h -c $< -o $@

$(BUILD)/bench/cutlass/flags: FORCE
	$(call update,echo '$(CUDA_COMPILE)' $(call quote,$(CUTLASS)))
$(CUTLASS_OBJECTS): $(BUILD)/bench/cutlass/flags
$(CUTLASS_OBJECTS): $(BUILD)/bench/cutlass/%.o: common/tools/bench/cutlass_kernel.cu
	$(call say,NVCC,$(basename $@))
	$Q$(CUDA_COMPILE) -isystem $(call quote,$(CUTLASS)) -MMD -MP -MF $(@:.o=.d) \
	  -DBENCH_ENTRY=cutlass_$* $(join -DTILE_M= -DTILE_N= -DTILE_K= -DSTAGES=,$(subst x, ,$*)) \
	  -c $< -o $@

$(BUILD)/bench/entries.cpp: FORCE
	$(call update,common/tools/bench/bench_entries.sh \
	  '$(foreach unit,$(BENCH_UNITS),entry_$(call bench_name,$(unit)))' \
	  '$(CUTLASS_KERNELS:%=cutlass_%)')
$(BUILD)/bench/entries.o: $(BUILD)/bench/entries.cpp
	$Q$(CUDA_COMPILE) -I. -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(BUILD)/bench/run: $(BENCH_UNITS:%=%.o) $(CUTLASS_OBJECTS) $(BUILD)/bench/entries.o $(BENCH_OBJECTS) \
    $(CUDA_OBJECTS)
	$(call say,LINK,$@)
	$Q$(CUDA_COMPILE) $^ $(CUDA_LIBRARIES) -lcublasLt -o $@.new && mv -f $@.new $@
