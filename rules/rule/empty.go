package rule

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Omitted returns the variable for which the key of a request that brings nothing of its own is empty: a header, a cookie,
// an argument that the client left out. It is "" where such a request has a key, and where the key is empty because a map
// says so.
func (f *Facts) Omitted(key value.Template) string {
	return f.emptyBy(key, Omissible, func() *value.Request { return outsider(key, f.definitions(), visitors[0], "GET") })
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

// MayLack says whether there may be a server in which EmptyAt finds something.
func (f *Facts) MayLack(key value.Template) bool {
	if _, constant := key.Constant(); constant {
		return false
	}
	return f.emptyAt(key, func(name string) bool {
		return name == "server_name" || late(name) || ofListener(name) || len(f.assigned(name)) > 0
	}) != ""
}

// EmptyAt returns the variable for which the key is empty in every request that a server's limits judge: its name where it
// has none, what is known only later, what is set only in other servers. It is "" where the key may have a value, and where
// a map makes it empty.
func (f *Facts) EmptyAt(key value.Template, s *config.Server) string {
	return f.emptyAt(key, func(name string) bool { return f.lacks(s, name) })
}

func (f *Facts) emptyAt(key value.Template, empty func(string) bool) string {
	return f.emptyBy(key, empty, func() *value.Request {
		r := outsider(key, f.definitions(), netip.AddrPort{}, "")
		for _, name := range [...]string{"remote_addr", "binary_remote_addr", "realip_remote_addr", "request_method"} {
			r.Set(name, value.Unknown("differs between requests"))
		}
		return r
	})
}

// lacks says whether a variable is empty whenever limits are asked in a server.
func (f *Facts) lacks(s *config.Server, name string) bool {
	if name == "server_name" {
		return s.Names[0].Text == ""
	}
	if late(name) || ofListener(name) && !slices.ContainsFunc(s.Listens, func(l *config.Listen) bool { return f.gives(l, s, name) }) {
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

// ofListener says whether a variable has a value only where the listen directive says so: that the client's address comes by
// the PROXY protocol, that the connection is encrypted.
func ofListener(name string) bool {
	switch name {
	case "proxy_protocol_addr", "proxy_protocol_port", "proxy_protocol_server_addr", "proxy_protocol_server_port":
		return true
	}
	return strings.HasPrefix(name, "ssl_") || strings.HasPrefix(name, "proxy_protocol_tlv_")
}

// gives says whether a variable of ofListener may have a value for connections by a listen directive of a server. That of a
// client's certificate has one where the server asks for it.
func (f *Facts) gives(l *config.Listen, s *config.Server, name string) bool {
	if strings.HasPrefix(name, "proxy_protocol_") {
		return f.TakesProxyProtocol(l)
	}
	if !f.Encrypts(l) {
		return sslOn(s)
	}
	if !strings.HasPrefix(name, "ssl_client_") || name == "ssl_client_verify" {
		return true
	}
	verify, ok := s.Effective("ssl_verify_client")
	return ok && !strings.EqualFold(verify.Arg(0), "off")
}

// sslOn says whether a server encrypts by the older directive "ssl on".
func sslOn(s *config.Server) bool {
	on, ok := s.Effective("ssl")
	return ok && strings.EqualFold(on.Arg(0), "on")
}

// emptyBy returns the variable that makes the key empty where all those are empty of which a condition says so, and nothing
// else is known of the request.
func (f *Facts) emptyBy(key value.Template, empty func(string) bool, request func() *value.Request) string {
	f.keys.Lock()
	defer f.keys.Unlock()
	w := emptyWalk{facts: f, empty: empty, known: make(map[string]string)}
	w.request = sync.OnceValue(func() *value.Request {
		r, defs := request(), f.definitions()
		for _, name := range reached(key, defs) {
			if (!defs.Defined(name) || defs.Declared(name)) && empty(name) {
				r.Set(name, value.Of(""))
			}
		}
		return r
	})
	return w.leaf(key, nil)
}

// An emptyWalk looks for what makes a key empty.
type emptyWalk struct {
	facts   *Facts
	empty   func(string) bool
	request func() *value.Request // asked of maps; most keys go through none
	known   map[string]string     // of variables: what makes each empty; "" where nothing does, and while it is looked for
}

func (w *emptyWalk) leaf(t value.Template, entry *Entry) string {
	found := ""
	for _, part := range t.Parts {
		if part.Variable == "" || entry != nil && isCapture(entry.Item, part.Variable) {
			return ""
		}
		leaf, known := w.known[part.Variable]
		if !known {
			w.known[part.Variable] = ""
			leaf = w.variable(part.Variable)
			w.known[part.Variable] = leaf
		}
		if leaf == "" {
			return ""
		}
		found = cmp.Or(found, leaf)
	}
	return found
}

func (w *emptyWalk) variable(name string) string {
	b := w.facts.block(name)
	switch {
	case b == nil && w.empty(name):
		return name
	case b == nil || !b.IsMap():
		return ""
	}
	index, known := w.facts.definitions().Chosen(b.Name, w.request())
	if !known {
		return ""
	}
	e := b.entry(index)
	if e == nil {
		return ""
	}
	return w.leaf(e.Value, e)
}

// entry returns the entry of an index; nil where the block has none that leads to a value.
func (b *Block) entry(index int) *Entry {
	i, ok := slices.BinarySearchFunc(b.Entries, index, func(e Entry, index int) int { return e.Index - index })
	if !ok {
		return nil
	}
	return &b.Entries[i]
}
