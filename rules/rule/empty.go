package rule

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Omitted returns the variable for which the key of a request that brings nothing of its own is empty: a header, a cookie,
// an argument that the client left out. It is "" where such a request has a key, and where the key is empty because a map
// says so.
func (f *Facts) Omitted(key value.Template) string {
	r := outsider(key, f.definitions(), visitors[0], "GET")
	return f.emptyBy(key, r, Omissible)
}

// Omissible says whether a variable is empty as soon as a client leaves something out.
func Omissible(name string) bool {
	switch name {
	case "args", "query_string":
		return true
	case "proxy_add_x_forwarded_for": // which then is the client's address
		return false
	}
	return Chosen(name) || AddressHeader(name) || strings.HasPrefix(name, "ssl_client_")
}

// EmptyAt returns the variable for which the key is empty in every request that a server's limits judge: its name where it
// has none, what is known only later, what is set only in other servers. It is "" where the key may have a value, and where
// a map makes it empty.
func (f *Facts) EmptyAt(key value.Template, s *config.Server) string {
	r := outsider(key, f.definitions(), netip.AddrPort{}, "")
	for _, name := range [...]string{"remote_addr", "binary_remote_addr", "realip_remote_addr", "request_method"} {
		r.Set(name, value.Unknown("differs between requests"))
	}
	return f.emptyBy(key, r, func(name string) bool { return f.lacks(s, name) })
}

// lacks says whether a variable is empty whenever limits are asked in a server.
func (f *Facts) lacks(s *config.Server, name string) bool {
	if name == "server_name" {
		return s.Names[0].Text == ""
	}
	if late(name) {
		return true
	}
	assigned := f.assigned(name)
	return len(assigned) > 0 && !slices.ContainsFunc(assigned, func(a Assignment) bool {
		return a.IsSet() && a.Server == s
	})
}

// late says whether a variable of nginx's own has no value yet when the limiters are asked.
func late(name string) bool {
	switch name {
	case "request_body", "request_body_file", "request_completion":
		return true
	}
	return strings.HasPrefix(name, "upstream_") || strings.HasPrefix(name, "sent_http_") || strings.HasPrefix(name, "sent_trailer_")
}

// maxTurns is after how many maps within each other nginx takes a cycle for granted.
const maxTurns = 100

// emptyBy returns the variable that makes the key empty where all those are empty of which a condition says so, and nothing
// else is known.
func (f *Facts) emptyBy(key value.Template, r *value.Request, empty func(string) bool) string {
	defs := f.definitions()
	for _, name := range reached(key, defs) {
		if (!defs.Defined(name) || defs.Declared(name)) && empty(name) {
			r.Set(name, value.Of(""))
		}
	}
	f.keys.Lock()
	defer f.keys.Unlock()
	return f.emptyLeaf(key, nil, r, empty, 0)
}

func (f *Facts) emptyLeaf(t value.Template, entry *Entry, r *value.Request, empty func(string) bool, turns int) string {
	found := ""
	for _, part := range t.Parts {
		leaf := ""
		b := f.block(part.Variable)
		switch {
		case part.Variable == "" || turns > maxTurns || entry != nil && isCapture(entry.Item, part.Variable):
			return ""
		case b == nil && empty(part.Variable):
			leaf = part.Variable
		case b != nil && b.IsMap():
			if index, known := f.definitions().Chosen(b.Name, r); known {
				if e := b.entry(index); e != nil {
					leaf = f.emptyLeaf(e.Value, e, r, empty, turns+1)
				}
			}
		}
		if leaf == "" {
			return ""
		}
		if found == "" {
			found = leaf
		}
	}
	return found
}

// entry returns the entry of an index; nil where the block has none that leads to a value.
func (b *Block) entry(index int) *Entry {
	i, ok := slices.BinarySearchFunc(b.Entries, index, func(e Entry, index int) int { return e.Index - index })
	if !ok {
		return nil
	}
	return &b.Entries[i]
}
