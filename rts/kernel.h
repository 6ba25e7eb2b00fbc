// kernel.h: the beginning of the text of all kernels, in OpenCL C 1.2 and in CUDA C++: what integer.h, bits.h, real.h, convert.h and
// half.h stand on there, which may follow in this order, and what kernels are written with. It needs no other file.
//
// A kernel is
//   KZ_KERNEL name(KZ_GLOBAL int *kz_error, int64_t kz_threads, …) { … if (kz_thread() >= kz_threads) return; … }
// with parameters that are scalars, `int8_t` for `bool`, or pointers to KZ_GLOBAL. A check that fails is
//   { KZ_FAIL(id, count, value, …); return; }
// with an id other than 0 and at most 15 values of type int64_t, or integers that fit; without any it is KZ_FAIL(id, 0, 0).

#ifdef __OPENCL_VERSION__
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#else
#define KZ_NO_F64
#endif
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
#define INT64_C(x) x##L
#define UINT64_C(x) x##UL
#define KZ_FN static inline
#define KZ_KERNEL __kernel void
#define KZ_GLOBAL __global
#define KZ_LOCAL __local // of a variable of a kernel that the threads of a group share
#define KZ_SHARED __local // of what a pointer to their memory points to
#define KZ_BLOCK_KERNEL __kernel void
#define KZ_CROWDED_KERNEL __kernel void
#define KZ_SHARED_PARAM , __local long *kz_shared
#define KZ_SHARED_BEGIN
#define KZ_ROWS_BEGIN(block, blocks, lanes)
#define KZ_LANE_LOOP
#define KZ_PRIVATE __private
#define KZ_CONSTANT __constant // of a table
#define KZ_RESTRICT restrict
#define KZ_POPC(x) ((int32_t)popcount(x))
#define KZ_CLZ(x) ((int32_t)clz(x))
#define KZ_MUL_HI(x, y) mul_hi(x, y)
#define KZ_SAME_BITS(T, to, from) to = as_##T(from)
#define as_uint32_t as_uint
#define as_uint64_t as_ulong
KZ_FN int64_t kz_thread(void) { return (int64_t)get_global_id(0); }
KZ_FN int64_t kz_group(void) { return (int64_t)get_group_id(0); }
KZ_FN int32_t kz_lane(void) { return (int32_t)get_local_id(0); }
KZ_FN int32_t kz_lane_again(void) { return kz_lane(); }
KZ_FN int64_t kz_group_size(void) { return (int64_t)get_local_size(0); }
KZ_FN void kz_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
KZ_FN bool kz_swap_if_zero(KZ_GLOBAL int *at, int to) { return atomic_cmpxchg((volatile KZ_GLOBAL int *)at, 0, to) == 0; }
#define KZ_WRITE_OUT
// The lanes of a team have no other way than through the memory of their group.
#define KZ_TEAM 16
#define KZ_OF_TEAM(team, busy) ((team) * KZ_TEAM + KZ_TEAM < (busy) ? (team) * KZ_TEAM + KZ_TEAM - 1 : (busy) - 1)
KZ_FN int64_t kz_groups(void) { return (int64_t)get_num_groups(0); }
// What threads do to an element at once, in the space that is named: KZ_GLOBAL or KZ_SHARED.
#define kz_look_32(space, at) (*(volatile space uint *)(at))
#define kz_look_64(space, at) (*(volatile space ulong *)(at))
#define kz_put_32(space, at, x) (void)(*(volatile space uint *)(at) = (uint)(x))
#define kz_put_64(space, at, x) (void)(*(volatile space ulong *)(at) = (ulong)(x))
#define kz_swap_if_32(space, at, was, to) atomic_cmpxchg((volatile space uint *)(at), was, to)
#define kz_add_32(space, at, x) (void)atomic_add((volatile space int *)(at), (int)(x))
#define kz_min_i32(space, at, x) (void)atomic_min((volatile space int *)(at), (int)(x))
#define kz_max_i32(space, at, x) (void)atomic_max((volatile space int *)(at), (int)(x))
#define kz_min_u32(space, at, x) (void)atomic_min((volatile space uint *)(at), (uint)(x))
#define kz_max_u32(space, at, x) (void)atomic_max((volatile space uint *)(at), (uint)(x))
#define kz_and_32(space, at, x) (void)atomic_and((volatile space uint *)(at), (uint)(x))
#define kz_or_32(space, at, x) (void)atomic_or((volatile space uint *)(at), (uint)(x))
#define kz_xor_32(space, at, x) (void)atomic_xor((volatile space uint *)(at), (uint)(x))
#define kz_add_f32(space, at, x) kz_add_f32_##space(at, x)
#define KZ_TRY(space, T, U, bits, at, x, as_T, as_U, now)                                                              \
  U seen = kz_look_##bits(space, at), was;                                                                            \
  do {                                                                                                                \
    was = seen;                                                                                                       \
    T old = as_T(was);                                                                                                \
    seen = kz_swap_if_##bits(space, at, was, as_U(now));                                                              \
  } while (seen != was);
KZ_FN void kz_add_f32_KZ_GLOBAL(KZ_GLOBAL float *at, float x) {
  KZ_TRY(KZ_GLOBAL, float, uint, 32, at, x, as_float, as_uint, old + x)
}
KZ_FN void kz_add_f32_KZ_SHARED(KZ_SHARED float *at, float x) {
  KZ_TRY(KZ_SHARED, float, uint, 32, at, x, as_float, as_uint, old + x)
}
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
KZ_FN uint64_t kz_take_word(KZ_GLOBAL uint64_t *board, uint64_t x) { return atom_add((volatile KZ_GLOBAL ulong *)board, x); }
KZ_FN void kz_publish_word(KZ_GLOBAL uint64_t *at, uint64_t word) { (void)atom_xchg((volatile KZ_GLOBAL ulong *)at, word); }
#define KZ_TAKES_WORDS
#define kz_swap_if_64(space, at, was, to) atom_cmpxchg((volatile space ulong *)(at), was, to)
#define kz_add_64(space, at, x) (void)atom_add((volatile space long *)(at), (long)(x))
#define KZ_TRY_64(name, T, now)                                                                                       \
  KZ_FN void kz_##name##_KZ_GLOBAL(KZ_GLOBAL T *at, T x) {                                                            \
    KZ_TRY(KZ_GLOBAL, T, ulong, 64, at, x, as_##T, as_ulong, now)                                                     \
  }                                                                                                                   \
  KZ_FN void kz_##name##_KZ_SHARED(KZ_SHARED T *at, T x) {                                                            \
    KZ_TRY(KZ_SHARED, T, ulong, 64, at, x, as_##T, as_ulong, now)                                                     \
  }
#ifdef cl_khr_fp64
KZ_TRY_64(add_f64, double, old + x)
#define kz_add_f64(space, at, x) kz_add_f64_##space(at, x)
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define kz_min_i64(space, at, x) (void)atom_min((volatile space long *)(at), (long)(x))
#define kz_max_i64(space, at, x) (void)atom_max((volatile space long *)(at), (long)(x))
#define kz_min_u64(space, at, x) (void)atom_min((volatile space ulong *)(at), (ulong)(x))
#define kz_max_u64(space, at, x) (void)atom_max((volatile space ulong *)(at), (ulong)(x))
#define kz_and_64(space, at, x) (void)atom_and((volatile space ulong *)(at), (ulong)(x))
#define kz_or_64(space, at, x) (void)atom_or((volatile space ulong *)(at), (ulong)(x))
#define kz_xor_64(space, at, x) (void)atom_xor((volatile space ulong *)(at), (ulong)(x))
#else
KZ_TRY_64(min_i64, long, min(old, x))
KZ_TRY_64(max_i64, long, max(old, x))
KZ_TRY_64(min_u64, ulong, min(old, x))
KZ_TRY_64(max_u64, ulong, max(old, x))
KZ_TRY_64(and_64, ulong, old & x)
KZ_TRY_64(or_64, ulong, old | x)
KZ_TRY_64(xor_64, ulong, old ^ x)
#define kz_min_i64(space, at, x) kz_min_i64_##space(at, x)
#define kz_max_i64(space, at, x) kz_max_i64_##space(at, x)
#define kz_min_u64(space, at, x) kz_min_u64_##space(at, x)
#define kz_max_u64(space, at, x) kz_max_u64_##space(at, x)
#define kz_and_64(space, at, x) kz_and_64_##space((space ulong *)(at), (ulong)(x))
#define kz_or_64(space, at, x) kz_or_64_##space((space ulong *)(at), (ulong)(x))
#define kz_xor_64(space, at, x) kz_xor_64_##space((space ulong *)(at), (ulong)(x))
#endif
#else
KZ_FN void kz_publish_word(KZ_GLOBAL uint64_t *at, uint64_t word) { *(volatile KZ_GLOBAL uint64_t *)at = word; }
#endif
// Whoever has got a lock sees what was written by those who had it before.
#define kz_lock(space, at) kz_lock_##space(at)
#define kz_unlock(space, at) kz_unlock_##space(at)
KZ_FN bool kz_lock_KZ_GLOBAL(KZ_GLOBAL int *at) {
  if (atomic_cmpxchg((volatile KZ_GLOBAL int *)at, 0, 1) != 0) return false;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  return true;
}
KZ_FN void kz_unlock_KZ_GLOBAL(KZ_GLOBAL int *at) {
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  (void)atomic_xchg((volatile KZ_GLOBAL int *)at, 0);
}
KZ_FN bool kz_lock_KZ_SHARED(KZ_SHARED int *at) {
  if (atomic_cmpxchg((volatile KZ_SHARED int *)at, 0, 1) != 0) return false;
  mem_fence(CLK_LOCAL_MEM_FENCE);
  return true;
}
KZ_FN void kz_unlock_KZ_SHARED(KZ_SHARED int *at) {
  mem_fence(CLK_LOCAL_MEM_FENCE);
  (void)atomic_xchg((volatile KZ_SHARED int *)at, 0);
}
// The functions of C for float have the names of those for double.
#define copysignf copysign
#define sqrtf sqrt
#define fmaf fma
#define ldexpf ldexp
#define fmodf fmod
#define powf pow
#define atan2f atan2
#define hypotf hypot
#define nextafterf nextafter
#define fabsf fabs
#define cbrtf cbrt
#define expf exp
#define logf log
#define log2f log2
#define log10f log10
#define log1pf log1p
#define sinf sin
#define cosf cos
#define tanf tan
#define asinf asin
#define acosf acos
#define atanf atan
#define sinhf sinh
#define coshf cosh
#define tanhf tanh
#define asinhf asinh
#define acoshf acosh
#define atanhf atanh
#define tgammaf tgamma
#define lgammaf lgamma
#define erff erf
#define erfcf erfc
#define ceilf ceil
#define floorf floor
#define truncf trunc
#define rintf rint
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
#define KZ_FN static __device__ inline
#define KZ_KERNEL extern "C" __global__ void
#define KZ_GLOBAL
#define KZ_LOCAL __shared__
#define KZ_SHARED
#define KZ_BLOCK_KERNEL extern "C" __global__ void __launch_bounds__(KZ_MOST_LANES)
// One with so much in registers that a processor would have room for one block only, if nobody said that there must be two.
#define KZ_CROWDED_KERNEL extern "C" __global__ void __launch_bounds__(KZ_MOST_LANES, 2)
#define KZ_SHARED_PARAM
#define KZ_PRIVATE
#define KZ_CONSTANT static __constant__ const
#define KZ_RESTRICT __restrict__
#define KZ_POPC(x) __popcll(x)
#define KZ_CLZ(x) __clzll((long long)(x))
#define KZ_MUL_HI(x, y) __umul64hi(x, y)
#define FLT_MAX 0x1.fffffep127f
#define DBL_MAX 0x1.fffffffffffffp1023
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
// The instructions give the nearest number that there is, but for NaN and the infinities.
#define kz_nearest_f32_to_i32 __float2int_rz
#define kz_nearest_f32_to_i64 __float2ll_rz
#define kz_nearest_f64_to_i32 __double2int_rz
#define kz_nearest_f64_to_i64 __double2ll_rz
#define KZ_TRUNCATE(name, F, MAX, I, LOW, HIGH, BOUND)                                                                \
  KZ_FN I name(F x) { return x >= -MAX && x <= MAX ? kz_nearest_##name(x) : 0; }
KZ_FN int64_t kz_thread(void) { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
// Blocks of 32 lanes may be the warps of groups, each with its part of the memory of its group: KZ_WARPS is defined then. What
// follows the last of them has nothing to do.
#ifdef KZ_WARPS
#define KZ_SHARED_BEGIN                                                                                               \
  extern __shared__ __align__(16) long long kz_of_group[];                                                            \
  long long *const kz_shared = kz_of_group + kz_group_bytes() / (blockDim.x / 32) / 8 * (threadIdx.x / 32);
KZ_FN uint32_t kz_group_bytes(void) {
  uint32_t bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
#define KZ_ROWS_BEGIN(block, blocks, lanes)                                                                           \
  if ((block) >= (blocks)) return;                                                                                    \
  __builtin_assume((lanes) == 32);
#define KZ_LANE_LOOP _Pragma("unroll 4")
#define KZ_ANY_LANE(x) __any_sync(0xffffffffu, x)
KZ_FN int64_t kz_group(void) { return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; }
KZ_FN int32_t kz_lane(void) { return (int32_t)threadIdx.x % 32; }
KZ_FN int64_t kz_group_size(void) { return 32; }
KZ_FN void kz_barrier(void) { __syncwarp(); }
#else
#define KZ_SHARED_BEGIN extern __shared__ __align__(16) long long kz_shared[];
#define KZ_ROWS_BEGIN(block, blocks, lanes)
#define KZ_LANE_LOOP
#define KZ_ANY_LANE(x) __syncthreads_or(x)
KZ_FN int64_t kz_group(void) { return (int64_t)blockIdx.x; }
KZ_FN int32_t kz_lane(void) { return (int32_t)threadIdx.x; }
KZ_FN int64_t kz_group_size(void) { return (int64_t)blockDim.x; }
KZ_FN void kz_barrier(void) { __syncthreads(); }
#endif
// The same, but what depends on it is computed again each time: where registers are scarce, that is better than to keep it.
KZ_FN uint32_t kz_lane_again(void) {
  uint32_t lane = threadIdx.x;
  asm volatile("" : "+r"(lane));
  return lane;
}
KZ_FN int64_t kz_groups(void) { return (int64_t)gridDim.x; }
#define KZ_WRITE_OUT _Pragma("unroll")
#define KZ_TEAM 32
#define KZ_OF_TEAM(team, busy) (team)
#define KZ_FROM_BELOW(x, lanes) __shfl_up_sync(0xffffffffu, x, lanes)
#define KZ_FROM_LANE(x, lane) __shfl_sync(0xffffffffu, x, lane)
KZ_FN uint64_t kz_take_word(uint64_t *board, uint64_t x) { return atomicAdd(board, x); }
#define KZ_TAKES_WORDS
KZ_FN void kz_publish_word(uint64_t *at, uint64_t word) { *(volatile uint64_t *)at = word; }
KZ_FN bool kz_swap_if_zero(KZ_GLOBAL int *at, int to) { return atomicCAS(at, 0, to) == 0; }
// What threads do to an element at once, in the space that is named. Tools that look for races in shared memory know nothing of
// locks, so that all is done by atomic instructions there: by those that the device has in shared memory, also for 64 bits.
#define kz_look_32(space, at) kz_look_32_##space((uint32_t *)(at))
#define kz_look_64(space, at) kz_look_64_##space((uint64_t *)(at))
#define kz_look_32_KZ_GLOBAL(at) (*(volatile uint32_t *)(at))
#define kz_look_64_KZ_GLOBAL(at) (*(volatile uint64_t *)(at))
#define kz_look_32_KZ_SHARED(at) atomicOr(at, 0u)
#define kz_look_64_KZ_SHARED(at) atomicCAS(at, 0ull, 0ull)
#define kz_put_32(space, at, x) kz_put_32_##space((uint32_t *)(at), x)
#define kz_put_64(space, at, x) kz_put_64_##space((uint64_t *)(at), x)
#define kz_put_32_KZ_GLOBAL(at, x) (void)(*(volatile uint32_t *)(at) = (x))
#define kz_put_64_KZ_GLOBAL(at, x) (void)(*(volatile uint64_t *)(at) = (x))
#define kz_put_32_KZ_SHARED(at, x) (void)atomicExch(at, x)
#define kz_put_64_KZ_SHARED(at, x) (void)atomicExch(at, x)
#define kz_swap_if_32(space, at, was, to) atomicCAS((uint32_t *)(at), was, to)
#define kz_swap_if_64(space, at, was, to) atomicCAS((uint64_t *)(at), was, to)
#define kz_add_32(space, at, x) (void)atomicAdd((unsigned *)(at), (unsigned)(x))
#define kz_add_64(space, at, x) (void)atomicAdd((unsigned long long *)(at), (unsigned long long)(x))
#define kz_add_f32(space, at, x) (void)atomicAdd(at, (float)(x))
#define kz_add_f64(space, at, x) (void)atomicAdd(at, (double)(x))
#define kz_min_i32(space, at, x) (void)atomicMin((int *)(at), (int)(x))
#define kz_max_i32(space, at, x) (void)atomicMax((int *)(at), (int)(x))
#define kz_min_u32(space, at, x) (void)atomicMin((unsigned *)(at), (unsigned)(x))
#define kz_max_u32(space, at, x) (void)atomicMax((unsigned *)(at), (unsigned)(x))
#define kz_min_i64(space, at, x) (void)atomicMin((long long *)(at), (long long)(x))
#define kz_max_i64(space, at, x) (void)atomicMax((long long *)(at), (long long)(x))
#define kz_min_u64(space, at, x) (void)atomicMin((unsigned long long *)(at), (unsigned long long)(x))
#define kz_max_u64(space, at, x) (void)atomicMax((unsigned long long *)(at), (unsigned long long)(x))
#define kz_and_32(space, at, x) (void)atomicAnd((unsigned *)(at), (unsigned)(x))
#define kz_or_32(space, at, x) (void)atomicOr((unsigned *)(at), (unsigned)(x))
#define kz_xor_32(space, at, x) (void)atomicXor((unsigned *)(at), (unsigned)(x))
#define kz_and_64(space, at, x) (void)atomicAnd((unsigned long long *)(at), (unsigned long long)(x))
#define kz_or_64(space, at, x) (void)atomicOr((unsigned long long *)(at), (unsigned long long)(x))
#define kz_xor_64(space, at, x) (void)atomicXor((unsigned long long *)(at), (unsigned long long)(x))
// Whoever has got a lock sees what was written by those who had it before.
#define kz_lock(space, at) kz_lock_##space(at)
#define kz_unlock(space, at) kz_unlock_##space(at)
KZ_FN bool kz_lock_KZ_GLOBAL(int *at) {
  if (atomicCAS(at, 0, 1) != 0) return false;
  __threadfence();
  return true;
}
KZ_FN void kz_unlock_KZ_GLOBAL(int *at) {
  __threadfence();
  (void)atomicExch(at, 0);
}
KZ_FN bool kz_lock_KZ_SHARED(int *at) {
  if (atomicCAS(at, 0, 1) != 0) return false;
  __threadfence_block();
  return true;
}
KZ_FN void kz_unlock_KZ_SHARED(int *at) {
  __threadfence_block();
  (void)atomicExch(at, 0);
}
#endif

// Numbers of iterations and some of what is computed from them. Where KZ_NARROW is defined, they fit into 32 bits; with KZ_WIDE
// they have 64 bits all the same, which is for tests.
#if defined(KZ_NARROW) && !defined(KZ_WIDE)
typedef int32_t kz_int;
#else
typedef int64_t kz_int;
#endif

#define KZ_MOST_LANES 256
// Set by a lane whose check has failed.
#define KZ_FAILED ((KZ_SHARED volatile int32_t *)kz_shared)
// The first thing that a thread does, and one of a block: nothing is done where a check of an earlier kernel has failed, since the
// host does not wait for that. KZ_CHECKED is defined if there is such a check. All lanes of a block go the same way, even
// if another block fails meanwhile; from here on they see that none of theirs has.
#ifndef KZ_CHECKED
#define KZ_BEGIN
#define KZ_BLOCK_BEGIN
#else
#define KZ_BEGIN                                                                                                      \
  if (*(volatile KZ_GLOBAL int *)kz_error != 0) return;
#ifdef __OPENCL_VERSION__
#define KZ_BLOCK_BEGIN                                                                                                \
  if (kz_lane() == 0) *KZ_FAILED = *kz_error;                                                                         \
  kz_barrier();                                                                                                       \
  int32_t kz_failed_before = *KZ_FAILED;                                                                              \
  kz_barrier();                                                                                                       \
  if (kz_failed_before != 0) return;
#else
#define KZ_BLOCK_BEGIN                                                                                                \
  if (kz_lane() == 0) *KZ_FAILED = 0;                                                                                 \
  if (KZ_ANY_LANE(*(volatile int *)kz_error != 0)) return;
#endif
#endif
// What the blocks of a launch tell each other is on a board of 64-bit words, which all launches share. The first word is how many
// blocks have taken a number, and in its upper half which launch it is; the last block makes it the next one. A word that was
// published has the launch in its upper half, one more, and a value in its lower. So each word is whole whenever it is read, and
// nobody has to clear the board.
#define KZ_TAKEN ((KZ_SHARED volatile uint64_t *)kz_shared + 1)
#define KZ_NUMBER (int64_t)(uint32_t)*KZ_TAKEN
#define KZ_TURN (uint32_t)(*KZ_TAKEN >> 32) + 1
KZ_FN uint64_t kz_take(KZ_GLOBAL uint64_t *board) {
  const uint64_t groups = (uint64_t)kz_groups();
#ifdef KZ_TAKES_WORDS
  const uint64_t taken = kz_take_word(board, 1);
  if ((taken & 0xffffffffu) + 1 == groups) (void)kz_take_word(board, (UINT64_C(1) << 32) - groups);
  return taken;
#else
  volatile KZ_GLOBAL uint *halves = (volatile KZ_GLOBAL uint *)board;
  const uint64_t launch = atomic_add(halves + 1, 0);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  const uint64_t number = atomic_inc(halves);
  if (number + 1 == groups) {
    atomic_xchg(halves, 0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(halves + 1);
  }
  return launch << 32 | number;
#endif
}
KZ_FN void kz_publish(KZ_GLOBAL uint64_t *at, uint32_t turn, uint32_t value) {
  kz_publish_word(at, (uint64_t)turn << 32 | value);
}
KZ_FN uint64_t kz_published(KZ_GLOBAL const uint64_t *at) { return *(volatile KZ_GLOBAL const uint64_t *)at; }
KZ_FN bool kz_has_failed(KZ_GLOBAL const int *kz_error) { return *(volatile KZ_GLOBAL const int *)kz_error != 0; }

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX INT64_C(9223372036854775807)
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX UINT64_C(18446744073709551615)
// Where kernels run on the host's processor, half.h need not know it.
#undef __F16C__
#define KZ_UNUSED
#define KZ_UNLIKELY(x) (x)

#define KZ_COMPARISONS(p, T)                                                                                          \
  KZ_FN bool eq_##p(T x, T y) { return x == y; }                                                                      \
  KZ_FN bool ne_##p(T x, T y) { return x != y; }                                                                      \
  KZ_FN bool lt_##p(T x, T y) { return x < y; }                                                                       \
  KZ_FN bool le_##p(T x, T y) { return x <= y; }                                                                      \
  KZ_FN bool gt_##p(T x, T y) { return x > y; }                                                                       \
  KZ_FN bool ge_##p(T x, T y) { return x >= y; }

// The cell of errors is the id of the first check that failed, 0 if none has, and from its ninth byte on the values of
// that check. Only the thread that fails first has its say.
KZ_FN bool kz_fails_first(KZ_GLOBAL int *kz_error, int id) { return kz_swap_if_zero(kz_error, id); }
KZ_FN void kz_tell(KZ_GLOBAL int *kz_error, int i, int64_t value) { ((KZ_GLOBAL int64_t *)kz_error)[1 + i] = value; }
// Behind the values may be the address of a copy in the memory of the host, which then need not ask for the cell.
KZ_FN void kz_tell_host(KZ_GLOBAL int *kz_error, int id, int count) {
#ifndef __OPENCL_VERSION__
  const int64_t *cell = (const int64_t *)kz_error;
  volatile int64_t *copy = ((int64_t *const *)kz_error)[16];
  if (copy == 0) return;
  for (int i = 1; i <= count; i++) copy[i] = cell[i];
  __threadfence_system();
  *(volatile int *)copy = id;
#endif
}
#define KZ_FAIL(id, count, ...)                                                                                       \
  do {                                                                                                                \
    const int64_t kz_values[] = {__VA_ARGS__};                                                                        \
    if (kz_fails_first(kz_error, id)) {                                                                               \
      for (int kz_i = 0; kz_i < (count); kz_i++) kz_tell(kz_error, kz_i, kz_values[kz_i]);                            \
      kz_tell_host(kz_error, id, count);                                                                              \
    }                                                                                                                 \
  } while (0)
