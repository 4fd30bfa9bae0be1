package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// A behind is a trust behind the chain of proxies that somebody described: what nginx makes of the header as it is set, and
// with which header and recursion it would be right. It takes for granted that the chain's networks are trusted, because
// realip-incomplete tells of those that are not.
type behind struct {
	chain.Outcome
	chain     chain.Chain
	header    string // with which nginx takes the client's address, whatever the client claims; as it is set where that does
	recursive bool
	sound     bool // there is such a header
}

// behindChain judges a trust by the chain; ok is false where nobody described one.
func behindChain(p *rule.Pass, t *rule.Trust) (b behind, ok bool) {
	c := p.Settings.Chain
	if len(c) == 0 {
		return b, false
	}
	b = behind{Outcome: c.Judge(t.Header.Value, t.Recursive.Value), chain: c}
	b.header, b.recursive, b.sound = c.Sound(t.Header.Value, t.Recursive.Value)
	return b, true
}

// onlyRecursion says whether the header would be right with the other recursion.
func (b *behind) onlyRecursion(t *rule.Trust) bool {
	return !b.Right() && b.sound && strings.EqualFold(b.header, t.Header.Value) && b.recursive != t.Recursive.Value
}

// names lists the proxies in the order in which a request passes them.
func (b *behind) names() string { return namesOf(b.chain) }

func namesOf(c chain.Chain) string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].Name
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return names[0]
}

// writer names the proxy that wrote the address which nginx takes: the one behind that whose address it is.
func (b *behind) writer() string { return b.chain[min(b.Takes+1, len(b.chain)-1)].Name }

// needs says whether a list has to be trusted, as far as the chain tells: one that only a proxy has whose address nginx does
// not come across has not.
func (b *behind) needs(list *fronts.List) bool {
	needed := b.Needed
	if b.sound {
		needed = b.chain.Judge(b.header, b.recursive).Needed
	}
	found := false
	for i := range b.chain {
		if !slices.ContainsFunc(b.chain[i].Lists, func(l *fronts.List) bool { return l == list || l.Front != nil && l.Front == list.Front }) {
			continue
		}
		found = true
		if slices.Contains(needed, i) {
			return true
		}
	}
	return !found
}

// known says whether the networks of all proxies that have to be trusted are known.
func (b *behind) known() bool {
	return !slices.ContainsFunc(b.chain.Judge(b.header, b.recursive).Needed, func(i int) bool { return !b.chain[i].Known() })
}

// recursionNeeded is about a chain that somebody described.
func recursionNeeded(p *rule.Pass, t *rule.Trust, b *behind) rule.Finding {
	f := t.AtRecursive()
	f.Confidence = rule.High
	f.Message = fmt.Sprintf("behind %s the last entry of %s is the address of %s, which %s adds, and with real_ip_recursive off it is the key of all its clients; what stands in front of the entry of %s is the client's own words",
		b.names(), t.Header.Value, b.chain[b.Takes].Name, b.writer(), b.chain[0].Name)
	f.Evidence = map[string]any{"chain": b.names(), "takes": b.chain[b.Takes].Name, "zone": t.Bucket.Zone}
	f.Fix = &rule.Fix{Title: "go back over the proxies", Safe: b.known()}
	switch {
	case t.Recursive.Origin != nil:
		f.Fix.Edits = []source.Edit{{Span: t.Recursive.Origin.Head(), Text: "real_ip_recursive on"}}
	default:
		after := t.From.Value[len(t.From.Value)-1].Directive
		if t.Header.Origin != nil && t.Header.At == t.From.At {
			after = t.Header.Origin
		}
		f.Fix.Edits = []source.Edit{after.InsertLines([]string{"real_ip_recursive on;"})}
	}
	if !p.WholeAt(t.From.At) {
		f.Fix.Safe = false
	}
	return f
}

// behindHeader says what is wrong with the header behind the proxies that somebody described; "" where nothing is, or only
// the recursion, of which realip-recursive-off tells.
func behindHeader(t *rule.Trust, b *behind) string {
	if b.Right() || b.onlyRecursion(t) {
		return ""
	}
	name, advice := t.Header.Value, "; none of the headers that they send has the client's address for certain"
	if b.sound {
		advice = "; it is in " + b.header
		if b.header == realip.ProxyProtocol {
			advice = "; it is in the PROXY protocol (real_ip_header proxy_protocol)"
		}
		if b.recursive && !t.Recursive.Value {
			advice += ", with real_ip_recursive on"
		}
	}
	if b.Forged {
		return fmt.Sprintf("behind %s the header %s comes as the client sent it: each client of zone %q chooses its bucket%s", b.names(), name, t.Bucket.Zone, advice)
	}
	return fmt.Sprintf("behind %s the address that nginx takes from %s is that of %s, and it is the key of all its clients%s", b.names(), name, b.chain[b.Takes].Name, advice)
}
