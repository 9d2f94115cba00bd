Makefile:73: *** ccache does not compile C++17: install g++ 9 or clang++ 10, or newer, or name another compiler, as in CXX=g++-12.  Stop.
