package rule

import (
	"net/netip"
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Counted says whom a key counts, as far as the address alone decides it.
type Counted struct {
	Known   bool // the address alone decides
	Outside bool // visitors from the outside are counted, all of those who were asked about
	None    bool // none of them is
	Listed  []Listed
}

// Listed is one address of what an entry lists, and the entry's own words: "10.0.0.0/8".
type Listed struct {
	netip.Addr
	Text string
}

// maxListed bounds the addresses that are asked about.
const maxListed = 200

// CountedBy asks the key for visitors from the outside, and for one address of each network that its blocks list. Listed
// are those of the latter that are counted.
func (f *Facts) CountedBy(key value.Template) Counted {
	c := Counted{Known: true, Outside: true, None: true}
	listed := f.listed(key)
	for _, at := range outsiders {
		switch yes, known := f.counts(key, at.Addr()); {
		case !known:
			return Counted{}
		case yes:
			c.None = false
		default:
			c.Outside = false
		}
	}
	for _, a := range listed {
		if yes, known := f.counts(key, a.Addr); known && yes {
			c.Listed = append(c.Listed, a)
		}
	}
	return c
}

// counts says whether a client of an address is counted, for a page or for what it posts.
func (f *Facts) counts(key value.Template, a netip.Addr) (yes, known bool) {
	for _, method := range [...]string{"GET", "POST"} {
		text, ok := key.Eval(outsider(key, f.definitions(), netip.AddrPortFrom(a, 40000), method)).Known()
		if !ok {
			return false, false
		}
		yes = yes || text != ""
	}
	return yes, true
}

// listed returns one address of each network, range or address that a block over the client's address lists.
func (f *Facts) listed(key value.Template) []Listed {
	var all []Listed
	for _, b := range f.Flow(key).Blocks {
		if len(b.Source.Parts) != 1 || b.Source.Parts[0].Variable != "remote_addr" {
			continue
		}
		for i := range b.Entries {
			if e := &b.Entries[i]; !e.Default && len(all) < maxListed {
				if a, ok := firstAddress(e.Key); ok {
					all = append(all, Listed{a, e.Key})
				}
			}
		}
	}
	return all
}

func firstAddress(text string) (netip.Addr, bool) {
	text, _, _ = strings.Cut(text, "-")
	text, _, _ = strings.Cut(text, "/")
	return request.ParseAddr(text)
}

// A Stance is what a name says about those whom it lists.
type Stance uint8

// The stances.
const (
	Neutral Stance = iota
	Friends        // who is on the list is let off: whitelist, trusted, office
	Foes           // who is on the list is to be held: blacklist, bots, abuse
	Limits         // the list says who is to be limited: limit, limited
)

var stances = func() map[string]Stance {
	m := make(map[string]Stance)
	for stance, list := range map[Stance]string{
		Friends: "whitelist whitelisted white allow allowed allowlist allowlisted trusted trust exempt exempted exempts excluded exclude internal inside " +
			"office offices skip bypass nolimit unlimited unlimit ignore ignored safe good friend friends friendly lan vpn monitor monitoring partner " +
			"partners staff admin admins own local free private",
		Foes: "blacklist blacklisted black blocklist block blocked deny denied denylist ban banned bans bad abuse abuser abusers abusive spam spammer spammers " +
			"bot bots crawler crawlers spider spiders scanner scanners scraper scrapers suspicious attack attacker attackers tor evil slow throttle " +
			"throttled restricted restrict greylist graylist penalty untrusted foreign external outside",
		Limits: "limit limited limits limiting ratelimit ratelimited",
	} {
		for word := range strings.FieldsSeq(list) {
			m[word] = stance
		}
	}
	return m
}()

// StanceOf reads a name. Of several words that of a foe decides, then that of a friend ("no_limit" is one).
func StanceOf(name string) Stance {
	found, negated := Neutral, false
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		stance := stances[word]
		switch {
		case word == "no" || word == "not" || word == "non" || word == "un" || word == "without":
			negated = true
			continue
		case negated && stance == Limits:
			stance = Friends
		case negated && stance == Friends:
			stance = Foes
		}
		negated = false
		if stance == Foes || found == Neutral || found == Limits && stance == Friends {
			if stance != Neutral {
				found = stance
			}
		}
	}
	return found
}
