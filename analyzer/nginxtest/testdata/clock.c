/* A clock that a test holds still: answers in place of the C library's clock functions with the milliseconds that stand in
   the file named by NGXLIMIT_CLOCK. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile int64_t *held;

__attribute__((constructor)) static void attach(void) {
	int fd = open(getenv("NGXLIMIT_CLOCK"), O_RDONLY);
	if (fd < 0)
		abort();
	held = mmap(0, sizeof *held, PROT_READ, MAP_SHARED, fd, 0);
	if (held == MAP_FAILED)
		abort();
}

int clock_gettime(clockid_t id, struct timespec *ts) {
	int64_t ms = *held;
	(void)id;
	ts->tv_sec = ms / 1000;
	ts->tv_nsec = ms % 1000 * 1000000;
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
	int64_t ms = *held;
	(void)zone;
	tv->tv_sec = ms / 1000;
	tv->tv_usec = ms % 1000 * 1000;
	return 0;
}

time_t time(time_t *t) {
	time_t s = *held / 1000;
	if (t)
		*t = s;
	return s;
}
