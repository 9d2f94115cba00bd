# The tests: `make test` and `make test-all`. Included by the Makefile.
# One program of all test files, the configs that must be refused, and on a GPU each stage as nvcc
# builds it for each of GPU_SIZES, M x N x K.
GPU_SIZES := 512x384x256 200x137x72 $(if $(filter test-all,$(GOALS)),1024x1024x64 33x65x4104 1x1x8)
GPU := $(if $(and $(filter test%,$(GOALS)),$(filter cuda,$(backend))),$(shell nvidia-smi -L 2>/dev/null))
GPU_PROGRAMS := $(if $(GPU),$(foreach stage,$(STAGES),$(GPU_SIZES:%=$(BUILD)/gpu/$(stage).%)))
TESTS := $(basename $(wildcard common/tests/*.cpp [0-9][0-9]_*/checks.cpp))
# Homebrew keeps headers where Apple's compiler does not look. Debug information would take
# half as long again.
TEST_FLAGS = $(if $(DEBUG),$(CXXFLAGS),$(filter-out -g,$(CXXFLAGS))) -DCONFIG_ARCH=$(LIMITS) $(addprefix -isystem ,$(wildcard /opt/homebrew/include))

# Each defect of common/tools/broken/broken.txt, and what the emulator must say of common/tools/lab/experiments.txt.
BROKEN_TABLES := common/tools/broken/broken.txt common/tools/lab/experiments.txt
BROKEN_REPORTS := $(if $(filter test-all,$(GOALS)),$(foreach table,$(BROKEN_TABLES),\
  $(shell TABLE=$(table) common/tools/broken/break.sh table | \
    awk '$$3 != "-" { print "$(BUILD)/tests/$(basename $(notdir $(table)))/" $$1 "." $$2 ".txt" }')))
# The emulator's counts, beside those that the hardware gave; and what an illegal config.h does.
SLOW_REPORTS := $(if $(filter test-all,$(GOALS)),$(addprefix $(BUILD)/tests/,evidence.txt illegal_config.txt))

include common/make/edges.mk
test test-all: $(BUILD)/tests/run $(BUILD)/tests/compile_fail.txt $(EDGE_REPORTS) $(BROKEN_REPORTS) $(SLOW_REPORTS) \
    $(GPU_PROGRAMS)
	@common/tests/test.sh $@ $^

$(BUILD)/tests/flags: FORCE
	$(call update,common/make/doctest.sh $(CXX) $(TEST_FLAGS))
$(BUILD)/tests/%.o: %.cpp $(BUILD)/tests/flags
	$(call say,CXX,$<)
	$Q$(CXX) $(TEST_FLAGS) -MMD -MP -c $< -o $@
# What of the benchmark needs no GPU.
TESTED := $(EMULATOR_OBJECTS) $(patsubst common/%.cpp,$(BUILD)/emulator/%.o,$(wildcard common/tools/bench/*.cpp))
$(BUILD)/tests/run: $(TESTS:%=$(BUILD)/tests/%.o) $(TESTED)
	$(call say,LINK,$@)
	$Q$(CXX) $(CXXFLAGS) $^ -o $@.new && mv -f $@.new $@

$(BUILD)/tests/compile_fail.txt: FORCE
	$(call say,TEST,common/tests/compile_fail)
	@common/tests/compile_fail/run.sh $(MAKE_COMMAND) $(CXX) $(BUILD)/tests/compile_fail > $@

$(BROKEN_REPORTS): $(BROKEN_TABLES) $(HEADERS) $(EMULATOR_OBJECTS)
	$(call say,TEST,$(subst ., of ,$(basename $(@F))))
	@TABLE=$(filter %/$(notdir $(@D)).txt,$(BROKEN_TABLES)) common/tests/test_broken.sh $(subst ., ,$(basename $(@F))) $(@D) \
	  $(CXX) $(CXXFLAGS) -O1 $(EMULATOR_OBJECTS) > $@

$(BUILD)/tests/evidence.txt: plots/data/emulator_evidence.csv $(HEADERS) $(EMULATOR_OBJECTS)
	$(call say,TEST,$<)
	@common/tests/test_evidence.sh $(@D) $(CXX) $(CXXFLAGS) -O1 $(EMULATOR_OBJECTS) > $@

$(BUILD)/tests/illegal_config.txt: $(wildcard */checks.cpp) $(HEADERS) $(EMULATOR_OBJECTS)
	$(call say,TEST,common/tests/test_illegal_config.sh)
	@common/tests/test_illegal_config.sh $(BUILD)/tests/illegal_config $(CXX) $(TEST_FLAGS) -O0 $(EMULATOR_OBJECTS) > $@

$(BUILD)/gpu/%: $(CUDA_OBJECTS) $(HEADERS) $(wildcard */main.cu)
	$(call say,NVCC,$@)
	@common/make/options.sh header $(basename $*) $(LIMITS) '$(ARCHS)' '' \
	  $(join M= N= K=,$(subst x, ,$(subst .,,$(suffix $*)))) > $@.h
	$Q$(CUDA_COMPILE) -include $@.h $(basename $*)/main.cu $(CUDA_OBJECTS) $(CUDA_LIBRARIES) -o $@
