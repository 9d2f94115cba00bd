# Reports for `make test`, one file each with lines "ok ..." and "FAILED ...": odd shapes and configs,
# what is refused, and documents that are written by programs. Included by tests.mk.
EDGE_REPORTS := $(addprefix $(BUILD)/tests/,fuzz.txt refusals.txt docs.txt lost_defects.txt)

# A defect must be found by fuzzing, and reduced.
ifeq ($(filter test-all,$(GOALS))$(backend),test-allemulator)
  EDGE_REPORTS += $(BUILD)/tests/fuzz_bites.txt
endif
$(BUILD)/tests/fuzz_bites.txt: $(FUZZ_OBJECTS) $(wildcard common/tools/fuzz/*) common/tools/broken/broken.txt $(HEADERS)
	$(call say,FUZZ,common/tools/broken/broken.txt)
	@common/tests/fuzz_bites.sh $(BUILD)/tests/fuzz_bites $(FUZZ) > $@
$(BUILD)/tests/lost_defects.txt: FORCE
	@mkdir -p $(@D) && common/tests/lost_defects.sh $(BROKEN_TABLES) > $@

# Reads PTX, and so needs nvcc, but no GPU.
HAS_NVCC := $(if $(filter test-all,$(GOALS)),$(shell command -v $(NVCC)))
ifneq ($(HAS_NVCC),)
  EDGE_REPORTS += $(BUILD)/tests/ptx.txt
endif
$(BUILD)/tests/ptx.txt: common/tests/test_ptx.sh $(HEADERS)
	$(call say,PTX,$(STAGES))
	@common/tests/test_ptx.sh $(BUILD)/tests/ptx $(NVCC) $(STAGES) > $@

$(BUILD)/tests/refusals.txt: $(EMULATOR_OBJECTS) FORCE
	$(call say,TEST,common/tests/refusals.sh)
	@common/tests/refusals.sh $(MAKE_COMMAND) $(BUILD)/tests/refusals $(CXX) \
	  $(filter-out -O2 -g,$(CXXFLAGS)) -O1 $(EMULATOR_OBJECTS) > $@

# The tools and figures that are written in Python, which no build needs.
EDGE_REPORTS += $(BUILD)/tests/python.txt
$(BUILD)/tests/python.txt: $(wildcard common/tools/lab/* common/tools/broken/* \
    common/tests/*.py plots/*.py common/make/*.sh)
	$(call say,TEST,common/tests/python_tests.py)
	@$(call with_python,common/tests/python_tests.py)
# A report by a script, or why it was skipped.
with_python = if common/make/python.sh $(call quote,$(PYTHON)) -c '' > $@; then $(PYTHON) $1 > $@; \
  else echo "ok $(@F): skipped, $$(cat $@)" > $@; fi

# What a program for a GPU says without one, or on another.
HAS_CUBLAS := $(if $(HAS_NVCC),$(wildcard $(dir $(HAS_NVCC))../include/cublas_v2.h))
ifneq ($(HAS_CUBLAS)$(GPU),)
  EDGE_REPORTS += $(BUILD)/tests/gpu_refusals.txt
endif
$(BUILD)/tests/gpu_refusals.txt: $(CUDA_OBJECTS) common/tests/gpu_refusals.sh FORCE
	$(call say,TEST,common/tests/gpu_refusals.sh)
	@common/tests/gpu_refusals.sh $(BUILD)/tests/gpu_refusals $(CXX) common/make/nvcc.sh $(NVCC) -std=c++17 \
	  -O3 -DBACKEND_CUDA $(if $(CCBIN),-ccbin $(CCBIN)) $(CUDA_OBJECTS) $(CUDA_LIBRARIES) > $@
