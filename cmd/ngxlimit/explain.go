package main

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/cmd/internal/report"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

type explainFlags struct {
	inputFlags
	wayFlags
	method, client, peer, requests string
	headers                        []string
	format                         *choice
	given                          *pflag.FlagSet // what they are flags of
}

func newExplain(a *app) *cobra.Command {
	f := &explainFlags{format: oneOf("text", "text", "json")}
	cmd := &cobra.Command{
		Use:   "explain INPUT URL",
		Short: "Show which server, location and limits take a request, and with which key",
		Long: `explain follows one request through nginx's phases: which server and location take
it, what the real client address is, which limits count it and with which key.

The URL is whole (https://portal.example.com/api/x) or a path, which goes to the
first server unless --header 'Host: ...' names one.

A line of --requests is {"t_ms": 0, "client_ip": "203.0.113.7", "peer_ip": ..., "method": ..., "url": "https://...",
"headers": {...}}; all but t_ms and url may be left out.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.requests != "" {
				return needArgs(1, 1, "INPUT --requests FILE")(cmd, args)
			}
			return needArgs(2, 2, "INPUT URL")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.explain(f, args) },
	}
	f.add(cmd.Flags())
	return cmd
}

// add adds the command's own flags in front of those for its input.
func (f *explainFlags) add(flags *pflag.FlagSet) {
	f.given = flags
	flags.SortFlags = false
	flags.StringVar(&f.method, "method", "GET", "request `method`")
	flags.StringVar(&f.client, "client-ip", "", "the client's `address` (default "+someClient+")")
	flags.StringVar(&f.peer, "peer-ip", "", "`address` that connects, where a proxy stands between; unix: for a socket")
	flags.StringArrayVar(&f.headers, "header", nil, "a header `'Name: value'`; may be repeated")
	flags.StringVar(&f.requests, "requests", "", "`file` of many requests, one JSON object a line; - for standard input")
	flags.Var(f.format, "format", "how to print")
	f.wayFlags.add(flags)
	f.inputFlags.add(flags)
}

func (a *app) explain(f *explainFlags, args []string) error {
	if f.requests != "" {
		if err := idle(f.given, "a URL, and with --requests each request says it itself", "method", "client-ip", "peer-ip", "header"); err != nil {
			return err
		}
	}
	if f.requests == "-" && args[0] == "-" {
		return fmt.Errorf("both the configuration and the requests are to be read from standard input")
	}
	way, err := f.readChain(a)
	if err != nil {
		return err
	}
	tree, err := f.one(a, args[0])
	if err != nil {
		return err
	}
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return fmt.Errorf("%s has no server that could take a request", args[0])
	}
	refused := a.tellRefused(tree)
	p := pipeline.New(tree, route.New(tree))
	p.Explain = true
	on := explainWay{way, rule.NewFacts(tree, rule.Settings{})}
	if f.requests != "" {
		return a.explainMany(f, p, on, firstHost(tree), refused)
	}
	if f.client == "" && len(way) > 0 {
		f.client = someClient // a peer that is given is the last proxy's
	}
	e, err := f.event(args[1])
	if err != nil {
		return err
	}
	assumption := ""
	if e.Request.Host == "" {
		assumption = toFirst(&e.Request, tree, p)
	}
	out := on.explain(p, e)
	if assumption != "" {
		out.Assumptions = append([]string{assumption}, out.Assumptions...)
	}
	out.Assumptions = slices.Insert(out.Assumptions, 0, refused...)
	if f.format.value == "json" {
		return report.EncodeJSON(a.stdout, out)
	}
	return report.WriteExplanation(a.stdout, out, a.screen(""))
}

// event builds the request that the flags describe.
func (f *explainFlags) event(url string) (traffic.Event, error) {
	e := traffic.Event{URL: url}
	e.Request.Method = f.method
	if !traffic.Method(f.method) {
		return e, fmt.Errorf("--method %q: it is no method, such as GET", f.method)
	}
	if err := f.addresses(&e); err != nil {
		return e, err
	}
	if err := traffic.SetURL(&e.Request, url); err != nil {
		return e, err
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !ok || name == "":
			return e, fmt.Errorf("--header %q: want 'Name: value'", h)
		case strings.EqualFold(name, "Host"):
			e.Request.Host = value
		default:
			e.Request.Headers = append(e.Request.Headers, request.Header{Name: name, Value: value})
		}
	}
	return e, nil
}

// someClient is a client of nobody: an address that is kept for documentation.
const someClient = "203.0.113.7"

// addresses sets who the client is and who connects; each stands for the other where only one is given.
func (f *explainFlags) addresses(e *traffic.Event) (err error) {
	client := f.client
	if client == "" && f.peer == "" {
		client = someClient
	}
	if client != "" {
		if e.Client, err = address("--client-ip", client); err != nil {
			return err
		}
	}
	switch f.peer {
	case "":
		e.Request.Peer = e.Client
	case "unix:":
	default:
		e.Request.Peer, err = address("--peer-ip", f.peer)
	}
	return err
}

func address(flag, text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%s: %q is no IP address", flag, text)
	}
	return addr, nil
}

// forwarded are the headers in which a proxy passes on who the client is.
var forwarded = []string{"X-Forwarded-For", "X-Real-IP"}

// asProxied lets the proxy say who the client is, where one stands between and the headers do not say it.
func asProxied(e *traffic.Event) (assumption string) {
	r := &e.Request
	if !e.Client.IsValid() || e.Client == r.Peer {
		return ""
	}
	peer := "the socket's other side"
	if r.Peer.IsValid() {
		peer = r.Peer.String()
	}
	for _, h := range r.Headers {
		for _, name := range forwarded {
			if strings.EqualFold(h.Name, name) {
				return ""
			}
		}
	}
	for _, name := range forwarded {
		r.Headers = append(r.Headers, request.Header{Name: name, Value: e.Client.String()})
	}
	if !r.Proxy.IsValid() {
		r.Proxy = netip.AddrPortFrom(e.Client, 0)
	}
	return fmt.Sprintf("%s passes on the client's address, %s, in %s and in the PROXY protocol",
		peer, e.Client, strings.Join(forwarded, " and "))
}

// An explainWay is the chain that requests come through; none where it is empty.
type explainWay struct {
	chain chain.Chain
	facts *rule.Facts
}

// explain explains a request that comes through the chain, where there is one.
func (w explainWay) explain(p *pipeline.Pipeline, e traffic.Event) report.Explanation {
	if len(w.chain) > 0 && e.Client.IsValid() {
		return explainChain(p, w.facts, e, w.chain)
	}
	return explainOne(p, e)
}

func explainOne(p *pipeline.Pipeline, e traffic.Event) report.Explanation {
	assumption := asProxied(&e)
	if e.Request.Method == "" {
		e.Request.Method = "GET"
	}
	t := p.Fresh().Do(clock.Up, &e.Request) // with empty zones: an explanation does not depend on earlier requests
	out := report.Explain(e.Request.Method, e.URL, &t)
	out.Client.Proxied = e.Client.IsValid() && e.Client != e.Request.Peer
	if assumption != "" {
		out.Assumptions = append([]string{assumption}, out.Assumptions...)
	}
	return out
}

// explainMany explains each request of a stream, as an array. The host is for those that name none; what nginx refuses of the
// configuration is said of each.
func (a *app) explainMany(f *explainFlags, p *pipeline.Pipeline, on explainWay, host string, refused []string) error {
	return a.openRequests(f.requests, func(r io.Reader) error {
		var all []report.Explanation
		for e, err := range someRequests(traffic.ReadRequests(r, host)) {
			if err != nil {
				return fmt.Errorf("%s: %w", f.requests, err)
			}
			out := on.explain(p, e)
			out.Assumptions = slices.Insert(out.Assumptions, 0, refused...)
			all = append(all, out)
		}
		if f.format.value == "json" {
			return report.EncodeJSON(a.stdout, append([]report.Explanation{}, all...))
		}
		for i, e := range all {
			if i > 0 {
				fmt.Fprintln(a.stdout) //nolint:errcheck // the next write says so
			}
			if err := report.WriteExplanation(a.stdout, e, a.screen("")); err != nil {
				return err
			}
		}
		return nil
	})
}
