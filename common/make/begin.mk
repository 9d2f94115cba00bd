# What comes before a build. Included by the Makefile.
ifneq ($(words [$(BUILD)])$(shell printf %s $(call quote,$(BUILD)) | LC_ALL=C tr -d 'A-Za-z0-9_./+@-'),1)
  $(error BUILD=$(BUILD): make cannot build in a folder with a blank or a special character in its name)
endif
ifeq ($(BUILD),)
  $(error BUILD= is empty: name a folder, as in BUILD=build)
endif

# A command is one or several words, as in CXX="ccache g++". Where it is the path of a program with a
# blank in it, a program beside it in BUILD runs that one, and make never sees the blank.
with_blank = $(if $(word 2,$($1)),$(shell common/make/without_blank.sh $(BUILD)/commands/$1 $(call quote,$($1))))
# What nvcc takes from its environment would be in a program, and not in the record of how it was built.
$(if $(NVCC_APPEND_FLAGS)$(NVCC_PREPEND_FLAGS),$(info NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS do not reach nvcc))
unexport NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
BUILDS := $(filter-out help diff format format-check doctor clean,$(GOALS))
DRY := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
ifneq ($(and $(BUILDS),$(if $(DRY),,begin)),)
  PROGRAMS := $(if $(filter all profile,$(GOALS)),$(ASKED_FOR),$(call stages_named,$(GOALS:%/run=%)))
  CANNOT := $(shell common/make/begin.sh $$PPID $(BUILD) $(PROGRAMS))
  $(if $(CANNOT),$(error $(CANNOT)))
endif
$(foreach v,CXX NVCC CCBIN PYTHON,$(if $(call with_blank,$v),$(eval override $v := $(BUILD)/commands/$v)))
ifeq ($(filter clean,$(GOALS)),)
  # On all cores, unless the command line has a -j, which counts more.
  MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
endif
