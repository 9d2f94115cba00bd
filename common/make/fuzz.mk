# `make fuzz`: random configs and sizes, on the emulator or a GPU. Included by the Makefile.
FUZZ_STAGES := $(ASKED_FOR)
FUZZ_OBJECTS := $(OBJECTS) $(BUILD)/$(backend)/tools/fuzz/check.o $(BUILD)/$(backend)/tools/fuzz/draw.o
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

# The same every time, for the tests: the corpus, and of test-all also a few that are drawn. On the
# emulator, `make test` takes the stages that have more than one buffer: the loops of the others are
# among theirs.
stages_with = $(patsubst %/config.h,%,$(shell grep -l '"$1"' $(STAGES:%=%/config.h)))
FUZZ_TEST = STAGES='$(STAGES)' COUNT=30
ifeq ($(filter test-all,$(GOALS))$(filter cuda,$(backend)),)
  FUZZ_TEST = STAGES='$(call stages_with,bk_stages)' COUNT=0 SEEDS=1 COMPILE='$(FUZZ_COMPILE) -O0'
endif
$(BUILD)/tests/fuzz.txt: $(FUZZ_OBJECTS) FORCE
	$(call say,FUZZ,corpus.txt)
	@rm -rf $(BUILD)/tests/fuzz
	@$(FUZZ) $(FUZZ_TEST) SEED=7 BREAK= FOLDER=$(BUILD)/tests/fuzz > $@.log || cat $@.log
	@cat $(BUILD)/tests/fuzz/*/report > $@ 2> /dev/null
