package oracle

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest/measured"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// judgeCapacity asks for what explain says of a zone: how many keys of the request's length it holds. Where keys of
// several lengths were used, the shortest and the longest are asked about.
func judgeCapacity(c *tally, path string) {
	for module, cases := range measured.ReadCapacity(c, path) {
		for i := range cases {
			m := &cases[i]
			shortest, longest := m.KeyLengths(c)
			for _, length := range []int{shortest, longest} {
				what := fmt.Sprintf("%s of %s, name of %d, key of %d", module, m.Size, m.NameBytes, length)
				c.compare(what, c.capacity(module, m, length), m.Holds())
				if shortest == longest {
					break
				}
			}
		}
	}
}

func (c *tally) capacity(module string, m *measured.Capacity, length int) int {
	c.Helper()
	name, key := strings.Repeat("z", m.NameBytes), m.Key
	if key == "" {
		key = "$http_x_k"
	}
	zone, limit := "limit_req_zone %s zone=%s:%s rate=1r/s;", "limit_req zone=%s;"
	switch module {
	case "limit_req":
	case "limit_conn":
		zone, limit = "limit_conn_zone %s zone=%s:%s;", "limit_conn %s 1;"
	default:
		c.Fatalf("capacity of an unknown module %q", module)
	}
	p := c.inText(fmt.Sprintf(zone, key, name, m.Size) + "\nserver {\n    listen 80;\n    location / { " +
		fmt.Sprintf(limit, name) + " try_files /absent =204; }\n}")
	tr := p.Do(clock.Up, measured.Get(c, "/", peerOfKey(key, length), measured.Headers{{Name: "X-K", Value: strings.Repeat("k", length)}}))
	e := report.Explain("GET", "/", &tr)
	switch {
	case len(e.Limits) == 1 && lengthOf(tr.Limits[0].Key.Known()) == length:
		return *e.Limits[0].ZoneCapacity
	case len(e.ConnLimits) == 1 && lengthOf(tr.Conns[0].Key.Known()) == length:
		return *e.ConnLimits[0].ZoneCapacity
	}
	c.Fatalf("%s of %d bytes is no key of the request: %+v", key, length, e)
	return 0
}

func lengthOf(key string, known bool) int {
	if !known {
		return -1
	}
	return len(key)
}

// peerOfKey is an address that makes a key of the length, where the key is the address.
func peerOfKey(key string, length int) string {
	switch {
	case key == "$binary_remote_addr" && length == 16:
		return "2001:db8::1"
	case key == "$remote_addr":
		for _, a := range []string{"1.2.3.4", "111.122.133.144"} {
			if len(a) == length {
				return a
			}
		}
	}
	return "127.0.0.1"
}

// judgeConfigurations compares what is refused, and the words.
func judgeConfigurations(c *tally, path string) {
	type verdict struct {
		Accepted bool
		Messages []string
	}
	for _, m := range measured.ReadConfigurations(c, path) {
		want, got := verdict{m.Accepted, []string{}}, verdict{true, []string{}}
		for _, w := range m.Messages {
			want.Messages = append(want.Messages, w.Level+": "+w.Text)
		}
		for _, r := range c.loadText(inHTTP(m.Config), measured.Version).Refusals {
			level := "warn"
			if !r.Warning {
				level, got.Accepted = "emerg", false
			}
			got.Messages = append(got.Messages, level+": "+r.Text)
		}
		c.compare(m.Name, got, want)
	}
}
