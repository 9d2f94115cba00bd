Makefile:66: *** M=2147483648 is refused: a field takes a whole number from 0 to 2147483647, in digits.  Stop.
