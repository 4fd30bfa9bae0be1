package nginxtest

import (
	"hash/fnv"
	"iter"
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

// CasesUntil yields as many cases as Cases says, and then more as long as they do not show enough of what the test is about:
// so that a guard against a test of nothing does not miss by chance. It ends at twenty times as many.
func CasesUntil(t testing.TB, few int, enough func() bool) iter.Seq[int] {
	t.Helper()
	n := Cases(t, few)
	return func(yield func(int) bool) {
		for i := 0; i < n || i < 20*max(n, few) && !enough(); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Random returns a generator whose seed is printed where the test fails; NGXLIMIT_SEED repeats a run. Under one seed each test
// draws its own numbers: two tests that make their cases alike do not ask about the same ones.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := number(t, "NGXLIMIT_SEED", rand.Uint64())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with NGXLIMIT_SEED=%d", seed)
		}
	})
	own := fnv.New64a()
	_, _ = own.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, own.Sum64()))
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
