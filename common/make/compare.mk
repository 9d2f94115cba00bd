# `make compare`, and the traces that `make plots` draws. Included by the Makefile.
# Both run on the emulator, whatever the backend, and on the same problem for all stages: what is
# not named here comes from a stage's config.h.
COMPARED := M=256 N=256 K=512 BM=128 BN=128 BK=64 warps_per_block_m=2 warps_per_block_n=2
compare: $(STAGES:%=$(BUILD)/compare/%)
	@common/tools/compare/compare.sh $^
$(STAGES:%=$(BUILD)/compare/%): $(BUILD)/compare/%: common/tools/compare/counters.cpp \
    $(filter $(BUILD)/emulator/emulator/% %/tensor_map_emulator.o %/tensor_map_rules.o %/text.o,\
    $(EMULATOR_OBJECTS)) $(HEADERS)
	$(call say,CXX,$@)
	$Qcommon/make/options.sh header $* 120 120a '' $(COMPARED) > $@.h
	$Q$(CXX) $(CXXFLAGS) -include $@.h -include $*/config.h -include $*/kernel.cuh \
	  $(filter %.cpp %.o,$^) -o $@

# A block of two warps, and two laps over three buffers: small enough to see every k-step.
TRACED := M=32 N=32 K=384 BM=32 BN=32 BK=64 warps_per_block_m=2 warps_per_block_n=1
TRACES := $(STAGES:%=$(BUILD)/trace/%.csv)
plots: $(TRACES)
$(TRACES): $(BUILD)/trace/%.csv: 00_naive/main.cu $(EMULATOR_OBJECTS) $(HEADERS)
	$(call say,TRACE,$@)
	$Qcommon/make/options.sh header $* 120 120a '' $(TRACED) > $(basename $@).h
	$Q$(CXX) $(CXXFLAGS) -include $(basename $@).h -x c++ $*/main.cu -x none $(EMULATOR_OBJECTS) \
	  -o $(basename $@)
	$Q$(basename $@) --schedule lazy --trace $@ > /dev/null
