Makefile:66: *** BM=-64 is refused: a field takes a whole number from 0 to 2147483647, in digits.  Stop.
