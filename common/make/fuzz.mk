# `make fuzz`: random configs and sizes, on the emulator or a GPU. Included by the Makefile.
FUZZ_STAGES := $(ASKED_FOR)
FUZZ_OBJECTS := $(OBJECTS) $(patsubst %,$(BUILD)/$(backend)/tools/fuzz/%.o,check draw)
ifeq ($(backend),cuda)
  FUZZ_COMPILE = $(CUDA_COMPILE)
  FUZZ_LIBRARIES := $(CUDA_LIBRARIES)
else
  FUZZ_COMPILE = $(CXX) $(filter-out -O2 -g -W%,$(CXXFLAGS)) -O1 -w
endif

FUZZ = common/tools/fuzz/fuzz.sh BACKEND=$(backend) ARCH=$(LIMITS) ARCHS='$(ARCHS)' \
  CXX='$(CXX) $(filter -fsanitize%,$(CXXFLAGS))' COMPILE='$(FUZZ_COMPILE)' \
  OBJECTS='$(FUZZ_OBJECTS)' LIBRARIES='$(FUZZ_LIBRARIES)'

.PHONY: fuzz
fuzz: $(FUZZ_OBJECTS)
	@$(FUZZ) STAGES='$(FUZZ_STAGES)' COUNT=$(call quote,$(COUNT)) SEED=$(call quote,$(SEED)) \
	  BREAK=$(call quote,$(BREAK)) FOLDER=$(BUILD)/fuzz
