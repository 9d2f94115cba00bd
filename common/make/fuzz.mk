# `make fuzz`: random configs and sizes, on the emulator or a GPU. Included by the Makefile.
FUZZ_STAGES := $(filter $(STAGE)%,$(STAGES))
FUZZ_OBJECTS := $(OBJECTS) $(BUILD)/$(backend)/fuzz/check.o $(BUILD)/$(backend)/fuzz/draw.o
ifeq ($(backend),cuda)
  FUZZ_COMPILE = $(CUDA_COMPILE)
  FUZZ_LIBRARIES := $(CUDA_LIBRARIES)
else
  FUZZ_COMPILE = $(CXX) $(filter-out -O2 -g -W%,$(CXXFLAGS)) -O1 -w
endif

FUZZ = common/fuzz/fuzz.sh BACKEND=$(backend) ARCH=$(LIMITS) ARCHS='$(ARCHS)' CXX='$(CXX)' \
  COMPILE='$(FUZZ_COMPILE)' OBJECTS='$(FUZZ_OBJECTS)' LIBRARIES='$(FUZZ_LIBRARIES)'

.PHONY: fuzz
fuzz: $(FUZZ_OBJECTS)
	@$(FUZZ) STAGES='$(FUZZ_STAGES)' COUNT=$(call quote,$(COUNT)) SEED=$(call quote,$(SEED)) \
	  BREAK=$(call quote,$(BREAK)) FOLDER=$(BUILD)/fuzz

# The same few every time, for the tests; with test-all some more.
FUZZ_TEST_COUNT := $(if $(filter test-all,$(GOALS)),30,2)
$(BUILD)/tests/fuzz.txt: $(FUZZ_OBJECTS) FORCE
	$(call say,FUZZ,corpus.txt)
	@$(FUZZ) STAGES='$(STAGES)' COUNT=$(FUZZ_TEST_COUNT) SEED=7 BREAK= FOLDER=$(BUILD)/tests/fuzz \
	  > $@.log || cat $@.log
	@cat $(STAGES:%=$(BUILD)/tests/fuzz/%/report) > $@
