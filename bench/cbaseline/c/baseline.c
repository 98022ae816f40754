// The kernels over edges as one writes them in C, in plain loops and with
// intrinsics, for comparison with weft's.
//
//	baseline GRAPH
//
// reads a graph (n as int64, m as int64, n+1 row pointers as int64, m columns as
// int32) and then, from standard input, lines "KERNEL VARIANT COLUMNS HEADS
// THREADS". It answers each with the seconds that one run took, by the wall and
// of the processors, or with 0 0 where it lacks the variant.
#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// Bases that are equal modulo a large page would share cache sets.
static void *reserve(size_t bytes) {
	static size_t stagger;
	char *p = mmap(0, bytes + (4 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, bytes + (4 << 20), MADV_HUGEPAGE);
	stagger = (stagger + 4096 + 192) % (1 << 20);
	p += stagger / 64 * 64;
	memset(p, 0, bytes);
	return p;
}

static int64_t n, m, *ptr;
static int32_t *col;
static float *w, *x, *y, *s, *a;

#define ROWS _Pragma("omp parallel for schedule(dynamic, 256)") for (int64_t i = 0; i < n; i++)

static void spmm_plain(int k) {
	ROWS {
		float *restrict yi = y + i * k;
		for (int j = 0; j < k; j++) yi[j] = 0;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
			const float *restrict xe = x + (int64_t)col[e] * k;
			for (int j = 0; j < k; j++) yi[j] += xe[j];
		}
	}
}

static void spmmw_plain(int k, int heads) {
	int f = k / heads;
	ROWS {
		float *restrict yi = y + i * k;
		for (int j = 0; j < k; j++) yi[j] = 0;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
			const float *restrict xe = x + (int64_t)col[e] * k;
			for (int h = 0; h < heads; h++)
				for (int j = h * f; j < (h + 1) * f; j++) yi[j] += w[e * heads + h] * xe[j];
		}
	}
}

static void sddmm_plain(int k, int heads) {
	int f = k / heads;
	ROWS {
		const float *restrict yi = y + i * k;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
			const float *restrict xe = x + (int64_t)col[e] * k;
			for (int h = 0; h < heads; h++) {
				float sum = 0;
				for (int j = h * f; j < (h + 1) * f; j++) sum += yi[j] * xe[j];
				s[e * heads + h] = sum;
			}
		}
	}
}

static void softmax_plain(int heads) {
	ROWS for (int h = 0; h < heads; h++) {
		float top = -INFINITY, sum = 0;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) top = w[e * heads + h] > top ? w[e * heads + h] : top;
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) sum += a[e * heads + h] = expf(w[e * heads + h] - top);
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) a[e * heads + h] /= sum;
	}
}

static void edgeadd_plain(int k) {
	ROWS for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
		for (int j = 0; j < k; j++) a[e * k + j] = x[(int64_t)col[e] * k + j] + y[i * k + j];
}

#ifdef __AVX512F__
#define AHEAD 12
#define PREFETCH(K) do { \
	const char *p = (const char *)(x + (int64_t)col[e + AHEAD < m ? e + AHEAD : m - 1] * K); \
	for (int j = 0; j < K / 16; j++) _mm_prefetch(p + 64 * j, _MM_HINT_T0); \
} while (0)

#define SPMM(K) \
static void spmm_##K(void) { \
	ROWS { \
		__m512 sum[K / 16]; \
		for (int j = 0; j < K / 16; j++) sum[j] = _mm512_setzero_ps(); \
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) { \
			const float *xe = x + (int64_t)col[e] * K; \
			PREFETCH(K); \
			for (int j = 0; j < K / 16; j++) sum[j] = _mm512_add_ps(sum[j], _mm512_loadu_ps(xe + 16 * j)); \
		} \
		for (int j = 0; j < K / 16; j++) _mm512_storeu_ps(y + i * K + 16 * j, sum[j]); \
	} \
} \
static void spmmw_##K(void) { \
	ROWS { \
		__m512 sum[K / 16]; \
		for (int j = 0; j < K / 16; j++) sum[j] = _mm512_setzero_ps(); \
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) { \
			const float *xe = x + (int64_t)col[e] * K; \
			__m512 we = _mm512_set1_ps(w[e]); \
			PREFETCH(K); \
			for (int j = 0; j < K / 16; j++) sum[j] = _mm512_fmadd_ps(we, _mm512_loadu_ps(xe + 16 * j), sum[j]); \
		} \
		for (int j = 0; j < K / 16; j++) _mm512_storeu_ps(y + i * K + 16 * j, sum[j]); \
	} \
} \
static void sddmm_##K(void) { \
	ROWS { \
		__m512 yi[K / 16]; \
		for (int j = 0; j < K / 16; j++) yi[j] = _mm512_loadu_ps(y + i * K + 16 * j); \
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) { \
			const float *xe = x + (int64_t)col[e] * K; \
			PREFETCH(K); \
			__m512 sum = _mm512_mul_ps(yi[0], _mm512_loadu_ps(xe)); \
			for (int j = 1; j < K / 16; j++) sum = _mm512_fmadd_ps(yi[j], _mm512_loadu_ps(xe + 16 * j), sum); \
			s[e] = _mm512_reduce_add_ps(sum); \
		} \
	} \
}
SPMM(16)
SPMM(64)
SPMM(128)
SPMM(256)

// Eight heads of eight columns.
static void spmmw_8x8(void) {
	ROWS {
		__m512 sum[4];
		for (int j = 0; j < 4; j++) sum[j] = _mm512_setzero_ps();
		for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) {
			const float *xe = x + (int64_t)col[e] * 64;
			PREFETCH(64);
			for (int j = 0; j < 4; j++) {
				__m512 we = _mm512_insertf32x8(_mm512_set1_ps(w[e * 8 + 2 * j]), _mm256_set1_ps(w[e * 8 + 2 * j + 1]), 1);
				sum[j] = _mm512_fmadd_ps(we, _mm512_loadu_ps(xe + 16 * j), sum[j]);
			}
		}
		for (int j = 0; j < 4; j++) _mm512_storeu_ps(y + i * 64 + 16 * j, sum[j]);
	}
}

#define BY_WIDTH(NAME) \
	switch (k) { \
	case 16: NAME##_16(); return 1; \
	case 64: NAME##_64(); return 1; \
	case 128: NAME##_128(); return 1; \
	case 256: NAME##_256(); return 1; \
	} \
	return 0

static int intrinsics(const char *kernel, int k, int heads) {
	if (!strcmp(kernel, "spmm")) { BY_WIDTH(spmm); }
	if (!strcmp(kernel, "spmmw") && heads == 8 && k == 64) return spmmw_8x8(), 1;
	if (heads != 1) return 0;
	if (!strcmp(kernel, "spmmw")) { BY_WIDTH(spmmw); }
	if (!strcmp(kernel, "sddmm")) { BY_WIDTH(sddmm); }
	return 0;
}
#else
static int intrinsics(const char *kernel, int k, int heads) { return 0; }
#endif

static int run(const char *kernel, const char *variant, int k, int heads) {
	if (strcmp(variant, "plain")) return intrinsics(kernel, k, heads);
	if (!strcmp(kernel, "spmm")) return spmm_plain(k), 1;
	if (!strcmp(kernel, "spmmw")) return spmmw_plain(k, heads), 1;
	if (!strcmp(kernel, "sddmm")) return sddmm_plain(k, heads), 1;
	if (!strcmp(kernel, "softmax")) return softmax_plain(heads), 1;
	if (!strcmp(kernel, "edgeadd")) return edgeadd_plain(k), 1;
	return 0;
}

static void fill(float *p, size_t count) {
	for (size_t i = 0; i < count; i++) p[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
}

int main(int argc, char **argv) {
	enum { columns = 256, heads = 8 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : 0;
	if (!f || fread(&n, 8, 1, f) != 1 || fread(&m, 8, 1, f) != 1) return 1;
	ptr = reserve(8 * (n + 1));
	col = reserve(4 * m);
	if (fread(ptr, 8, n + 1, f) != n + 1 || fread(col, 4, m, f) != m) return 1;
	w = reserve(4 * m * heads), s = reserve(4 * m * heads), a = reserve(4 * m * heads);
	x = reserve(4 * n * columns), y = reserve(4 * n * columns);
	fill(w, m * heads), fill(x, n * columns), fill(y, n * columns);
	char kernel[16], variant[16];
	int k, h, threads;
	while (scanf("%15s %15s %d %d %d", kernel, variant, &k, &h, &threads) == 5) {
		if (k > columns || h > heads) return 1;
		omp_set_num_threads(threads);
		double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		int known = run(kernel, variant, k, h);
		wall = seconds(CLOCK_MONOTONIC) - wall, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		printf("%.9f %.9f\n", known * wall, known * cpu);
		fflush(stdout);
	}
	return 0;
}
