package rule

import (
	"net/netip"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// outsiders are addresses of the internet, of both families. The last two are of one /64.
var outsiders = [...]netip.AddrPort{
	visitors[0], visitors[1], visitors[2],
	netip.MustParseAddrPort("[2a02:8070:d181:4f00:1c3e:77ab:9:15]:40004"),
	netip.MustParseAddrPort("[2a00:1450:4001:82b:a1:b2:c3:d4]:40005"),
	netip.MustParseAddrPort("[2a00:1450:4001:82b:ffee:1:2:3]:40006"),
}

// outsider is a request of which nothing is known but the address and the method: any value that rests on more is unknown.
func outsider(t value.Template, defs *value.Definitions, at netip.AddrPort, method string) *value.Request {
	r := &value.Request{
		HTTP:        &request.Request{Method: method, Target: "/", Peer: at.Addr(), PeerPort: at.Port()},
		Definitions: defs, Client: at, URI: "/",
	}
	for _, name := range reached(t, defs) {
		switch name {
		case "remote_addr", "binary_remote_addr", "realip_remote_addr", "request_method":
			continue
		}
		if !defs.Defined(name) || defs.Declared(name) {
			r.Set(name, value.Unknown("depends on the request"))
		}
	}
	return r
}

// CountsEach6 says whether the key tells the addresses of one IPv6 network of 64 bits apart, as far as it goes by the address
// at all.
func (f *Facts) CountsEach6(key value.Template) bool {
	if f.apart6(key) {
		return true
	}
	return slices.ContainsFunc(key.Parts, func(p value.Part) bool {
		return p.Variable != "" && f.apart6(value.Template{Text: "$" + p.Variable, Parts: []value.Part{p}})
	})
}

func (f *Facts) apart6(t value.Template) bool {
	for _, method := range [...]string{"GET", "POST"} {
		var texts []string
		for _, at := range outsiders[len(outsiders)-2:] {
			if text, known := t.Eval(outsider(t, f.definitions(), at, method)).Known(); known && text != "" {
				texts = append(texts, text)
			}
		}
		if len(texts) == 2 && texts[0] != texts[1] {
			return true
		}
	}
	return false
}

// SameForVisitors returns the text that the key has for every visitor from the outside with an ordinary browser, whatever
// else a request of a method holds; "" where they differ, where none is counted, and where it rests on what is not known.
func (f *Facts) SameForVisitors(key value.Template) (text, method string) {
	for _, method := range [...]string{"GET", "POST"} {
		if text := f.sameFor(key, method); text != "" {
			return text, method
		}
	}
	return "", ""
}

func (f *Facts) sameFor(key value.Template, method string) string {
	same := ""
	for i, at := range outsiders {
		r := outsider(key, f.definitions(), at, method)
		r.Set("http_user_agent", value.Of(browser))
		text, known := key.Eval(r).Known()
		if !known || i > 0 && text != same {
			return ""
		}
		same = text
	}
	return same
}

// SameOutside returns the text that a template has for every visitor from the outside, whatever else a request holds; ""
// where they differ, where it is empty, and where it rests on what is not known.
func (f *Facts) SameOutside(text string) string {
	t, err := value.Parse(text)
	if err != nil {
		return ""
	}
	same := ""
	for i, at := range outsiders {
		text, known := t.Eval(outsider(t, f.definitions(), at, "GET")).Known()
		if !known || i > 0 && text != same {
			return ""
		}
		same = text
	}
	return same
}

// sent are pairs of texts that a client may send for one another, of the forms that keys look for.
var sent = [...][2]string{
	{"81.2.70.1", "45.83.12.1"},
	{"81.2.70.1, 10.0.0.1", "45.83.12.1, 10.0.0.1"},
	{"10.0.0.1", "127.0.0.1"},
	{"", "192.168.1.1"},
	{"Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "Bearer eyJhbGciOiJSUzI1NiJ9.e30.Z2lz"},
	{"8f14e45f", "c9f0f895"},
	{"1", "2"},
	{"a b", "c d"},
}

// Sways says whether a visitor from the outside may get another key by what it sends. Where an address
// decides whose text is taken (only that of a proxy), the key is asked; else what its flow says is believed.
func (f *Facts) Sways(key value.Template) bool {
	byAddress := slices.ContainsFunc(f.Flow(key).Chooses, func(l Leaf) bool {
		return l.Name == "remote_addr" || l.Name == "realip_remote_addr" || l.Name == "binary_remote_addr"
	})
	if !byAddress {
		return true
	}
	for _, at := range outsiders {
		for _, pair := range sent {
			var texts [2]string
			for i, text := range pair {
				var known bool
				if texts[i], known = f.keyWith(key, at, text); !known {
					return true
				}
			}
			if texts[0] != texts[1] {
				return true
			}
		}
	}
	return false
}

// keyWith evaluates the key of a client that sends one text for all that it may choose.
func (f *Facts) keyWith(key value.Template, at netip.AddrPort, text string) (string, bool) {
	defs := f.definitions()
	r := outsider(key, defs, at, "GET")
	for _, name := range reached(key, defs) {
		if !defs.Defined(name) && (Chosen(name) || AddressHeader(name)) {
			r.Set(name, value.Of(text))
		}
	}
	return key.Eval(r).Known()
}
