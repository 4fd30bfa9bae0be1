package hostname

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFind(t *testing.T) {
	var table Table[string]
	for _, name := range []string{"a.example", "*.example", ".b.example", "www.*", "www.a.*", "*.c.b.example", "", "*.deep.example"} {
		if err := table.Add(name, name); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	for host, want := range map[string]string{
		"a.example": "a.example", "x.example": "*.example", "example": "", "b.example": ".b.example", "x.y.b.example": ".b.example",
		"c.b.example": ".b.example", "x.c.b.example": "*.c.b.example", "www.x": "www.*", "www.a.x": "www.a.*", "www.ab.x": "www.*", "www": "",
		"www.example": "*.example", ".example": "*.example", "deep.example": "*.example", "www.": "www.*", "other": "",
	} {
		got, ok := table.Find(host)
		if ok != (want != "") || got != want {
			t.Errorf("%q: %q, %v, want %q", host, got, ok, want)
		}
	}
	if _, ok := table.Find(""); !ok {
		t.Error("the empty name is not found")
	}
}

func TestAddRefuses(t *testing.T) {
	var table Table[int]
	for _, c := range []struct {
		name string
		want error
	}{
		{"a.b", nil},
		{"A.B", ErrConflict},
		{".a.b", ErrConflict},
		{"*.a.b", nil},
		{".c", nil},
		{"c", ErrConflict},
		{"*.c", ErrConflict},
		{"d.*", nil},
		{"D.*", ErrConflict},
		{"*", ErrInvalid},
		{"*.", ErrInvalid},
		{"a*b", ErrInvalid},
		{"*.a.*", ErrInvalid},
		{"a..b", ErrInvalid},
		{"a\x00", ErrInvalid},
		{"a*", ErrInvalid},
		{".", nil},
	} {
		if err := table.Add(c.name, 1); !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%q: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestFindObvious compares with a search through all names.
func TestFindObvious(t *testing.T) {
	label := rapid.SampledFrom([]string{"a", "b", "ab", "c"})
	rapid.Check(t, func(t *rapid.T) {
		var table Table[string]
		var names []string
		for range rapid.IntRange(0, 10).Draw(t, "names") {
			name := rapid.SampledFrom([]string{"", "*.", "."}).Draw(t, "front") + strings.Join(rapid.SliceOfN(label, 1, 3).Draw(t, "labels"), ".")
			if !strings.HasPrefix(name, "*") && name[0] != '.' {
				name += rapid.SampledFrom([]string{"", ".*"}).Draw(t, "end")
			}
			if table.Add(name, name) == nil {
				names = append(names, name)
			}
		}
		host := strings.Join(rapid.SliceOfN(label, 1, 5).Draw(t, "host"), ".")
		best, rank := "", 0
		for _, n := range names {
			if r := fits(n, host); r > rank {
				best, rank = n, r
			}
		}
		if got, _ := table.Find(host); got != best {
			t.Fatalf("%q among %q: %q, want %q", host, names, got, best)
		}
	})
}

// fits ranks a name for a host; 0 where it does not fit.
func fits(name, host string) int {
	switch {
	case name == host:
		return 10000
	case name[0] == '.' && (host == name[1:] || strings.HasSuffix(host, name)):
		return 100 + len(name) - 1
	case strings.HasPrefix(name, "*.") && strings.HasSuffix(host, name[1:]):
		return 100 + len(name) - 2
	case strings.HasSuffix(name, ".*") && strings.HasPrefix(host, name[:len(name)-1]):
		return len(name)
	}
	return 0
}

// TestTakenByConflict: of ".b.example" behind "*.b.example" nothing is taken but the bare name, which then answers to nobody.
func TestTakenByConflict(t *testing.T) {
	var table Table[string]
	for _, c := range []struct {
		name string
		want error
	}{{"*.b.example", nil}, {".example", nil}, {".b.example", ErrConflict}, {"b.example", ErrConflict}} {
		if err := table.Add(c.name, c.name); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.name, err, c.want)
		}
	}
	if got, _ := table.Find("b.example"); got != ".example" {
		t.Errorf("b.example leads to %q", got)
	}
}
