# `make resources`: what ptxas says of each kernel. Included by the Makefile.

PTXAS := $(foreach arch,$(ARCHS),$(CHOSEN:%=$(BUILD)/%/ptxas.$(arch)))
resources: $(PTXAS)
	@common/tools/preflight/resources.sh $^
$(PTXAS): common/tools/preflight/instantiate.cu common/tools/preflight/ptxas.sh $(HEADERS) \
    $(CHOSEN:%=$(BUILD)/%/preflight)
	$(call say,PTXAS,$@)
	$Qcommon/tools/preflight/ptxas.sh $@ $(KERNEL_COMPILE)
