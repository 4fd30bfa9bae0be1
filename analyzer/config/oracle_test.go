package config

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// The real nginx's verdict and words on directives of the limiters, each in a small configuration.
func TestVectors(t *testing.T) {
	var vectors []struct {
		Name, Config string
		Accepted     bool
		Messages     []struct{ Level, Text string }
	}
	readJSON(t, nginxtest.Shared(t, "oracle", "vectors", "config.json"), &vectors)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			tree := resolveText(t, "events {}\nhttp {\n"+v.Config+"}\n", "1.22.1")
			var want, got []string
			for _, m := range v.Messages {
				want = append(want, m.Text)
			}
			accepted := true
			for _, r := range tree.Refusals {
				got = append(got, r.Text)
				accepted = accepted && r.Warning
			}
			if accepted != v.Accepted || len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
				t.Errorf("got %v %q, nginx says %v %q", accepted, got, v.Accepted, want)
			}
		})
	}
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
}
