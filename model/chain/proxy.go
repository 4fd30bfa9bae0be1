package chain

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/spelling"
	"github.com/ngxlimit/ngxlimit/model/fronts"
)

// A Chain is the proxies between clients and nginx as somebody describes them, in the order in which a request passes
// them: the last one connects to nginx.
type Chain []Proxy

// A Proxy is one member of a chain.
type Proxy struct {
	Name    string          // as it was given: "alb"
	Title   string          // for people: "AWS application balancer"
	Front   string          // the ID of the front that publishes its networks; "" for none
	Makers  []string        // see fronts.Kind
	Headers []fronts.Header // see Hop
	Speaks  bool            // see Hop
	About   string          // what is taken for granted of it
	Files   []string        // that hold its networks, still to be read
	Lists   []*fronts.List  // its networks; none where they are not known

	written []netip.Prefix // networks that were given one by one
	own     []netip.Addr   // addresses that it adds to the header behind the client's
}

// MaxProxies bounds a chain.
const MaxProxies = 20

// Split splits a chain that is written in one word, as "cloudflare,alb=subnets.json,nginx".
func Split(text string) []string {
	all := strings.Split(text, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// Parse reads a chain of which each member is written as
//
//	NAME[:OPTION...][=NETWORK or FILE[+NETWORK or FILE...]]
//
// NAME is a kind of proxy (fronts.Kinds) or, with networks, any other; a bare network is a proxy that has no name. An
// OPTION is appends, replaces or passes (what it does to X-Forwarded-For), proxy_protocol, or the name of a header in which
// it writes who connected to it. Files are not read here.
func Parse(members []string) (Chain, error) {
	if len(members) > MaxProxies {
		return nil, fmt.Errorf("more than %d proxies in a chain", MaxProxies)
	}
	c := make(Chain, len(members))
	for i, text := range members {
		var err error
		if c[i], err = ParseProxy(text); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ParseProxy reads one member of a chain.
func ParseProxy(text string) (Proxy, error) {
	if text == "" {
		return Proxy{}, errors.New("a proxy without a name")
	}
	if p, _, ok := request.ParseNetwork(text); ok {
		return Proxy{Name: text, Title: "the proxy " + text, Headers: appended(), written: []netip.Prefix{p}}, nil
	}
	what, where, given := strings.Cut(text, "=")
	words := strings.Split(what, ":")
	p, known := proxyOf(words[0])
	switch {
	case words[0] == "" || strings.ContainsFunc(words[0], unicode.IsSpace):
		return p, fmt.Errorf("%q is no proxy: want NAME, NAME=NETWORK or NAME=FILE", text)
	case !known && !given:
		return p, unknownProxy(words[0])
	}
	treats := "" // what it does to X-Forwarded-For
	for _, option := range words[1:] {
		if err := p.option(option); err != nil {
			return p, fmt.Errorf("%s: %w", words[0], err)
		}
		if option != "appends" && option != "replaces" && option != "passes" {
			continue
		}
		if treats != "" && treats != option {
			return p, fmt.Errorf("%s: %s and %s contradict each other", words[0], treats, option)
		}
		treats = option
	}
	if !given {
		return p, nil
	}
	for w := range strings.SplitSeq(where, "+") {
		network, _, ok := request.ParseNetwork(w)
		switch {
		case w == "":
			return p, fmt.Errorf("%s: an empty network in %q", words[0], text)
		case ok:
			p.written = append(p.written, network)
		case strings.Trim(w, "0123456789abcdefABCDEF.:/") == "" && strings.ContainsAny(w, ":/"):
			return p, fmt.Errorf("%s: %q is no network: want an address or a CIDR such as 10.0.0.0/22", words[0], w)
		default:
			p.Files = append(p.Files, w)
		}
	}
	return p, nil
}

func appended() []fronts.Header { return []fronts.Header{{Name: "X-Forwarded-For", Adds: 1}} }

// proxyOf is the proxy of a name; known is false where no kind has it.
func proxyOf(name string) (p Proxy, known bool) {
	kind, known := fronts.KindOf(name)
	if !known {
		return Proxy{Name: name, Title: name, Headers: appended(), About: "it adds to X-Forwarded-For"}, false
	}
	p = Proxy{Name: name, Title: kind.Name, Makers: kind.Makers, Headers: kind.Headers, Speaks: kind.Speaks, About: kind.About}
	if fronts.BuiltIn().Find(name) != nil {
		p.Front = name
	}
	return p, true
}

// vague are names that people have for several kinds of proxy, or for one in other words.
var vague = map[string]string{
	"aws":           "alb, nlb, elb or cloudfront",
	"azure":         "appgateway or frontdoor",
	"cf":            "cloudflare or cloudfront",
	"gcp":           "google (global) or google-regional",
	"gcloud":        "google (global) or google-regional",
	"gke":           "google (global, as an Ingress of GKE makes) or google-regional",
	"google-cloud":  "google (global) or google-regional",
	"k8s":           "the kind of its ingress: ingress-nginx, traefik, haproxy, envoy, alb or google",
	"kubernetes":    "the kind of its ingress: ingress-nginx, traefik, haproxy, envoy, alb or google",
	"istio":         "envoy",
	"nginx-ingress": "ingress-nginx",
}

func unknownProxy(name string) error {
	kinds := fronts.Kinds()
	ids := make([]string, len(kinds))
	for i, k := range kinds {
		ids[i] = k.ID
	}
	if kinds := vague[strings.ToLower(name)]; kinds != "" {
		return fmt.Errorf("unknown proxy %q: want %s", name, kinds)
	}
	if near := spelling.Nearest(name, ids); near != "" {
		return fmt.Errorf("unknown proxy %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown proxy %q: want one of %s, or %s=NETWORK", name, strings.Join(ids, ", "), name)
}

// option takes what is said of a proxy beside its name.
func (p *Proxy) option(word string) error {
	const header = "X-Forwarded-For"
	switch word {
	case "appends":
		p.About = ""
		p.set(fronts.Header{Name: header, Adds: 1})
	case "replaces":
		p.About = ""
		p.set(fronts.Header{Name: header})
	case "passes":
		p.About = ""
		p.Headers = slices.DeleteFunc(slices.Clone(p.Headers), func(h fronts.Header) bool { return h.Name == header })
	case "proxy_protocol":
		p.Speaks = true
	default:
		if strings.Trim(word, headerLetters) != "" || strings.Trim(word, "-") == "" || !strings.Contains(word, "-") {
			return fmt.Errorf("unknown word %q: want appends, replaces, passes, proxy_protocol or the name of a header that it sets, such as X-Client-IP", word)
		}
		p.set(fronts.Header{Name: word})
	}
	return nil
}

const headerLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

// set puts a header in the place of what was known of it.
func (p *Proxy) set(h fronts.Header) {
	all := slices.DeleteFunc(slices.Clone(p.Headers), func(o fronts.Header) bool { return strings.EqualFold(o.Name, h.Name) })
	p.Headers = append([]fronts.Header{h}, all...)
}
