# Four measurements on a GPU that stand behind docs/emulator.md, docs/race.md, docs/tuning_log.md and
# docs/explain.md. Included by the Makefile.
.PHONY: who-sees evidence experiments latencies
ifneq ($(filter who-sees evidence experiments latencies,$(GOALS)),)
  ifneq ($(backend),cuda)
    $(error This needs a GPU and the CUDA Toolkit, and the backend is $(backend): $(REASON))
  endif
endif
LAB = common/make/python.sh $(call quote,$(PYTHON)) common/tools/lab
# How a main.cu is compiled, and what is linked to it.
CUDA_TOOLCHAIN = '$(CUDA_COMPILE)' '$(CUDA_OBJECTS) $(CUDA_LIBRARIES)'
EMULATOR_TOOLCHAIN = '$(CXX) $(CXXFLAGS) -O1 -x c++' '-x none $(EMULATOR_OBJECTS)'
who-sees evidence: $(CUDA_OBJECTS) $(EMULATOR_OBJECTS)
	@$(LAB)/$(subst -,_,$@).py $(CUDA_TOOLCHAIN) $(EMULATOR_TOOLCHAIN)
experiments: $(CUDA_OBJECTS)
	@$(LAB)/experiments.py $(CUDA_TOOLCHAIN) $(LIMITS)
latencies: $(BUILD)/latencies
	@$<
$(BUILD)/latencies: common/tools/lab/latencies.cu $(CUDA_OBJECTS) $(HEADERS)
	$(call say,NVCC,$@)
	$Q$(CUDA_COMPILE) $< $(CUDA_OBJECTS) $(CUDA_LIBRARIES) -o $@
