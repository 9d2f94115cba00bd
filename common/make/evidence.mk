# Four measurements on a GPU that stand behind docs/emulator.md, docs/race.md, docs/tuning_log.md and
# docs/explain.md. Included by the Makefile.
.PHONY: who-sees evidence experiments latencies
ifneq ($(filter who-sees evidence experiments latencies,$(GOALS)),)
  ifneq ($(backend),cuda)
    $(error This needs a GPU and the CUDA Toolkit, and the backend is $(backend): $(REASON))
  endif
endif
who-sees evidence: $(CUDA_OBJECTS) $(EMULATOR_OBJECTS)
	@common/tools/lab/$(subst -,_,$@).sh '$(CUDA_COMPILE)' '$(CUDA_OBJECTS) $(CUDA_LIBRARIES)' \
	  '$(CXX) $(CXXFLAGS) -O1' '$(EMULATOR_OBJECTS)'
experiments: $(CUDA_OBJECTS)
	@common/tools/lab/experiments.sh '$(CUDA_COMPILE)' '$(CUDA_OBJECTS) $(CUDA_LIBRARIES)' $(LIMITS)
latencies: $(BUILD)/latencies
	@$<
$(BUILD)/latencies: common/tools/lab/latencies.cu $(CUDA_OBJECTS) $(HEADERS)
	$(call say,NVCC,$@)
	$Q$(CUDA_COMPILE) $< $(CUDA_OBJECTS) $(CUDA_LIBRARIES) -o $@
