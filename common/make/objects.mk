# What all stages share, once per backend. Included by the Makefile.

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
