// Dense products by OpenBLAS, for comparison with weft's.
//
//	blas
//
// reads lines "PRODUCT ROWS INNER COLUMNS THREADS" from standard input, the sizes being
// those of the result and of the inner index, and answers each with the seconds that one
// run took, by the wall and of the processors. Its first line names the loops that
// OpenBLAS chose.
#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

// operand returns memory for n values in large pages. Bases that are equal modulo a large
// page would share cache sets.
static float *operand(size_t n, size_t stagger) {
	size_t bytes = 4 * n + (4 << 20);
	char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) return 0;
	madvise(p, bytes, MADV_HUGEPAGE);
	float *x = (float *)(p + stagger);
	for (size_t i = 0; i < n; i++) x[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
	return x;
}

int main(void) {
	enum { most = 169343 * 256 }; // values of the largest operand
	float *a = operand(most, 0), *b = operand(most, 4288), *c = operand(most, 8576);
	if (!a || !b || !c) return 1;
	printf("%s\n", openblas_get_corename());
	fflush(stdout);
	char product[4];
	int m, k, n, threads;
	while (scanf("%3s %d %d %d %d", product, &m, &k, &n, &threads) == 5) {
		if ((int64_t)m * k > most || (int64_t)k * n > most || (int64_t)m * n > most) return 1;
		openblas_set_num_threads(threads);
		int left = product[0] == 't', right = product[1] == 't';
		double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
		cblas_sgemm(CblasRowMajor, left ? CblasTrans : CblasNoTrans, right ? CblasTrans : CblasNoTrans,
			m, n, k, 1, a, left ? m : k, b, right ? k : n, 0, c, n);
		wall = seconds(CLOCK_MONOTONIC) - wall, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		printf("%.9f %.9f\n", wall, cpu);
		fflush(stdout);
	}
	return 0;
}
