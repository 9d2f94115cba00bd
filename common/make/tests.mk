# The tests: `make test` and `make test-all`. Included by the Makefile.
# A test program for each stage, and one for all that is common; the configs that must be refused; and
# on a GPU each stage as nvcc builds it for each of GPU_SIZES, M x N x K.
GPU_SIZES := 512x384x256 200x137x72 $(if $(filter test-all,$(GOALS)),1024x1024x64 33x65x4104 1x1x8)
GPU := $(if $(and $(filter test%,$(GOALS)),$(filter cuda,$(backend))),$(shell nvidia-smi -L 2>/dev/null))
GPU_PROGRAMS := $(if $(GPU),$(foreach stage,$(STAGES),$(GPU_SIZES:%=$(BUILD)/gpu/$(stage).%)))
# Homebrew keeps headers where Apple's compiler does not look. Debug information would take
# half as long again.
TEST_FLAGS = $(if $(DEBUG),$(CXXFLAGS),$(filter-out -g,$(CXXFLAGS))) $(addprefix -isystem ,$(wildcard /opt/homebrew/include))

# Each defect of common/tools/broken/broken.txt, and what the emulator must say of common/tools/lab/experiments.txt.
BROKEN_TABLES := common/tools/broken/broken.txt common/tools/lab/experiments.txt
BROKEN_REPORTS := $(if $(filter test-all,$(GOALS)),$(foreach table,$(BROKEN_TABLES),\
  $(shell TABLE=$(table) common/tools/broken/break.sh table | \
    awk '$$3 != "-" { print "$(BUILD)/tests/$(basename $(notdir $(table)))/" $$1 "." $$2 ".txt" }')))
# The emulator's counts, beside those that the hardware gave; and what an illegal config.h does.
SLOW_REPORTS := $(if $(filter test-all,$(GOALS)),$(addprefix $(BUILD)/tests/,evidence.txt illegal_config.txt))

include common/make/edges.mk
TEST_PROGRAMS := $(STAGES:%=$(BUILD)/tests/%/run) $(BUILD)/tests/common/run
test test-all: $(TEST_PROGRAMS) $(BUILD)/tests/compile_fail.txt $(EDGE_REPORTS) $(BROKEN_REPORTS) $(SLOW_REPORTS) \
    $(GPU_PROGRAMS)
	@common/tests/test.sh $@ $^

$(BUILD)/tests/flags: FORCE
	$(call update,common/make/doctest.sh $(CXX) $(TEST_FLAGS))
$(BUILD)/tests/common/%.o: common/tests/%.cpp $(BUILD)/tests/flags
	$(call say,CXX,$<)
	$Q$(CXX) $(TEST_FLAGS) -MMD -MP -c $< -o $@
TESTED_BY_STAGES := $(EMULATOR_OBJECTS) $(BUILD)/emulator/tools/tune/space.o $(BUILD)/tests/common/support/main.o
$(TEST_PROGRAMS): $(TESTED_BY_STAGES)
	$(call say,LINK,$@)
	$Q$(CXX) $(CXXFLAGS) $^ -o $@.new && mv -f $@.new $@

# The cases that are not of a stage, and what they know of the tools: all that needs no GPU.
TESTED_TOOLS := $(wildcard common/tools/bench/*.cpp common/tools/tune/*.cpp) common/tools/fuzz/draw.cpp
$(BUILD)/tests/common/run: $(patsubst common/tests/%.cpp,$(BUILD)/tests/common/%.o,$(wildcard common/tests/*.cpp)) \
  $(TESTED_TOOLS:common/%.cpp=$(BUILD)/emulator/%.o)

# A stage's program is its checks.cpp and the cases that every stage must hold: the latter know it by
# what is included first. STAGE_TESTS of a stage are its rules.
STAGE_CASES := $(basename $(notdir $(wildcard common/tests/stage/*.cpp)))
$(STAGES:%=$(BUILD)/tests/%/options.h): $(BUILD)/tests/%/options.h: FORCE
	$(call update,common/make/options.sh header $* '$(LIMITS)' '$(LIMITS)' '')
define STAGE_TESTS
$(BUILD)/tests/$1/checks.o: $1/checks.cpp
$(STAGE_CASES:%=$(BUILD)/tests/$1/%.o): $(BUILD)/tests/$1/%.o: common/tests/stage/%.cpp
$(addprefix $(BUILD)/tests/$1/,$(addsuffix .o,checks $(STAGE_CASES))): $(BUILD)/tests/$1/options.h $(BUILD)/tests/flags
	$$(call say,CXX,'$$(filter %.cpp,$$^) of $1')
	$$Q$$(CXX) $$(TEST_FLAGS) -DSTAGE='"$(call number_of,$1)"' -include $(BUILD)/tests/$1/options.h \
	  -include $1/config.h -include $1/kernel.cuh -MMD -MP -c $$(filter %.cpp,$$^) -o $$@
$(BUILD)/tests/$1/run: $(addprefix $(BUILD)/tests/$1/,$(addsuffix .o,checks $(STAGE_CASES)))
endef
$(foreach stage,$(STAGES),$(eval $(call STAGE_TESTS,$(stage))))

$(BUILD)/tests/compile_fail.txt: FORCE
	$(call say,TEST,common/tests/compile_fail)
	@common/tests/compile_fail/run.sh $(MAKE_COMMAND) $(CXX) $(BUILD)/tests/compile_fail > $@

$(BROKEN_REPORTS): $(BROKEN_TABLES) $(HEADERS) $(EMULATOR_OBJECTS)
	$(call say,TEST,$(subst ., of ,$(basename $(@F))))
	@TABLE=$(filter %/$(notdir $(@D)).txt,$(BROKEN_TABLES)) common/tests/test_broken.sh $(subst ., ,$(basename $(@F))) $(@D) \
	  $(CXX) $(CXXFLAGS) -O1 $(EMULATOR_OBJECTS) > $@

$(BUILD)/tests/evidence.txt: plots/data/emulator_evidence.csv $(HEADERS) $(EMULATOR_OBJECTS)
	$(call say,TEST,$<)
	@$(call with_python,common/tools/lab/evidence.py check $(EMULATOR_TOOLCHAIN))

$(BUILD)/tests/illegal_config.txt: $(wildcard */checks.cpp common/tests/stage/*.cpp) $(HEADERS) $(TESTED_BY_STAGES)
	$(call say,TEST,common/tests/test_illegal_config.sh)
	@common/tests/test_illegal_config.sh $(BUILD)/tests/illegal_config $(CXX) $(TEST_FLAGS) -O0 $(TESTED_BY_STAGES) > $@

$(BUILD)/gpu/%: $(CUDA_OBJECTS) $(HEADERS) $(wildcard */main.cu)
	$(call say,NVCC,$@)
	@common/make/options.sh header $(basename $*) $(LIMITS) '$(ARCHS)' '' \
	  $(join M= N= K=,$(subst x, ,$(subst .,,$(suffix $*)))) > $@.h
	$Q$(CUDA_COMPILE) -include $@.h $(basename $*)/main.cu $(CUDA_OBJECTS) $(CUDA_LIBRARIES) -o $@
