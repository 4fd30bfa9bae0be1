package pcre

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// bytesOf turns text in which each character is a byte back into bytes.
func bytesOf(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// groupsOf are the offsets of the groups, those at the end that took no part left out.
func groupsOf(m []int) []int {
	if m == nil {
		return nil
	}
	m = m[2:]
	for len(m) > 0 && m[len(m)-1] < 0 {
		m = m[:len(m)-1]
	}
	return m
}

// TestPCRE2 compares with what PCRE2 10.42 itself answered for random patterns and subjects: matches, groups and words
// of refusal. Where both engines can run a pattern both are compared.
func TestPCRE2(t *testing.T) {
	file, err := os.Open("testdata/pcre2.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	matches, refusals, unable := 0, 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		var c struct {
			P   string
			I   bool
			S   []string
			M   [][]int
			Err string
			Off int
		}
		if err := json.Unmarshal(scanner.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		re := New(bytesOf(c.P), c.I)
		var refused *SyntaxError
		switch {
		case errors.As(re.Refused(), &refused):
			refusals++
			if c.Err == "" {
				t.Errorf("%q: refused: %v", c.P, refused)
			}
			continue
		case re.Err() != nil:
			unable++
			continue
		case c.Err != "":
			if !strings.Contains(c.Err, "lookaround") { // other versions take \K there
				t.Errorf("%q: taken, PCRE2: %s", c.P, c.Err)
			}
			continue
		}
		for i, s := range c.S {
			subject := bytesOf(s)
			got, err := re.Find(subject)
			slow, slowErr := re.findSlow(subject)
			if err != nil || slowErr != nil {
				t.Errorf("%q on %q: %v, %v", c.P, s, err, slowErr)
				continue
			}
			matches++
			for _, m := range [][]int{got, slow} {
				if (m == nil) != (c.M[i] == nil) || !slices.Equal(groupsOf(m), groupsOf(c.M[i])) {
					t.Errorf("%q on %q: %v, PCRE2 %v", c.P, s, m, c.M[i])
				}
			}
		}
	}
	t.Logf("%d matches, %d refusals, %d patterns that are not run", matches, refusals, unable)
	if matches < 3000 || refusals < 50 || unable > 50 {
		t.Error("the cases do not cover what they should")
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		pattern, subject string
		caseless         bool
		want             []string // the groups; nil for no match
	}{
		{`\.php$`, "/a.php", false, []string{}},
		{`\.php$`, "/a.php\n", false, []string{}}, // "$" matches before a newline at the end
		{`\.php\z`, "/a.php\n", false, nil},
		{`\.PHP$`, "/a.php", true, []string{}},
		{`\.PHP$`, "/a.php", false, nil},
		{`^/(?<a>\w+)/(\d+)?`, "/x/", false, []string{"x"}},
		{`^/.$`, "/\xc3\xa9", false, nil}, // "." is a byte
		{`^/..$`, "/\xc3\xa9", false, []string{}},
		{`^/\w+$`, "/\xe9", false, nil}, // letters are those of ASCII
		{"\xc9", "\xe9", true, nil},
		{`^\D$`, "\xb2", false, []string{}},
		{`k`, "\xe2\x84\xaa", true, nil}, // no Kelvin sign
		{`^(?!/api/)/(.*)`, "/api/x", false, nil},
		{`^(?!/api/)/(.*)`, "/app/x", false, []string{"app/x"}},
		{`(a)(b)?(c)`, "ac", false, []string{"a", "", "c"}},
		{`^[[:alpha:]\d_-]+$`, "a1_-", false, []string{}},
		{`^(?:(a)|b)*$`, "ab", false, []string{"a"}},
		{`a++a`, "aaa", false, nil},
		{`\Q.*\E`, "a.*", false, []string{}},
		{`^w{3}\.`, "www.a", false, []string{}},
		{`a{,2}`, "a{,2}", false, []string{}},
		{`(?i)a(?-i)B`, "AB", false, []string{}},
		{`(?i)a(?-i)B`, "Ab", false, nil},
		{`\x61\x{62}\143`, "abc", false, []string{}},
		{`(\w)\1`, "abccd", false, []string{"c"}},
		{`(*UTF8)^a$`, "a", false, []string{}},
		{``, "", false, []string{}},
	} {
		re := New(c.pattern, c.caseless)
		m, err := re.Find(c.subject)
		if err != nil {
			t.Errorf("%q on %q: %v", c.pattern, c.subject, err)
			continue
		}
		var got []string
		if m != nil {
			got = []string{}
			for i := 2; i+1 < len(m); i += 2 {
				group := ""
				if m[i] >= 0 {
					group = c.subject[m[i]:m[i+1]]
				}
				got = append(got, group)
			}
		}
		for len(got) > len(c.want) && got[len(got)-1] == "" {
			got = got[:len(got)-1]
		}
		if (got == nil) != (c.want == nil) || !slices.Equal(got, c.want) {
			t.Errorf("%q on %q: %q, want %q", c.pattern, c.subject, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	re := New(`(?<z>a)(b)(?P<a>c)(?'m'd)`, false)
	want := []Name{{"a", 3}, {"m", 4}, {"z", 1}}
	if got := re.Names(); !slices.Equal(got, want) || re.Groups() != 4 {
		t.Errorf("%v, %d groups", got, re.Groups())
	}
}

// TestNotRun: what PCRE may take and is not run here is an error of its own kind, not a refusal and not a failed match.
func TestNotRun(t *testing.T) {
	for _, pattern := range []string{`(?R)`, `(?1)(a)`, `\X`, `(*ACCEPT)a`, `(?C)a`, `(*CRLF)a`, `(?<a>b)(?&a)`, `\p{Bidi_Control}`, `(?(R)a|b)`} {
		re := New(pattern, false)
		if re.Err() == nil || re.Refused() != nil {
			t.Errorf("%q: %v, %v", pattern, re.Err(), re.Refused())
		}
		if m, err := re.Find("a"); m != nil || err == nil {
			t.Errorf("%q: %v, %v", pattern, m, err)
		}
	}
	if _, err := New(`(*UTF8)^.$`, false).Find("\xc3\xa9"); err == nil {
		t.Error("UTF mode is run on bytes")
	}
}

// TestTimeLimit: a catastrophic pattern ends, and is given up after a few times.
func TestTimeLimit(t *testing.T) {
	re := New(`^(?!x)(?:(a|aa)+)+\1b$`, false)
	subject := strings.Repeat("a", 200)
	start := time.Now()
	for range 20 {
		if m, err := re.Find(subject); m != nil || err == nil {
			t.Fatalf("%v, %v", m, err)
		}
	}
	if took := time.Since(start); took > 10*MatchTimeMax {
		t.Errorf("20 matches took %v", took)
	}
}

func TestNesting(t *testing.T) {
	deep := strings.Repeat("(", 100000) + strings.Repeat(")", 100000)
	if err := New(deep, false).Refused(); err == nil || !strings.Contains(err.Error(), "parentheses are too deeply nested") {
		t.Errorf("%.100v", err)
	}
}

func TestCache(t *testing.T) {
	var c Cache
	first := c.Get("a", false)
	if first != c.Get("a", false) || first == c.Get("a", true) {
		t.Error("patterns are not told apart")
	}
}

func FuzzRegex(f *testing.F) {
	for _, p := range []string{`(?<n>a)\k<n>`, `[[:^alpha:]-]`, `(?i:a|b){2,3}+`, `(?(1)a|b)`, `\x{41}\o{101}`, `(?|(a)|(b))`, `(?x) a #`, `[\Qa]\E]`} {
		f.Add(p, "ab\n", true)
	}
	f.Fuzz(func(t *testing.T, pattern, subject string, caseless bool) {
		if len(pattern) > 60 || len(subject) > 60 {
			return
		}
		re := New(pattern, caseless)
		m, err := re.Find(subject)
		if err != nil || m == nil {
			return
		}
		for i := 0; i+1 < len(m); i += 2 {
			if m[i] >= 0 && (m[i] > m[i+1] && i > 0 || m[i+1] > len(subject)) {
				t.Errorf("%q on %q: %v", pattern, subject, m)
			}
		}
	})
}
