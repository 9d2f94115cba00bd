# `make test` and `make test-all`: suites of checks. Included by the Makefile.
#
# A suite is a target in REPORTS. Its prerequisites are all that it depends on: as long as their
# contents and its command are the same, one that has passed is counted and not run again. Each of
# SUITES must have a report of this run; what else is a failure, common/tests/runner says.
REPORTS := $(BUILD)/tests/reports
RUN := $(shell echo $$$$.$$(date +%s))
suite = $Qcommon/tests/runner/run_suite.sh $(RUN) $@ $(filter-out FORCE,$^) --
ALL := $(filter test-all,$(GOALS))
S := common/tests/suites#  the scripts
more := $(if $(ALL),.all)#  of the suites that try more in make test-all

# ---- Suites of each stage, or with STAGE= of one: they are called KIND.STAGE ---------------------

# The test programs; of make test-all also the cases with skip(), which take long.
CASES := $(patsubst %,cases$(more).%,$(ASKED_FOR) $(if $(STAGE),,common))
$(patsubst %,$(REPORTS)/cases$(more).%,$(STAGES) common): $(REPORTS)/cases$(more).%: \
    $(BUILD)/tests/%/run
	$(suite) $< $(if $(ALL),--no-skip)

# The same configs every time: the corpus, and of make test-all also a few that are drawn. On the
# emulator, make test takes the stages that have more than one buffer: the loops of the others are
# among theirs.
stages_with = $(patsubst %/config.h,%,$(shell grep -l '"$1"' $(STAGES:%=%/config.h)))
FUZZED := $(if $(ALL)$(STAGE)$(filter cuda,$(backend)),$(ASKED_FOR),\
  $(or $(call stages_with,bk_stages),$(error no stage is fuzzed)))
FUZZ_TEST = $(if $(ALL)$(filter cuda,$(backend)),COUNT=30,\
  COUNT=0 SEEDS=1 COMPILE='$(FUZZ_COMPILE) -O0')
$(STAGES:%=$(REPORTS)/fuzz$(more).%): $(REPORTS)/fuzz$(more).%: \
    $(FUZZ_OBJECTS) $(wildcard common/tools/fuzz/*)
	$(suite) $(FUZZ) STAGES=$* $(FUZZ_TEST) SEED=7 BREAK= FOLDER=$(BUILD)/tests/$(@F) LINES=yes

# Configs that must be refused, for the stages that the table names.
REFUSED := $(call stages_named,\
  $(or $(shell sed -n 's/^\([0-9][0-9]\) .*/\1/p' $S/compile_fail.txt | sort -u),\
    $(error $S/compile_fail.txt has no config)))
$(STAGES:%=$(REPORTS)/compile_fail.%): $(REPORTS)/compile_fail.%: $S/compile_fail.sh \
    $S/compile_fail.txt Makefile \
    $(wildcard common/make/* common/tools/preflight/*)
	$(suite) $< $* $(MAKE_COMMAND) $(call quote,$(CXX)) $(BUILD)/tests/$(@F)

# Each defect of common/tools/broken/broken.txt, and what the emulator must say of the edits in
# common/tools/lab/experiments.txt: broken.DEFECT.STAGE and experiments.NAME.STAGE.
BROKEN_TABLES := common/tools/broken/broken.txt common/tools/lab/experiments.txt
BROKEN := $(if $(ALL),$(foreach table,$(BROKEN_TABLES),$(or \
  $(shell TABLE=$(table) common/tools/broken/break.sh table | \
    awk '$$3 != "-" { print "$(basename $(notdir $(table)))." $$1 "." $$2 }'),\
  $(error $(table) has no defect))))
$(BROKEN:%=$(REPORTS)/%): $S/broken.sh $(BROKEN_TABLES) $(wildcard common/tools/broken/*) \
    $(EMULATOR_OBJECTS)
	$(suite) $S/broken.sh $(filter %/$(firstword $(subst ., ,$(@F))).txt,$(BROKEN_TABLES)) \
	  $(wordlist 2,3,$(subst ., ,$(@F))) $(BUILD)/tests/$(@F) $(CXX) $(CXXFLAGS) -O1 \
	  $(EMULATOR_OBJECTS)

# What a config.h that makes no sense does to the test program.
$(STAGES:%=$(REPORTS)/illegal_config.%): $(REPORTS)/illegal_config.%: $S/illegal_config.sh \
    $(wildcard common/tests/stage/*) $(TESTED_BY_STAGES)
	$(suite) $< $* $(BUILD)/tests/illegal_config $(CXX) $(TEST_FLAGS) -O0 $(TESTED_BY_STAGES)

# The stages as nvcc builds them, for sizes M x N x K, and their PTX, which takes no GPU.
HAS_NVCC := $(if $(ALL),$(shell command -v $(lastword $(NVCC))))
GPU := $(if $(filter cuda,$(backend)),$(shell common/make/gpus.sh name))
GPU_SIZES := 512x384x256 200x137x72 $(if $(ALL),1024x1024x64 33x65x4104 1x1x8)
GPU_RUNS := $(if $(GPU),$(foreach stage,$(ASKED_FOR),$(GPU_SIZES:%=gpu.%.$(stage))))
$(GPU_RUNS:%=$(REPORTS)/%): $(REPORTS)/gpu.%: $(BUILD)/gpu/%
	$(suite) sh -c '"$$0" --check && echo "ok $$0 --check" && echo end' $< $(call quote,$(GPU))
$(STAGES:%=$(REPORTS)/ptx.%): $(REPORTS)/ptx.%: $S/ptx.sh common/tools/preflight/instantiate.cu
	$(suite) $< $(BUILD)/tests/ptx $(call quote,$(KERNEL_COMPILE)) $*

SUITES := $(CASES) $(FUZZED:%=fuzz$(more).%) \
  $(patsubst %,compile_fail.%,$(filter $(ASKED_FOR),$(REFUSED))) \
  $(foreach stage,$(ASKED_FOR),$(filter %.$(stage),$(BROKEN))) $(GPU_RUNS) \
  $(if $(ALL),$(ASKED_FOR:%=illegal_config.%)) $(if $(HAS_NVCC),$(ASKED_FOR:%=ptx.%))
COMMON_HEADERS := $(filter-out common/tests/%,$(filter common/%,$(HEADERS)))
$(foreach stage,$(ASKED_FOR),$(eval \
  $(patsubst %,$(REPORTS)/%,$(filter-out cases% gpu%,$(filter %.$(stage),$(SUITES)))): \
  $(COMMON_HEADERS) $(filter-out %.md,$(wildcard $(stage)/*.*))))

# ---- Suites of no stage --------------------------------------------------------------------------

# Every file of the repository, of which what is read may be any one.
FOUND := $(wildcard $(foreach folder,common docs plots $(STAGES),\
  $(addprefix $(folder)/,* */* */*/* */*/*/*)))
FILES := .ci/run .clang-format CONTRIBUTING.md Makefile README.md \
  $(filter-out %.pyc,$(foreach file,$(FOUND),$(if $(findstring .,$(notdir $(file))),$(file))))
$(REPORTS)/cases$(more).common: $(FILES)

# What make, its scripts and the programs say where something is missing, and the runner itself.
SCRIPTS := $(filter-out docs/% %.md %.svg common/tests/%,$(FILES))
$(REPORTS)/refusals: $S/refusals.sh $(SCRIPTS) $(EMULATOR_OBJECTS)
	$(suite) $< $(MAKE_COMMAND) $(BUILD)/tests/refusals $(call quote,$(CXX)) \
	  $(filter-out -O2 -g,$(CXXFLAGS)) -O1 $(EMULATOR_OBJECTS)
$(REPORTS)/machines: $S/machines.sh $(SCRIPTS)
	$(suite) $< $(MAKE_COMMAND) $(call quote,$(CXX)) "" $(BUILD)/tests/machines
$(REPORTS)/runner: $S/runner.sh $(wildcard $S/* common/tests/runner/*) common/make/suites.mk \
    $(BUILD)/tests/common/support/main.o
	$(suite) $< $(BUILD)/tests $(BUILD)/tests/watchdog $(BUILD)/tests/common/support/main.o \
	  $(CXX) $(TEST_FLAGS)
$(REPORTS)/main_cu: $S/main_cu.sh $(STAGES:%=%/main.cu)
	$(suite) $< $(STAGES:%=%/main.cu)
$(REPORTS)/prose: $S/prose.sh README.md $(wildcard \
  $(foreach stage,$(STAGES),$(addprefix $(stage)/,README.md kernel.cuh checks.cpp)))
	$(suite) $< $(STAGES)
$(REPORTS)/lost_defects: $S/lost_defects.sh $(BROKEN_TABLES) $(wildcard common/tools/broken/*) \
    $(filter $(STAGES:%=%/%),$(HEADERS))
	$(suite) $< $(BROKEN_TABLES)
$(REPORTS)/docs: common/tools/pages/docs.sh $(WRITTEN_PAGES) $(WRITTEN_PAGES:$(WRITTEN)/%=%)
	$(suite) $< check $(WRITTEN) $(WRITTEN_PAGES)

# That an instruction of the emulator that does nothing is seen by the case that is named after it.
$(REPORTS)/instruction_stubs: $S/instruction_stubs.sh common/emulator/instructions.cpp \
    $(BUILD)/tests/common/ptx/instructions_test.o $(TESTED_BY_STAGES)
	$(suite) $< $(BUILD)/tests/instruction_stubs $(filter %_test.o,$^) $(CXX) $(CXXFLAGS) -O0 -w \
	  $(filter-out %/instructions.o,$(TESTED_BY_STAGES))

# That a defect is found by fuzzing, and reduced; and that the emulator counts as the hardware did.
$(REPORTS)/fuzz_bites: $S/fuzz_bites.sh $(FUZZ_OBJECTS) $(HEADERS) \
    $(wildcard common/tools/fuzz/* common/tools/broken/*)
	$(suite) $< $(BUILD)/tests/fuzz_bites $(FUZZ)
$(REPORTS)/evidence: $(wildcard common/tools/lab/* plots/data/*.csv) $(HEADERS) $(EMULATOR_OBJECTS)
	$(suite) $(LAB)/evidence.py check $(EMULATOR_TOOLCHAIN)
# What it takes to add a field, and a stage.
ADDED := $(if $(ALL),add_field add_stage)
$(ADDED:%=$(REPORTS)/%): $(REPORTS)/%: $S/%.sh $(FILES)
	$(suite) $< $(MAKE_COMMAND) $(call quote,$(CXX)) $(call quote,$(HAS_NVCC)) $(BUILD)/tests/$*
# The tools and figures that are written in Python, which no build needs.
$(REPORTS)/python: $S/python.py $(SCRIPTS) $(wildcard common/tests/*.py)
	$(suite) common/make/python.sh $(call quote,$(PYTHON)) $<

# More cores than there are here.
$(REPORTS)/many_cores: $S/many_cores.sh $(EMULATOR_OBJECTS)
	$(suite) $< $(BUILD)/tests/many_cores $(CXX) $(filter-out -O2 -g,$(CXXFLAGS)) -O1 \
	  $(EMULATOR_OBJECTS)
# Where letters have another order, and numbers another point.
$(REPORTS)/locales: $S/locales.sh .ci/run $(SCRIPTS) $(wildcard common/tests/*/*.sh)
	$(suite) $< $(MAKE_COMMAND) $(BUILD)/tests/locales
# How the emulator changes stacks.
$(REPORTS)/fibers: $S/fibers.sh $(wildcard common/emulator/fiber.*) $(EMULATOR_OBJECTS)
	$(suite) $< $(BUILD)/tests/fibers $(call quote,$(CXX)) $(TEST_FLAGS) $(EMULATOR_OBJECTS)
# Each header compiles alone.
$(REPORTS)/headers_alone: $S/headers_alone.sh $(HEADERS)
	$(suite) $< $(BUILD)/tests/headers_alone $(call quote,$(CXX)) $(call quote,$(NVCC))

# What a program for a GPU says without one, or on another.
HAS_CUBLAS := $(if $(HAS_NVCC),$(wildcard $(dir $(HAS_NVCC))../include/cublas_v2.h))
$(REPORTS)/gpu_refusals: $S/gpu_refusals.sh $(CUDA_OBJECTS) $(SCRIPTS)
	$(suite) $< $(BUILD)/tests/gpu_refusals $(call quote,$(CXX)) $(KERNEL_COMPILE) \
	  $(CUDA_OBJECTS) $(CUDA_LIBRARIES)

ifeq ($(STAGE),)
  $(if $(HAS_PYTHON),,$(info without $(PYTHON): what is written in it is not tested))
  SUITES += refusals locales machines runner main_cu prose lost_defects docs $(ADDED) \
    $(if $(HAS_PYTHON),python $(if $(ALL),evidence)) $(if $(HAS_CUBLAS)$(GPU),gpu_refusals) \
    $(if $(ALL),headers_alone many_cores fibers instruction_stubs \
      $(if $(filter emulator,$(backend)),fuzz_bites))
endif

# ---- All of them, or with TC= only the cases that it names ---------------------------------------

ifneq ($(TC),)
  SUITES := chosen_cases
endif
$(REPORTS)/chosen_cases: $(CASES:cases$(more).%=$(BUILD)/tests/%/run)
	@rm -f $@
	$(suite) common/tests/runner/run_cases.sh $(call quote,$(TC)) \
	  --no-skip=$(if $(ALL),true,false) $(filter %/run,$^)

$(SUITES:%=$(REPORTS)/%): common/tests/runner/run_suite.sh $(wildcard common/tests/support/*.sh) \
  $(BUILD)/tests/watchdog FORCE
test test-all: $(SUITES:%=$(REPORTS)/%)
	@$(if $(TC),grep -q '^FAILED ' $(REPORTS)/$(SUITES) || sed '/^end /d' $(REPORTS)/$(SUITES).log)
	@common/tests/runner/sum_suites.sh $(RUN) $(REPORTS) $(SUITES)
