package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// WriteFronts lists the fronts that are known, with the age of each list on a day such as "2026-11-30".
func WriteFronts(w io.Writer, known *fronts.Table, today string) error {
	var b strings.Builder
	id, name := len("name"), len("front")
	for _, f := range known.Fronts {
		id, name = max(id, len(clean(f.ID))), max(name, len(clean(f.Name)))
	}
	row := func(cells ...string) {
		fmt.Fprintf(&b, "%-*s  %-*s  %8s  %-10s  %8s  %s\n", id, cells[0], name, cells[1], cells[2], cells[3], cells[4], cells[5])
	}
	row("name", "front", "networks", "as of", "days old", "source")
	for _, f := range known.Fronts {
		row(clean(f.ID), clean(f.Name), strconv.Itoa(len(f.Networks)), clean(f.AsOf), daysBetween(f.AsOf, today), clean(f.Source))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteKinds lists the kinds of proxies that a chain may have, and what each does.
func WriteKinds(w io.Writer) error {
	var b strings.Builder
	for _, k := range fronts.Kinds() {
		fmt.Fprintf(&b, "%-15s %s: %s", k.ID, k.Name, strings.Join(writes(&k), ", "))
		if k.About != "" {
			b.WriteString(", where " + k.About)
		}
		fmt.Fprintf(&b, "\n%-15s %s\n", "", k.Source)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writes says what a kind of proxy does to each header.
func writes(k *fronts.Kind) (all []string) {
	for _, h := range k.Headers {
		word := "sets " + h.Name
		switch {
		case h.Open:
			word = "sets " + h.Name + " where the client did not"
		case h.Adds > 1:
			word = "adds the client and an address of its own to " + h.Name
		case h.Adds == 1:
			word = "adds to " + h.Name
		}
		all = append(all, word)
	}
	if k.Speaks {
		all = append(all, "speaks the PROXY protocol")
	}
	return all
}

func daysBetween(day, today string) string {
	then, err := time.Parse(time.DateOnly, day)
	now, err2 := time.Parse(time.DateOnly, today)
	if err != nil || err2 != nil {
		return "-"
	}
	return strconv.Itoa(int(now.Sub(then).Hours() / 24))
}

// WriteTrust writes lists as lines of set_real_ip_from, each list below a comment that says where it is from.
func WriteTrust(w io.Writer, lists []*fronts.List) error {
	var b strings.Builder
	for i, l := range lists {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "# %s, from %s", clean(l.Name), clean(l.Made))
		if l.AsOf != "" {
			fmt.Fprintf(&b, ", as of %s", clean(l.AsOf))
		}
		b.WriteByte('\n')
		for _, n := range l.Networks {
			line := "set_real_ip_from " + n.Prefix.String() + ";"
			if n.Label != "" {
				line += "  # " + clean(n.Label)
			}
			b.WriteString(line + "\n")
		}
		if l.Front != nil && len(l.Front.Headers) > 0 {
			fmt.Fprintf(&b, "# real_ip_header %s;\n", clean(l.Front.Headers[0].Name))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A ProxyList is one list of proxies in JSON.
type ProxyList struct {
	Name     string         `json:"name"`
	Front    string         `json:"front,omitempty"`
	Source   string         `json:"source"`
	AsOf     string         `json:"as_of,omitempty"`
	Networks []ProxyNetwork `json:"networks"`
}

// A ProxyNetwork is one network of a list in JSON.
type ProxyNetwork struct {
	Network string `json:"network"`
	Label   string `json:"label,omitempty"`
}

// Lists puts lists into the form in which they are written as JSON.
func Lists(lists []*fronts.List) []ProxyList {
	all := make([]ProxyList, 0, len(lists))
	for _, l := range lists {
		p := ProxyList{Name: l.Name, Source: l.Made, AsOf: l.AsOf, Networks: []ProxyNetwork{}}
		if l.Front != nil {
			p.Front = l.Front.ID
		}
		for _, n := range l.Networks {
			p.Networks = append(p.Networks, ProxyNetwork{n.Prefix.String(), n.Label})
		}
		all = append(all, p)
	}
	return all
}

// WriteRenewed says what a newer list changed, and in which file it is kept.
func WriteRenewed(w io.Writer, old, renewed *fronts.Front, path string) error {
	added, gone := 0, 0
	for _, p := range renewed.Networks {
		if !old.Set().ContainsPrefix(p) {
			added++
		}
	}
	for _, p := range old.Networks {
		if !renewed.Set().ContainsPrefix(p) {
			gone++
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s as of %s (before: as of %s), %d added, %d no longer listed; kept in %s\n",
		clean(renewed.Name), rule.Plural(int64(len(renewed.Networks)), "network", "networks"), renewed.AsOf, clean(old.AsOf), added, gone, clean(path))
	return err
}
