# Two measurements on a GPU that stand behind docs/emulator.md and docs/race.md. Included by the
# Makefile.
.PHONY: who-sees evidence
who-sees evidence: $(CUDA_OBJECTS) $(EMULATOR_OBJECTS)
	@common/make/$(subst -,_,$@).sh '$(CUDA_COMPILE)' '$(CUDA_OBJECTS) $(CUDA_LIBRARIES)' \
	  '$(CXX) $(CXXFLAGS) -O1' '$(EMULATOR_OBJECTS)'
