package pcre

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

// TestBroken compares refusals with those of PCRE2 10.42 for patterns that are broken in every way its messages name, and
// for random pieces of them: what is refused here PCRE refuses, in the same words at the same place; and what PCRE refuses is
// refused here unless it is of a kind that is not read at all.
func TestBroken(t *testing.T) {
	path := "testdata/broken.ndjson"
	if p := os.Getenv("BROKEN"); p != "" {
		path = p
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	refused, taken, unread := 0, 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var c struct {
			P, Err string
			Off    int
		}
		if err := json.Unmarshal(scanner.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		re := New(bytesOf(c.P), false)
		var got *SyntaxError
		switch {
		case errors.As(re.Refused(), &got) && c.Err == "":
			t.Errorf("%q: refused: %s at %d", c.P, got.Text, got.Offset)
		case got != nil && (got.Text != c.Err || got.Offset != c.Off):
			t.Errorf("%q: %s at %d, PCRE2: %s at %d", c.P, got.Text, got.Offset, c.Err, c.Off)
		case got != nil:
			refused++
		case c.Err == "":
			taken++
		case re.Err() != nil:
			unread++
		default:
			t.Errorf("%q: taken, PCRE2: %s at %d", c.P, c.Err, c.Off)
		}
	}
	t.Logf("%d refused, %d taken, %d that PCRE refuses were not read", refused, taken, unread)
	if refused < 300 || taken < 50 || unread > refused/10 {
		t.Error("the cases do not cover what they should")
	}
}
