package lang

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"go4.org/netipx"
)

// mostEntries bounds a list.
const mostEntries = 1_000_000

// A List is the content of a list that rules name: addresses, or numbers of networks, or texts.
type List struct {
	set     *netipx.IPSet
	numbers []int64  // sorted
	texts   []string // sorted
	entries int
}

// ParseList reads a list: one entry a line, the first of comma-separated columns, with comments from "#" on; or the JSON
// in which Cloudflare's API returns the items of a list. All entries are of one kind.
func ParseList(data []byte) (*List, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	entries, err := jsonEntries(data)
	if err != nil {
		return nil, err
	}
	if entries == nil {
		entries = lineEntries(data)
	}
	l := &List{}
	var b netipx.IPSetBuilder
	for i, e := range entries {
		if i == mostEntries {
			return nil, fmt.Errorf("more than %d entries", mostEntries)
		}
		if err := l.add(&b, e); err != nil {
			return nil, fmt.Errorf("%s: %w", e.place, err)
		}
	}
	if l.entries == 0 {
		return nil, errors.New("there is no entry in it")
	}
	if l.set, err = b.IPSet(); err != nil {
		return nil, fmt.Errorf("join networks: %w", err)
	}
	slices.Sort(l.numbers)
	slices.Sort(l.texts)
	return l, nil
}

type listEntry struct{ text, place string }

func lineEntries(data []byte) []listEntry {
	var list []listEntry
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		line, _, _ = strings.Cut(line, ",")
		if line = strings.Trim(strings.TrimSpace(line), `"`); line != "" {
			list = append(list, listEntry{line, "line " + strconv.Itoa(n)})
		}
	}
	return list
}

// jsonEntries are the entries of a JSON file; nil where it is none.
func jsonEntries(data []byte) ([]listEntry, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '[' && data[0] != '{' {
		return nil, nil
	}
	var envelope struct {
		Result []json.RawMessage `json:"result"`
	}
	if data[0] == '{' {
		if err := json.Unmarshal(data, &envelope); err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
	} else if err := json.Unmarshal(data, &envelope.Result); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	list := []listEntry{}
	for i, raw := range envelope.Result {
		var item struct {
			IP       string      `json:"ip"`
			ASN      json.Number `json:"asn"`
			Hostname struct {
				Name string `json:"url_hostname"`
			} `json:"hostname"`
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			if err := json.Unmarshal(raw, &item); err != nil {
				return nil, fmt.Errorf("item %d: it is no entry of a list", i+1)
			}
			text = item.IP + item.ASN.String() + item.Hostname.Name
		}
		if text == "" {
			return nil, fmt.Errorf("item %d: it has neither ip, asn nor hostname", i+1)
		}
		list = append(list, listEntry{text, "item " + strconv.Itoa(i+1)})
	}
	return list, nil
}

func (l *List) add(b *netipx.IPSetBuilder, e listEntry) error {
	was, had := l.what(), l.entries > 0
	l.entries++
	if n, err := netip.ParsePrefix(e.text); err == nil {
		b.AddPrefix(n.Masked())
	} else if a, err := netip.ParseAddr(e.text); err == nil {
		b.Add(a.WithZone(""))
	} else if n, err := strconv.ParseInt(e.text, 10, 64); err == nil {
		l.numbers = append(l.numbers, n)
	} else {
		l.texts = append(l.texts, e.text)
	}
	if now := l.what(); had && now != was {
		return fmt.Errorf("%q is not one of the %s that the list has so far", e.text, was)
	}
	return nil
}

// what says what the entries are.
func (l *List) what() string {
	switch mixed := l.numbers != nil && l.texts != nil; {
	case mixed || (l.numbers != nil || l.texts != nil) && l.entries > len(l.numbers)+len(l.texts):
		return "values of several kinds"
	case l.numbers != nil:
		return "numbers"
	case l.texts != nil:
		return "texts"
	}
	return "addresses"
}

func (l *List) holds(b base) bool {
	switch b {
	case integer:
		return l.numbers != nil
	case text:
		return l.texts != nil
	case address:
		return l.numbers == nil && l.texts == nil
	case anything, boolean:
	}
	return b == anything
}

func (l *List) has(v value) bool {
	switch {
	case l.texts != nil:
		_, found := slices.BinarySearch(l.texts, v.s)
		return found
	case l.numbers != nil:
		_, found := slices.BinarySearch(l.numbers, v.n)
		return found
	}
	return v.ip.IsValid() && l.set.Contains(v.ip)
}

// Contains says whether an address is in a list of addresses.
func (l *List) Contains(a netip.Addr) bool { return l.has(value{ip: a}) }
