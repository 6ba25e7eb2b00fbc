// few.h: what compilers are told about loops that are not worth vectors. Stands where hints.h does, behind it.

// The loop around this has few iterations, and no vectors are to be made of them.
#if defined(__GNUC__)
#define KZ_ONE_BY_ONE __asm__ volatile("");
#else
#define KZ_ONE_BY_ONE
#endif
