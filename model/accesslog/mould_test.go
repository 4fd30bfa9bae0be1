package accesslog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// beyond stands behind a line that is read: it is looked at, and changes nothing.
const beyond = "\n" + `{"time":"","msec":1}` + "\n"

// readBoth reads a line by what was learned of others, and by nothing, and returns whether it had a known form. Both
// must say the same.
func readBoth(t interface{ Fatalf(string, ...any) }, r *Reader, before []string, s string) bool {
	var learned, plain Record
	p, q := r.Parser(), r.Parser()
	q.json.learned = mostLearned // it learns nothing
	for _, line := range before {
		if line != "" {
			p.read(line, len(line), &learned)
		}
	}
	if s == "" {
		return false
	}
	p.json.learned = mostLearned
	got, want := p.read(s+beyond, len(s), &learned), q.read(s, len(s), &plain)
	if got != want {
		t.Fatalf("%q after %q: %v, want %v", s, before, got, want)
	}
	if diff := cmp.Diff(learned, plain); !got.Skips() && diff != "" {
		t.Fatalf("%q after %q: %s", s, before, diff)
	}
	p.line.begin(&learned)
	return p.json.known(s+beyond, len(s), &p.line)
}

func jsonReader(t testing.TB) *Reader {
	t.Helper()
	r, err := NewReader(JSON, Options{Headers: []string{"http_x"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMould(t *testing.T) {
	const line = `{"time":"2026-03-02T08:00:00+00:00","msec":1772438400.123,"ip":"203.0.113.7","request":"GET /a HTTP/1.1","status":200,"rt":0.063,"urt":"0.063","limit":""}`
	replaced := func(old, with string) string { return strings.Replace(line, old, with, 1) }
	for s, known := range map[string]bool{
		line:                                  true,
		replaced("GET /a", "POST /long/path"): true,
		replaced("GET /a", `GET /\"`):         false,
		replaced("GET /a", `GET /\u0041`):     false,
		replaced("0.063", "12.5"):             true,
		replaced(":0.063", ":null"):           true,
		replaced(":0.063", ":"):               true,
		replaced(":0.063", ":[1]"):            false,
		replaced(":0.063", `:"1"`):            false,
		replaced(":200", ": 200"):             false,
		replaced(`,"ip"`, `, "ip"`):           false,
		replaced(`"rt"`, `"Rt"`):              false,
		line + " ":                            false,
		line + "}":                            false,
		line[:len(line)-1]:                    false,
		line[:40]:                             false,
	} {
		if got := readBoth(t, jsonReader(t), []string{line}, s); got != known {
			t.Errorf("%s: known %v", s, got)
		}
	}
}

// TestMoulds mixes lines of several writers.
func TestMoulds(t *testing.T) {
	forms := []string{
		`{"msec":M,"ip":"T","request":"GET T HTTP/1.1","rt":N}`, `{"ts": M, "client": "T", "uri": "/T", "x": {"a": N}}`, `{"ts":"M","client":"T","http_x":"T","status":N}`,
		`{"msec":M,"ip":"T","urt":null,"rt":N}`, `{ "ip" : "T" ,, "msec" : M }`, `{}`, `{"msec":M,"ip":"T"}x`, `{"ip":"T","ip":"T","msec":M,"time":N}`,
		`{"a":"T","b":"T","c":"T","msec":M,"client":"T"}`,
	}
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		r, _ := NewReader(JSON, Options{Headers: []string{"http_x"}})
		draw := func() string {
			ordinary := rapid.Bool().Draw(t, "ordinary") // so that of each run a good part is learned
			fill := func(s, mark string, values ...string) string {
				for strings.Contains(s, mark) {
					if ordinary {
						values = values[:1]
					}
					s = strings.Replace(s, mark, rapid.SampledFrom(values).Draw(t, mark), 1)
				}
				return s
			}
			s := fill(rapid.SampledFrom(forms).Draw(t, "form"), "M", "1772438400.123", "1772438400", "1772438400123", "17724x8400.123", "null", "")
			s = fill(s, "N", "0.063", "200", "0.06", "9.9999", "1e-2", "-", "null", "", `"0.001"`, "0x063", "1.0635", "-0.01")
			return fill(s, "T", "198.51.100.1", "", "-", `\u0041`, `\"`, "a b", "longer than one word", "é", "12345678", `1234567\"`)
		}
		var before []string
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			before = append(before, draw())
		}
		last := draw()
		if rapid.Bool().Draw(t, "again") {
			last = rapid.SampledFrom(before).Draw(t, "last")
		}
		if readBoth(t, r, before, last) {
			known++
		}
	})
	t.Log("known forms:", known)
	if known == 0 {
		t.Error("no line had a known form")
	}
}

func FuzzMould(f *testing.F) {
	f.Add(jsonAt(1), jsonAt(2))
	f.Add(`{"a":1,"msec":1772438400.123,"ip":"x"}`, `{"a":"\"","msec":1772438400.123,"ip":"x"}`)
	f.Add(`{"ip":"x","request":"GET / HTTP/1.1","msec":1.5e9}`, `{"ip":"x","request":"GET / HTTP/1. HTTP/1.1","msec":1.5e9}`)
	r := jsonReader(f)
	f.Fuzz(func(t *testing.T, first, second string) {
		if !strings.Contains(first+second, "\n") {
			readBoth(t, r, []string{first}, second)
		}
	})
}

// Numbers as nginx writes them are read at once, all others step by step.
func TestNumbersAsWritten(t *testing.T) {
	for _, c := range []struct {
		text string
		took int32
	}{
		{"0.063", 63}, {"9.999", 9999}, {"0.000", 0}, {"x.063", Unknown}, {"0.06x", Unknown}, {"-.063", Unknown}, {"1.2.3", Unknown}, {"12.06", 12060}, {"0.0635", 63},
	} {
		if got := took(c.text); got != c.took {
			t.Errorf("%s: %d, want %d", c.text, got, c.took)
		}
	}
	for text, want := range map[string]int64{"1772438400.123": 1772438400123, "0000000001.001": 1001, "17724384000.12": 17724384000120, "177243840.1234": 177243840123} {
		if ms, _, ok := number(text); !ok || ms != want {
			t.Errorf("%s: %d, %v, want %d", text, ms, ok, want)
		}
	}
}

// The memory of blocks that are given back serves later ones, and nothing else.
func TestShelf(t *testing.T) {
	line := strings.Repeat("x", 1000) + "\n"
	text := strings.Repeat(line, 2000) + "the end"
	shelf := &Shelf{Blank: true}
	var kept []Block
	whole, n := "", 0
	for b, err := range shelf.Blocks(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		whole += strings.Clone(b.Text)
		if n++; n%3 == 0 {
			kept = append(kept, b)
			continue
		}
		shelf.Done(b)
	}
	if whole != text || n < 5 {
		t.Errorf("%d blocks hold something else", n)
	}
	for _, b := range kept {
		if strings.Trim(b.Text, "x\n") != "" {
			t.Error("a block was written to before it was given back")
		}
		shelf.Done(b)
	}
	shelf.Done(Block{Long: true})
}
