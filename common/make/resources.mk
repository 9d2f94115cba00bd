# `make resources`: what ptxas says of each kernel. Included by the Makefile.

PTXAS := $(foreach arch,$(ARCHS),$(CHOSEN:%=$(BUILD)/%/ptxas.$(arch)))
resources: $(PTXAS)
	@common/make/resources.sh $^
$(PTXAS): common/make/instantiate.cu $(HEADERS) $(CHOSEN:%=$(BUILD)/%/preflight)
	$(call say,PTXAS,$@)
	$Qcommon/make/ptxas.sh $@ $(NVCC) $(if $(CCBIN),-ccbin $(CCBIN))
