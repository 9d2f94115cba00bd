# `make docs`: what programs write of the pages. Included by the Makefile. Each page is written anew
# into this folder, so that the check of `make test` sees it, too, and touches none.
WRITTEN := $(BUILD)/pages
MARKED_PAGES := $(filter-out docs/reference.md,\
  $(shell grep -lE '^<!-- (made by: |cites: |.*:begin)' /dev/null $(wildcard README.md docs/*.md */README.md)))
WRITTEN_PAGES := $(patsubst %,$(WRITTEN)/%,docs/legal_configs.md docs/reference.md $(MARKED_PAGES))

# Of each stage: the rows of docs/legal_configs.md, and the reports that pages show.
$(STAGES:%=$(WRITTEN)/%.rows): $(WRITTEN)/%.rows: $(wildcard common/tools/pages/legal_configs.*)
	$(call say,CXX,$@)
	$Qcommon/tools/pages/legal_configs.sh rows $* $(@D) $(CXX) -std=c++17 -O0 -w
$(WRITTEN)/marks: FORCE
	$(call update,grep -h '^<!-- made by: ' /dev/null $(MARKED_PAGES))
$(STAGES:%=$(WRITTEN)/%.samples): $(WRITTEN)/%.samples: $(WRITTEN)/marks \
    common/tools/pages/samples.sh common/tools/pages/edits.txt $(wildcard common/tools/broken/*) $(EMULATOR_OBJECTS)
	$(call say,RUN,$@)
	@common/tools/pages/samples.sh $* $(@D) $(CXX) $(CXXFLAGS) -O1 $(EMULATOR_OBJECTS) < $< > $@
$(foreach stage,$(STAGES),$(eval \
  $(WRITTEN)/$(stage).rows $(WRITTEN)/$(stage).samples: $(filter common/% $(stage)/%,$(HEADERS))))

# The tables of measurements come from plots/NAME.py, for the marks <!-- NAME:begin -->; without
# Python they stay as they are.
TABLE_TOOLS := $(wildcard plots/*.py plots/*.cpp plots/data/*.csv common/host/*/*.cpp)
HAS_PYTHON := $(shell command -v $(PYTHON))
tables_of = $(foreach name,$(subst -,_,$(shell sed -n 's/^<!-- \(.*\):begin -->/\1/p' $1)),\
  && PAGES=$(WRITTEN) CXX='$(CXX)' $(PYTHON) plots/$(name).py > $@.said)

# A page that cannot be written is missing, and why stands beside it.
write_page = @mkdir -p $(@D); rm -f $@; { $1 > $@ $2; } 2> $@.why || rm -f $@
$(WRITTEN)/docs/legal_configs.md: $(STAGES:%=$(WRITTEN)/%.rows)
	$(call write_page,common/tools/pages/legal_configs.sh page $(WRITTEN))
$(MARKED_PAGES:%=$(WRITTEN)/%): $(WRITTEN)/%: % common/tools/pages/pages.awk \
    $(STAGES:%=$(WRITTEN)/%.samples) $(HEADERS) $(if $(HAS_PYTHON),$(TABLE_TOOLS))
	$(call write_page,awk -f common/tools/pages/pages.awk $(filter %.samples,$^) page=1 $<,\
	  $(if $(HAS_PYTHON),$(call tables_of,$<)))
# The table of fields, with the stages that the README lists (prose.sh tells of others), and the
# rows of counters in the table of JSON keys.
LISTED := $(filter $(shell common/tests/suites/prose.sh listed),$(STAGES))
$(WRITTEN)/field_table $(WRITTEN)/counter_rows: $(WRITTEN)/%: common/tools/pages/%.cpp \
    $(wildcard common/*.inc common/emulator/counters.*)
	$(call say,CXX,$<)
	$Q$(CXX) -std=c++17 $< -o $@
$(WRITTEN)/docs/reference.md: docs/reference.md $(WRITTEN)/field_table $(WRITTEN)/counter_rows \
    common/tools/pages/between.awk README.md $(STAGES:%=%/config.h)
	@$(WRITTEN)/counter_rows > $(WRITTEN)/counter_rows.txt
	$(call write_page,$(WRITTEN)/field_table $(LISTED) | awk -f common/tools/pages/between.awk \
	  -v from='<!-- fields:begin -->' -v to='<!-- fields:end -->' - $< | \
	  awk -f common/tools/pages/between.awk -v from='| `wrong_launches`' -v to='| `war_hazards`' \
	  $(WRITTEN)/counter_rows.txt -)

docs: $(WRITTEN_PAGES)
	@common/tools/pages/docs.sh write $(WRITTEN) $^
