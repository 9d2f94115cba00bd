# The test programs: one for each stage, and one for all that is common. Included by the Makefile.
# Homebrew keeps headers where Apple's compiler does not look. Debug information and all
# optimisations would take twice as long, and run no faster.
TEST_FLAGS = $(if $(DEBUG),$(CXXFLAGS),$(filter-out -g -O2,$(CXXFLAGS)) -O1) \
  $(addprefix -isystem ,$(wildcard /opt/homebrew/include))
TEST_PROGRAMS := $(patsubst %,$(BUILD)/tests/%/run,$(STAGES) common)
TESTED_BY_STAGES := $(EMULATOR_OBJECTS) $(BUILD)/tests/common/support/main.o

$(BUILD)/tests/flags: FORCE
	$(call update,common/make/doctest.sh $(CXX) $(TEST_FLAGS))
$(BUILD)/tests/common/%.o: common/tests/%.cpp $(BUILD)/tests/flags
	$(call say,CXX,$<)
	$Q$(CXX) $(TEST_FLAGS) -MMD -MP -c $< -o $@
$(TEST_PROGRAMS): $(TESTED_BY_STAGES)
	$(call say,LINK,$@)
	$Q$(CXX) $(CXXFLAGS) $^ -o $@.new && mv -f $@.new $@

# The cases that are not of a stage, and what they know of the tools: all that needs no GPU.
TESTED_TOOLS := common/tools/fuzz/draw.cpp \
  $(wildcard common/tools/bench/*.cpp common/tools/tune/*.cpp)
COMMON_CASES := $(filter-out $(addprefix common/tests/,stage/% runner/% support/%),\
  $(wildcard $(addprefix common/tests/,*.cpp */*.cpp)))
$(BUILD)/tests/common/run: $(COMMON_CASES:common/tests/%.cpp=$(BUILD)/tests/common/%.o) \
  $(TESTED_TOOLS:common/%.cpp=$(BUILD)/emulator/%.o)

# A stage's program is its checks.cpp and the cases that every stage must hold: the latter know it
# by what is included first. STAGE_TESTS of a stage are its rules.
STAGE_CASES := $(basename $(notdir $(wildcard common/tests/stage/*.cpp)))
$(STAGES:%=$(BUILD)/tests/%/options.h): $(BUILD)/tests/%/options.h: FORCE
	$(call update,common/make/options.sh header $* '$(LIMITS)' '$(LIMITS)' '')
define STAGE_TESTS
$(BUILD)/tests/$1/checks.o: $1/checks.cpp
$(STAGE_CASES:%=$(BUILD)/tests/$1/%.o): $(BUILD)/tests/$1/%.o: common/tests/stage/%.cpp
$(addprefix $(BUILD)/tests/$1/,$(addsuffix .o,checks $(STAGE_CASES))): \
    $(BUILD)/tests/$1/options.h $(BUILD)/tests/flags
	$$(call say,CXX,'$$(filter %.cpp,$$^) of $1')
	$$Q$$(CXX) $$(TEST_FLAGS) -DSTAGE='"$(call number_of,$1)"' -include $(BUILD)/tests/$1/options.h \
	  -include $1/config.h -include $1/kernel.cuh -MMD -MP -c $$(filter %.cpp,$$^) -o $$@
$(BUILD)/tests/$1/run: $(addprefix $(BUILD)/tests/$1/,$(addsuffix .o,checks $(STAGE_CASES)))
endef
$(foreach stage,$(STAGES),$(eval $(call STAGE_TESTS,$(stage))))

# A stage as nvcc builds it for a size: gpu/MxNxK.STAGE.
$(BUILD)/gpu/%: $(CUDA_OBJECTS) $(HEADERS) $(wildcard */main.cu)
	$(call say,NVCC,$@)
	@common/make/options.sh header $(*:$(basename $*).%=%) $(LIMITS) '$(ARCHS)' '' \
	  $(join M= N= K=,$(subst x, ,$(basename $*))) > $@.h
	$Q$(CUDA_COMPILE) -include $@.h $(*:$(basename $*).%=%)/main.cu $(CUDA_OBJECTS) \
	  $(CUDA_LIBRARIES) -o $@

$(BUILD)/tests/watchdog: common/tests/runner/watchdog.cpp
	$(call say,CXX,$<)
	$Q$(CXX) -std=c++17 $< -o $@
