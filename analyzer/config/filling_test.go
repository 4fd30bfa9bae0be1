package config

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// Tables at the edge of what they hold: so many names, written by a pattern, in a block.
var fillingCases = []struct {
	n             int
	pattern       string
	before, after string
}{
	{4091, "k%x 1;", "map_hash_max_size 1; map $uri $x {", "}"},
	{4092, "k%x 1;", "map_hash_max_size 1; map $uri $x {", "}"},
	{4092, "k%x 1;", "map_hash_max_size 2; map $uri $x {", "}"},
	{4091, "%x.b.c 1;", "map_hash_max_size 1; map $uri $x { hostnames;", "}"},
	{4092, "*.k%x 1;", "map_hash_max_size 1; map $uri $x { hostnames;", "}"},
	{4092, ".k%x.c 1;", "map_hash_max_size 1; map $uri $x { hostnames;", "}"},
	{4092, "k%x.* 1;", "map_hash_max_size 1; map $uri $x { hostnames;", "}"},
	{4092, "c.k%x.* 1;", "map_hash_max_size 1; map $uri $x { hostnames;", "}"},
	{4092, "k%x", "server_names_hash_max_size 1; server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; server_name", "; }"},
	{4092, "k%x", "server_names_hash_max_size 1; server { listen 127.0.0.1:18801; server_name", "; }"},
	{1, "a~a~ %d; a~b_ 1; b_a~ 1; b_b_ 1;", "map $uri $x {", "}"},
	{6000, "%x.example.org 1;", "map $uri $x {", "}"},
	{7000, "%x.example.org 1;", "map $uri $x {", "}"},
	{9000, "%x.example.org 1;", "map_hash_bucket_size 128; map $uri $x {", "}"},
	{12_000, "%x.example.org 1;", "map_hash_max_size 12000; map $uri $x {", "}"},
	{700, "www.%x.example.org", "server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; server_name", "; }"},
	{700, "*.%x.example.org", "server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; server_name", "; }"},
	{700, ".%x.example.org", "server_names_hash_max_size 1024; server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; server_name", "; }"},
}

func TestFillingAgainstNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	for _, c := range fillingCases {
		var b strings.Builder
		b.WriteString(head + c.before)
		for i := range c.n {
			fmt.Fprintf(&b, " "+c.pattern, i)
		}
		b.WriteString(c.after + "\n}\n")
		if diff := compare(t, binary, b.String()); diff != "" {
			t.Errorf("%d of %q in %s\n%s", c.n, c.pattern, c.before, diff)
		}
	}
}

// TestFillingGivesUp has names that go into one bucket whatever the number of buckets, which nginx tries up to the last.
func TestFillingGivesUp(t *testing.T) {
	var names []tableName
	for _, a := range []string{"a~", "b_"} {
		for _, b := range []string{"a~", "b_"} {
			names = append(names, newTableName(a+b))
		}
	}
	for most, want := range map[int64]filling{2048: crowded, 1 << 40: undecided} {
		steps := int64(mostSteps)
		if got := (hash{bucket: cacheLine, most: most}).fill(names, &steps); got != want {
			t.Errorf("up to %d buckets: %d, not %d", most, got, want)
		}
		if steps < -mostBuckets {
			t.Errorf("up to %d buckets: %d steps more than may be spent", most, -steps)
		}
	}
}

// TestRandomFillingAgainstNginx draws tables that hold their names or only just do not.
func TestRandomFillingAgainstNginx(t *testing.T) {
	binary, random := nginxtest.Binary(t), nginxtest.Random(t)
	warned := 0
	cases := nginxtest.CasesUntil(t, 60, func() bool { return warned > 5 })
	for i := range cases {
		text := drawTable(random)
		if diff := compare(t, binary, head+text+"\n}\n"); diff != "" {
			t.Fatalf("case %d: %s\n%s", i, text, diff)
		}
		if len(ask(t, binary, head+text+"\n}\n").warnings) > 0 {
			warned++
		}
	}
}

// drawTable writes a map or servers with about as many names as the table has room for.
func drawTable(random *rand.Rand) string {
	most, bucket := 1+random.IntN(200), 64<<random.IntN(3)
	n := 1 + random.IntN(most*bucket/24)
	const letters = "abcdefghijklmnopqrstuvwxyzABC019-_\xfe"
	forms := []string{"%s", "%s", "*.%s", ".%s", "%s.*"}
	seen := map[string]bool{}
	var names []string
	for len(names) < n {
		parts := make([]string, 1+random.IntN(3))
		for i := range parts {
			b := make([]byte, 1+random.IntN(12))
			for j := range b {
				b[j] = letters[random.IntN(len(letters))]
			}
			parts[i] = string(b)
		}
		if random.IntN(2) == 0 {
			parts = append(parts, "example", "org")
		}
		name := fmt.Sprintf(forms[random.IntN(len(forms))], strings.Join(parts, "."))
		if bare := strings.TrimPrefix(strings.TrimPrefix(lower(name), "*"), "."); !seen[bare] { // else it may conflict
			seen[bare] = true
			names = append(names, name)
		}
	}
	var b strings.Builder
	if random.IntN(2) == 0 {
		fmt.Fprintf(&b, "map_hash_max_size %d; map_hash_bucket_size %d; map $uri $x { hostnames;", most, bucket)
		for _, name := range names {
			b.WriteString(" " + name + " 1;")
		}
		return b.String() + " }"
	}
	fmt.Fprintf(&b, "server_names_hash_max_size %d; server_names_hash_bucket_size %d; server { listen 127.0.0.1:18801; } server { listen 127.0.0.1:18801; server_name", most, bucket)
	for _, name := range names {
		b.WriteString(" " + name)
	}
	return b.String() + "; }"
}
