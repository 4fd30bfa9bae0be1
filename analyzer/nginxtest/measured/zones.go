package measured

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// A Capacity is how many keys of a length a zone held.
type Capacity struct {
	Size      string          // as written
	Key       string          // of limit_req_zone, as written; "" for an argument's value
	KeyBytes  json.RawMessage `json:"key_bytes"` // a number, or "7 to 15"
	NameBytes int             `json:"zone_name_bytes"`

	// Of limit_req: new keys until one was dropped.
	Pages, Formula, Measured int

	// Of limit_conn: requests at once, each with its own key.
	Tried, Held, Refused int
	LimitingMessages     int `json:"limiting_messages"`
	NoMemoryMessages     int `json:"no_memory_messages"`
}

// ReadCapacity reads the capacities of zones by module: "limit_req", "limit_conn".
func ReadCapacity(t testing.TB, path string) map[string][]Capacity {
	t.Helper()
	return read[map[string][]Capacity](t, path)
}

// Holds is how many keys the zone held.
func (c *Capacity) Holds() int { return c.Measured + c.Held }

// KeyLengths are the shortest and the longest key that were used.
func (c *Capacity) KeyLengths(t testing.TB) (shortest, longest int) {
	t.Helper()
	if json.Unmarshal(c.KeyBytes, &shortest) == nil {
		return shortest, shortest
	}
	var text string
	if err := json.Unmarshal(c.KeyBytes, &text); err != nil {
		t.Fatalf("key_bytes: %v", err)
	}
	from, to, _ := strings.Cut(text, " to ")
	var err1, err2 error
	shortest, err1 = strconv.Atoi(from)
	longest, err2 = strconv.Atoi(to)
	if err1 != nil || err2 != nil {
		t.Fatalf("key_bytes %q", text)
	}
	return shortest, longest
}

// A Configuration is what nginx -t said of a small configuration.
type Configuration struct {
	Name, Config string // Config is what stands in http
	Accepted     bool
	Messages     []struct{ Level, Text string } // without file and line
}

// ReadConfigurations reads what nginx takes and refuses.
func ReadConfigurations(t testing.TB, path string) []Configuration {
	t.Helper()
	return read[[]Configuration](t, path)
}
