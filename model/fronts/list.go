package fronts

import (
	"fmt"
	"net/netip"
	"strings"

	"go4.org/netipx"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A List is the networks of something that stands in front of nginx, as a file or a table has them.
type List struct {
	Name     string    // for people: the file's name, "Cloudflare"
	Made     string    // what it was made from: "aws ec2 describe-subnets", "a list of networks"
	AsOf     string    // the day of which it is, "2026-02-11"; "" where nothing tells
	Front    *Front    // whose list it is; nil where it is of no known front
	Networks []Network // in the order of the file, each once
	Notes    []string  // what was odd about it and does no harm

	set  *netipx.IPSet
	seen map[netip.Prefix]bool // while it is being made
}

// A Network is one entry of a list.
type Network struct {
	Prefix netip.Prefix
	Label  string // what it is called where it comes from: "subnet-0a1, eu-central-1a"; "" for nothing
}

// String is the network with its label.
func (n Network) String() string {
	if n.Label == "" {
		return n.Prefix.String()
	}
	return fmt.Sprintf("%s (%s)", n.Prefix, n.Label)
}

// Set is the list's networks as merged ranges.
func (l *List) Set() *netipx.IPSet { return l.set }

// ListOf makes a list of networks that were given one by one.
func ListOf(name string, networks []netip.Prefix) *List {
	l := &List{Name: name, Made: "a list of networks"}
	for _, p := range networks {
		l.add(p, "")
	}
	l.close()
	return l
}

// List returns a front's networks as a list.
func (f *Front) List() *List {
	l := &List{Name: f.Name, Made: f.Source, AsOf: f.AsOf, Front: f, set: f.set}
	for _, p := range f.Networks {
		l.Networks = append(l.Networks, Network{Prefix: p})
	}
	return l
}

func (l *List) add(p netip.Prefix, label string) {
	if p = p.Masked(); l.seen[p] {
		return
	}
	if l.seen == nil {
		l.seen = make(map[netip.Prefix]bool)
	}
	l.seen[p] = true
	l.Networks = append(l.Networks, Network{p, label})
}

// addText adds a network that is written. Bits below the mask are dropped, with a note.
func (l *List) addText(text, label string) error {
	p, low, ok := request.ParseNetwork(text)
	if !ok {
		return notNetwork(text)
	}
	if low {
		l.Notes = append(l.Notes, fmt.Sprintf("%s has bits below its mask: %s is taken", text, p))
	}
	l.add(p, label)
	return nil
}

// notNetwork says why a text is no network.
func notNetwork(text string) error {
	host, mask, cut := strings.Cut(text, "/")
	_, addr := request.ParseAddr(host)
	switch {
	case addr && cut && mask != "" && strings.Trim(mask, "0123456789-") == "":
		return fmt.Errorf("%s is no network: its mask is out of range", quoted(text))
	case !cut && isHostName(text):
		return fmt.Errorf("%s is a host name, which is not looked up here: write its networks", quoted(text))
	}
	return fmt.Errorf("%s is no network: want an address or a CIDR such as 10.0.0.0/22", quoted(text))
}

// isHostName says whether a text is the name of a host in a domain. A port or a range of addresses makes none.
func isHostName(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Contains(text, ".") && strings.ContainsAny(text, letters) && strings.Trim(text, letters+"0123456789-_.") == ""
}

// quoted writes a text of a file for an error, short enough to be read.
func quoted(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// maxNetworks bounds a list; the largest that is published has a few thousand.
const maxNetworks = 100_000

// close completes a list.
func (l *List) close() {
	var b netipx.IPSetBuilder
	for _, n := range l.Networks {
		b.AddPrefix(n.Prefix)
	}
	set, err := b.IPSet()
	if err != nil {
		set = new(netipx.IPSet) // of prefixes that are not valid; none of those is added
	}
	l.set, l.seen = set, nil
}
