package replay

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

const (
	manyAgents   = 4  // user agents behind one address that are more than one person's devices
	manyUsers    = 2  // names of users likewise
	manySenders  = 3  // addresses that a proxy hands on
	manyPages    = 6  // pages within a minute that one person does not open
	filesOfPage  = 2  // requests beside each page itself that tell a browser from a program
	floodRefused = 50 // refusals from which on a key looks like an attack
	shownOfKind  = 5  // diagnoses of one kind about keys
)

// A suspect is a key with something to say about it.
type suspect struct {
	id  keyID
	row *keyRow
}

// ofKeys looks at keys that are one address.
func (e *engine) ofKeys() []Diagnosis {
	all := make([]suspect, 0, 64)
	counted := map[*config.Zone]bool{}
	for _, z := range e.r.tree.HTTP.Zones {
		counted[z] = byAddress(z)
	}
	for id, row := range e.keys.all {
		if row.sole && row.Requests >= fewest && counted[id.zone] {
			all = append(all, suspect{id, row})
		}
	}
	slices.SortFunc(all, func(a, b suspect) int {
		if c := worse(a.row.Delayed, a.row.Rejected, a.row.Requests, b.row.Delayed, b.row.Rejected, b.row.Requests); c != 0 {
			return c
		}
		return cmp.Or(strings.Compare(a.id.zone.Name, b.id.zone.Name), strings.Compare(a.id.key, b.id.key))
	})
	var list []Diagnosis
	shown := map[string]int{}
	for _, s := range all {
		d, ok := e.ofKey(s)
		if !ok || shown[d.Kind] == shownOfKind {
			continue
		}
		shown[d.Kind]++
		list = append(list, d)
	}
	return list
}

// byAddress says that a zone counts by the client's address, alone or with something else.
func byAddress(z *config.Zone) bool {
	return slices.ContainsFunc(z.Key.Variables(), func(name string) bool {
		return name == "binary_remote_addr" || name == "remote_addr" || name == "realip_remote_addr" || name == "http_x_forwarded_for"
	})
}

// ofKey judges one key.
func (e *engine) ofKey(s suspect) (Diagnosis, bool) {
	k := s.row
	agents, users, senders, paths := k.agents.n(), k.users.n(), k.senders.n(), k.uris.n()
	browsing := k.documents > 0 && k.beside >= filesOfPage*k.documents
	proxy, shared := senders >= manySenders, agents >= manyAgents || users >= manyUsers || browsing && k.pages >= manyPages
	attack := k.Rejected >= floodRefused && 2*k.Rejected >= k.Requests && !browsing
	if !proxy && !shared && !attack {
		return Diagnosis{}, false // as most are
	}
	key := e.redact(pipeline.Readable(s.id.key))
	evidence := map[string]any{
		"key": key, "zone": s.id.zone.Name, "requests": k.Requests, "delayed": k.Delayed, "refused": k.Rejected, "agents": agents, "users": users,
		"forwarded": senders, "paths": paths, "pages_in_a_minute": k.pages, "most_in_a_second": k.most,
	}
	suffers := fmt.Sprintf("%s delayed, %s refused of %s", number(k.Delayed), number(k.Rejected), count(k.Requests, "request"))
	place, limit := e.limitOf(k, s.id.zone)
	switch {
	case proxy:
		return at(diagProxy, place, limit, fmt.Sprintf(
			"key %s of zone %s is %s that hands on about %s other addresses: %s (%s)",
			key, s.id.zone.Name, e.addressText(k.who), number(senders), e.proxyText(k.who, evidence), suffers,
		), e.with(evidence, k.who)), true
	case shared:
		var signs []string
		if agents >= manyAgents {
			signs = append(signs, "about "+number(agents)+" user agents")
		}
		if users >= manyUsers {
			signs = append(signs, "about "+number(users)+" users")
		}
		if browsing && k.pages >= manyPages {
			signs = append(signs, number(k.pages)+" pages begun within one minute")
		}
		return at(diagShared, place, limit, fmt.Sprintf(
			"several people share key %s of zone %s, %s: %s (%s)", key, s.id.zone.Name, e.addressText(k.who), strings.Join(signs, ", "), suffers,
		), e.with(evidence, k.who)), true
	}
	return at(diagAttack, place, limit, fmt.Sprintf(
		"key %s of zone %s looks like an attack or a program out of control: %s, up to %s in one second, to %s: the limit does its work",
		key, s.id.zone.Name, suffers, number(k.most), count(paths, "path"),
	), e.with(evidence, k.who)), true
}

// proxyText says what follows of an address that hands on others, and which network would have to be trusted. Anybody may
// send the header: that of an address of the internet that is no known proxy's proves little.
func (e *engine) proxyText(w *who, evidence map[string]any) string {
	sure := e.r.needs.judge.Suspect(w.addr)
	evidence["proxy"] = sure
	if !sure {
		return "a proxy that is not trusted, so that all who come through it share one bucket, or a client that makes the header up"
	}
	text := "it is not trusted, so all who come through it share one bucket"
	if e.r.o.Redact != nil || w.strange {
		return text
	}
	var sizes []int
	if e.trust != nil {
		for _, p := range e.trust.Trusted {
			if p.Addr().IsPrivate() {
				sizes = append(sizes, p.Bits())
			}
		}
	}
	group := e.r.needs.judge.Network(w.addr, sizes)
	evidence["network"], evidence["network_listed"] = group.Network.String(), group.Sure
	if group.Sure {
		return text + "; its network is " + group.Network.String()
	}
	return text + "; the smallest network that is likely its own is " + group.Network.String()
}

// limitOf finds the limit by which a key was judged first.
func (e *engine) limitOf(k *keyRow, z *config.Zone) (pipeline.Place, *config.LimitReq) {
	for _, s := range e.ordered() {
		for _, l := range limitsOf(s.place) {
			if l.Zone == z && (k.uri == nil || k.uri.leads == nil || k.uri.leads.Level == s.place.Level) {
				return s.place, l
			}
		}
	}
	return pipeline.Place{}, nil
}

// with adds what is known of an address.
func (e *engine) with(evidence map[string]any, w *who) map[string]any {
	evidence["private"] = !w.strange && (w.addr.IsPrivate() || w.addr.IsLoopback())
	if f := e.r.o.Fronts.Of(netip.PrefixFrom(w.addr, w.addr.BitLen())); f != nil {
		evidence["provider"] = f.ID
	}
	return evidence
}

// addressText says what an address is.
func (e *engine) addressText(w *who) string {
	if f := e.r.o.Fronts.Of(netip.PrefixFrom(w.addr, w.addr.BitLen())); f != nil {
		return "an address of " + f.Name
	}
	switch {
	case w.strange:
		return "which is no address"
	case w.addr.IsPrivate() || w.addr.IsLoopback():
		return "a private address (a proxy or an inside network)"
	}
	return "a public address (NAT)"
}

// ofPages compares pages with the limits at them.
func (e *engine) ofPages() []Diagnosis {
	type found struct {
		id  uriID
		row *pageRow
	}
	var all []found
	for id, p := range e.pages.all {
		if p.loads >= 3 {
			all = append(all, found{id, p})
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.row.loads, a.row.loads), strings.Compare(nameOf(a.id.server), nameOf(b.id.server)), strings.Compare(a.id.path, b.id.path))
	})
	var list []Diagnosis
	for _, f := range all {
		if len(list) == shownOfKind {
			break
		}
		q, span := f.row.sizes.Quantiles(), f.row.spans.Quantiles()
		evidence := map[string]any{"path": f.id.path, "loads": f.row.loads, "requests_p50": q.P50, "requests_p95": q.P95, "requests_max": q.Max, "span_p50_ms": span.P50}
		text := fmt.Sprintf("page %s was opened %s times: %s in one go (95 of 100: up to %s), within %s", f.id.path, number(f.row.loads), count(q.P50, "request"), number(q.P95), clock.Words(span.P50))
		var limit *config.LimitReq
		limits := limitsOf(f.row.place)
		if n := slices.IndexFunc(limits, func(l *config.LimitReq) bool { return l.Burst/1000+1 < q.P50 }); n >= 0 {
			limit = limits[n]
			text += fmt.Sprintf("; zone %s takes %d at once", limit.ZoneName, limit.Burst/1000+1)
			evidence["at_once"] = limit.Burst/1000 + 1
		}
		list = append(list, at(diagPage, f.row.place, limit, text, evidence))
	}
	return list
}
