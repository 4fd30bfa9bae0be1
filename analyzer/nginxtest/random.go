package nginxtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Cases says how many random cases a test that asks nginx is to run: few by default, NGXLIMIT_LIVE_CASES where it is set.
func Cases(t testing.TB, few int) int {
	t.Helper()
	return int(number(t, "NGXLIMIT_LIVE_CASES", uint64(few)))
}

// Random returns a generator whose seed is printed where the test fails; NGXLIMIT_SEED repeats a run.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := number(t, "NGXLIMIT_SEED", rand.Uint64())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with NGXLIMIT_SEED=%d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

func number(t testing.TB, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is no number: %q", variable, text)
	}
	return n
}
