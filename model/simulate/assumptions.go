package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// assumptionsOf says what the simulation itself takes for granted.
func assumptionsOf(s *simulation) []string {
	o := s.opts
	var list []string
	for _, c := range s.crowds {
		who := "clients"
		if len(s.crowds) > 1 {
			who = fmt.Sprintf("the clients of %q", c.Fan.Name)
		}
		way := " connect to nginx themselves, "
		if len(o.Via) > 0 {
			way = " come through " + ways(o.Via) + "; they come "
		}
		list = append(list, who+way+shared(c.PerAddress)+", from ranges that are kept for documentation")
	}
	if text := s.target.clients.assumption(s.countAddresses()); text != "" {
		list = append(list, text)
	}
	list = append(list, o.protocols(s.target.server)...)
	if o.UpstreamMs == nil && slices.ContainsFunc(o.Crowds, func(c Crowd) bool { return anyRequest(c.Fan, untimed) }) {
		list = append(list, "the server takes as long as is usual for the kind of each request: html 100 ms, static files 5 ms, api 50 ms")
	}
	again := "; nothing is sent a second time"
	if slices.ContainsFunc(o.Crowds, func(c Crowd) bool { return anyRequest(c.Fan, retried) }) {
		again = "; what is refused is sent again as the fan says"
	}
	return append(list, "a request that hangs on a refused one is not sent"+again)
}

func untimed(r *traffic.FanRequest) bool { return r.ServiceMs == nil }
func retried(r *traffic.FanRequest) bool { return r.Retry != "" }

// anyRequest says whether some request of a fan, or of its streams, is as asked.
func anyRequest(fan *traffic.Fan, is func(*traffic.FanRequest) bool) bool {
	among := func(all []traffic.FanRequest) bool {
		return slices.ContainsFunc(all, func(r traffic.FanRequest) bool { return is(&r) })
	}
	return among(fan.Requests) || slices.ContainsFunc(fan.Streams, func(st traffic.Stream) bool { return among(st.Requests) })
}

// protocols says over what clients speak where nobody chose it.
func (o *Options) protocols(server *config.Server) []string {
	if o.Protocol != "" || !slices.ContainsFunc(o.Crowds, func(c Crowd) bool { return c.Fan.Protocol == "" && len(c.Fan.Requests) > 1 }) {
		return nil
	}
	switch {
	case o.Edge != nil:
		return []string{"browsers speak HTTP/2 to the edge: all requests at once (--protocol h1 for six connections)"}
	case o.offered == HTTP2:
		return []string{"browsers speak HTTP/2, which server " + name(server) + " offers: all requests at once"}
	case len(o.Via) > 0:
		return []string{"browsers speak HTTP/1.1 to the first proxy, over six connections; over HTTP/2 more comes at once (--protocol h2)"}
	}
	return []string{"browsers speak HTTP/1.1 over six connections, as server " + name(server) + " offers no HTTP/2; over that all comes at once (--protocol h2)"}
}

func shared(perAddress []int) string {
	if len(perAddress) == 1 && perAddress[0] == 1 {
		return "each from an address of its own"
	}
	texts := make([]string, len(perAddress))
	for i, n := range perAddress {
		texts[i] = fmt.Sprint(n)
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " and " + texts[last] + " from one address each"
	}
	return texts[0] + " from one address"
}

// ways says through which proxies clients come, and what these do.
func ways(via []chain.Way) string {
	const most = 4
	texts := make([]string, 0, most)
	for _, way := range via[:min(len(via), most)] {
		parts := make([]string, len(way))
		for j, hop := range way {
			parts[j] = hop.Node.Addr().String()
			if hop.Name != parts[j] {
				parts[j] = hop.Name + " at " + parts[j]
			}
		}
		texts = append(texts, strings.Join(parts, " then "))
	}
	if more := len(via) - most; more > 0 {
		texts = append(texts, fmt.Sprintf("%d ways more", more))
	}
	text := strings.Join(texts, " or ")
	if header := addedTo(via); header != "" {
		text += ", which add the address they were connected from to " + header
	}
	return text
}

// addedTo is the one header to which all proxies add; "" where they do different things.
func addedTo(via []chain.Way) (name string) {
	for _, way := range via {
		for _, hop := range way {
			if len(hop.Headers) != 1 || hop.Headers[0].Adds != 1 || hop.Speaks || name != "" && name != hop.Headers[0].Name {
				return ""
			}
			name = hop.Headers[0].Name
		}
	}
	return name
}
