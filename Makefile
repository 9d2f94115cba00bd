# Every command of the course. Needs GNU make 3.81 or newer and g++ or clang++, for a GPU also nvcc.
#
## make 02 && ./02_warp_specialized/run    build a stage (STAGES) and run it
## make 02 BM=64 bk_stages=2               the same with other values of its config.h, this once
## make diff FROM=01 TO=02                 what a stage changes in the one before
## make test                               the tests; no GPU needed, with one also its cases
## make test STAGE=02 TC="*edge*"          those of one stage; the cases of that name (either, or both)
## make help                               this list
##
#
# A stage is a folder with a config.h. It goes by its number or its name: make 02_warp_specialized.

# Variables, as in `make 02 V=1`. Only the command line counts, the environment changes nothing.
BACKEND := auto# auto, cuda or emulator
ARCH :=#         GPUs to build for, as in ARCH="90a 120a"; default: the visible ones, else these two
CXX := g++#      host compiler, of the emulator and the tests
NVCC := nvcc
CCBIN :=#        host compiler of nvcc, where it does not accept its default
PYTHON := python3
BREAK :=#        a defect to build in and find, as in `make 02 BREAK=no_empty_wait`
PRESET :=#       fields from a file beside the stage, as in `make 03 PRESET=h200`
STAGE :=#        of goals for all stages, `make test` too: only this one
TC :=#           of `make test`: only the cases of this name, as in TC="*edge*"
BUDGET :=#       of `make tune`: minutes for all its stages
CONFIGS :=#      of `make tune`: a file with a config a line, instead of a search
COUNT := 100#    of `make fuzz`: configs of each stage
SEED := 1#       of `make fuzz`; of `make bench`: draws the order of each round
SIZES :=#        of `make bench`: "8192x8192x8192 4096x4096x512", M x N x K each, or all
CUTLASS :=#      of `make bench`: include folder of CUTLASS, for kernels of it as one more peer
FROM :=#         of `make diff`, with TO
TO :=
V :=#            V=1 prints whole commands
BUILD := build#  folder of all that is built, but for the programs NN_stage/run
DEBUG :=#        DEBUG=1: what CXX builds is not optimised, for gdb
SANITIZE :=#     SANITIZE=1: what CXX builds runs under AddressSanitizer and UBSan
VARIABLES := BACKEND ARCH CXX NVCC CCBIN PYTHON BREAK PRESET STAGE TC BUDGET CONFIGS COUNT SEED \
  SIZES CUTLASS FROM TO V BUILD DEBUG SANITIZE

CXXFLAGS := -std=c++17 $(if $(DEBUG),-O0,-O2) -g -Wall -Wextra -Wno-unknown-pragmas -Wno-psabi \
  -pthread
ifneq ($(SANITIZE),)
  CXXFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
    -Wno-unknown-warning-option -Wno-maybe-uninitialized
endif

export LC_ALL := C#  what a letter, a decimal point and an order is: $(shell) does not see it, scripts say it again

STAGES := $(patsubst %/config.h,%,$(sort $(wildcard [0-9][0-9]_*/config.h)))
comma := ,
number_of = $(firstword $(subst _, ,$1))
NUMBERS := $(sort $(foreach stage,$(STAGES),$(call number_of,$(stage))))
HEADERS := $(wildcard $(foreach end,h inc cuh,*/*.$(end) common/*/*.$(end) common/*/*/*.$(end)))
.PHONY: $(NUMBERS) $(STAGES) all help diff compare test test-all resources plots docs
.PHONY: format format-check compile_commands.json doctor clean FORCE
.DELETE_ON_ERROR:
.SUFFIXES:
help: # first, and so what a plain `make` does

# ---- What was asked for: the stages, the backend, and fields of config.h -------------------------

quote = '$(subst ','\'',$1)'#  $1 as one word of the shell
GOALS := $(or $(MAKECMDGOALS),help)
EVERY := $(filter all resources tune profile sass bench reproduce curve $(BUILD)/bench/run,$(GOALS))
# The stages that $1 names, by numbers or by folders.
stages_named = $(foreach name,$1,$(filter $(name) $(name)_%,$(STAGES)))
ASKED_FOR := $(if $(STAGE),$(call stages_named,$(STAGE)),$(STAGES))#  of the goals for every stage
CHOSEN := $(if $(EVERY),$(ASKED_FOR),$(call stages_named,$(GOALS:%/run=%)))
GIVEN := $(foreach v,$(.VARIABLES),$(if $(findstring command line,$(origin $v)),$v))
FIELDS := $(if $(PRESET),$(call quote,PRESET=$(PRESET))) \
  $(foreach v,$(filter-out $(VARIABLES),$(GIVEN)),$(call quote,$v=$(value $v)))

# One make at a time, and no program of before.
include common/make/begin.mk
$(if $(BREAK),$(if $(filter $(BREAK),$(shell common/tools/broken/break.sh list)),,\
  $(error BREAK=$(BREAK) is no defect; there are: $(shell common/tools/broken/break.sh list))))
$(if $(ASKED_FOR),,$(error STAGE=$(STAGE) is no stage; there are $(STAGES)))
ifneq ($(strip $(FIELDS)),)
  WRONG := $(shell common/make/options.sh check $(if $(EVERY),any,$(if $(CHOSEN),each,none)) \
    '$(CHOSEN)' '$(VARIABLES)' $(FIELDS))
  $(if $(WRONG),$(error $(WRONG)))
endif

ifneq ($(filter-out help diff plots format format-check doctor clean,$(GOALS)),)
  ANSWER := $(shell common/make/backend.sh $(foreach v,BACKEND ARCH NVCC CXX,$(call quote,$($v))))
  REASON := $(wordlist 4,99,$(ANSWER))
  ifeq ($(word 1,$(ANSWER)),refused)
    $(error $(REASON))
  endif
  backend := $(word 1,$(ANSWER))
  LIMITS := $(word 2,$(ANSWER))#  the arch whose limits a config must keep
  ARCHS := $(subst $(comma), ,$(word 3,$(ANSWER)))
  $(info backend $(backend): $(REASON))
endif

# What a recipe says instead of its command, unless V=1.
say = @mkdir -p $(@D); printf '%-5s %s\n' $1 $2
Q := $(if $(V),,@)
# Makes the target from the output of a command, but leaves it alone if it would not change: what
# depends on it is built again exactly when it does.
update = @mkdir -p $(@D); $1 > $@.new && { cmp -s $@.new $@ && rm -f $@.new || mv -f $@.new $@; }

# ---- The stages ----------------------------------------------------------------------------------

$(foreach stage,$(STAGES),$(eval $(call number_of,$(stage)): $(stage)))
$(STAGES): %: %/run
## make all                                all stages
all: $(ASKED_FOR)

# What the stages share: OBJECTS, and how to COMPILE and LINK them.
include common/make/objects.mk

# What this build was asked for, as a header that the compiler includes first.
$(STAGES:%=$(BUILD)/%/options.h): $(BUILD)/%/options.h: FORCE
	$(call update,{ common/make/options.sh header $* '$(LIMITS)' '$(ARCHS)' '$(COMPILE)' $(FIELDS) \
	  $(if $(BREAK),&& echo '#define CONFIG_BREAK "$(BREAK)"'); })

# Where the sources are: here, or with BREAK in a copy that has the defect.
SOURCES := $(if $(BREAK),$(BUILD)/broken/$(BREAK)/)
ifneq ($(BREAK),)
$(STAGES:%=$(SOURCES)%/main.cu): $(SOURCES)%/main.cu: %/main.cu common/tools/broken/broken.txt $(HEADERS)
	@common/tools/broken/break.sh $(BREAK) $* $(SOURCES) && touch $@
endif

# The rules between the fields: one sentence, and no kernel, where one is broken.
$(STAGES:%=$(BUILD)/%/preflight): $(BUILD)/%/preflight: common/tools/preflight/preflight.cpp $(BUILD)/%/options.h
	$(call say,CHECK,$*/config.h)
	$Q$(CXX) -std=c++17 -O0 -w $(if $(filter cuda,$(backend)),-DBACKEND_CUDA) -MMD -MP -MF $@.d -MT $@ \
	  -include $(BUILD)/$*/options.h -include $*/config.h -include $*/kernel.cuh $< -o $@.new
	$Q$@.new && mv -f $@.new $@

$(STAGES:%=$(BUILD)/%/main.o): $(BUILD)/%/main.o: $(SOURCES)%/main.cu $(BUILD)/%/options.h $(BUILD)/%/preflight
	$(call say,$(if $(filter cuda,$(backend)),NVCC,CXX),$<)
	$Q$(COMPILE) -MMD -MP -MF $(@:.o=.d) -include $(BUILD)/$*/options.h -c $< -o $@
$(STAGES:%=$(BUILD)/%/run): $(BUILD)/%/run: $(BUILD)/%/main.o $(OBJECTS)
	$(call say,LINK,$*/run)
	$Q$(LINK) -o $@.new && mv -f $@.new $@
$(STAGES:%=%/run): %/run: $(BUILD)/%/run FORCE
	@common/make/install.sh $< $*

# ---- Reading -------------------------------------------------------------------------------------

help:
	@sed -n -e 's/(STAGES)/($(subst $() ,$(comma) ,$(NUMBERS)))/' -e 's/^## \{0,1\}//p' Makefile
diff:
	@common/make/diff.sh $(call quote,$(FROM)) $(call quote,$(TO))
## make compare                            what each stage changed, in counts of the emulator
include common/make/compare.mk

# ---- Tests ---------------------------------------------------------------------------------------

## make fuzz COUNT=100                     random configs and sizes of each stage, all that is legal
include common/make/fuzz.mk
## make test-all                           the tests, with those that take long
include common/make/tests.mk

# ---- Measuring -----------------------------------------------------------------------------------

## make resources                          registers, spills, shared memory of the kernels (nvcc)
include common/make/resources.mk
## make bench SIZES=all                    all stages and their peers in turn; rows to plots/data (GPU)
## make reproduce                          each stage alone, beside the article's figures (GPU)
## make curve                              how 03 begins after a light and after a heavy kernel (GPU)
include common/make/bench.mk
## make evidence                           the emulator's counts beside Nsight Compute's (GPU)
## make who-sees                           who notices each defect of common/tools/broken/broken.txt (GPU)
## make latencies                          clocks of single instructions, for --explain (GPU)
## make experiments                        what the changes of common/tools/lab/experiments.txt bring (GPU)
include common/make/evidence.mk
## make tune STAGE=03 BUDGET=5             search for a better config on this GPU; writes a preset
## make profile STAGE=01                   what Nsight Compute counts: conflicts, tensor cores, stalls
## make sass STAGE=03                      the main loop as machine code, with source lines
include common/make/tune.mk
## make plots                              every figure, from the code and from plots/data
plots:
	@common/make/plots.sh $(call quote,$(PYTHON)) $(BUILD)/venv

# ---- Keeping -------------------------------------------------------------------------------------

## make docs                               what programs write of the pages: samples, tables
include common/make/pages.mk
## make format                             clang-format on every source file
format format-check:
	@common/make/format.sh $@
## make doctor                             what is installed, and how to get what is missing
doctor:
	@common/make/doctor.sh $(foreach v,CXX NVCC PYTHON,$(call quote,$($v)))
## make compile_commands.json              how each source is compiled, for editors
## make clean                              remove all that make has built
clean:
	rm -rf $(BUILD) compile_commands.json $(STAGES:%=%/run)

# ---- What `make test` runs, of all that stands above ---------------------------------------------

ifneq ($(filter test test-all,$(GOALS)),)
  include common/make/suites.mk
endif
-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/*/*/*/*.d)
