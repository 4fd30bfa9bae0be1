package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// wide is up to which length of its prefix a network is taken for more than anybody owns.
const wide = 7

// A trust is what realip goes by at two places. Lists are long and few, and places many.
type trust struct {
	from      [2]*config.Setting[[]*config.Trusted]
	header    [2]*config.Setting[string]
	recursive [2]*config.Setting[bool]
}

// trusts compares whom the two places believe.
func (c *Comparer) trusts(old, renewed *config.Settings) []Difference {
	key := trust{
		[2]*config.Setting[[]*config.Trusted]{old.RealIPFrom, renewed.RealIPFrom},
		[2]*config.Setting[string]{old.RealIPHeader, renewed.RealIPHeader},
		[2]*config.Setting[bool]{old.RealIPRecursive, renewed.RealIPRecursive},
	}
	list, ok := c.believed[key]
	if !ok {
		list = trusts(old, renewed)
		c.believed[key] = list
	}
	return list
}

// trusts compares whom the two places believe of a client's address. Where nobody is believed the header does not matter.
func trusts(old, renewed *config.Settings) []Difference {
	o, n := believed(old), believed(renewed)
	if len(o)+len(n) == 0 {
		return nil
	}
	var list []Difference
	gone, come := missing(o, n), missing(n, o)
	d := Difference{Subject: "set_real_ip_from", Old: spanOf(old.RealIPFrom), New: spanOf(renewed.RealIPFrom)}
	d.Direction = Changed
	switch {
	case len(n) == 0:
		d.Text = "no proxy is believed any more: those who come through one are counted together as its address"
	case len(o) == 0:
		d.Text = "the client's address is taken from what " + some(come) + " say"
	case len(come)+len(gone) > 0:
		var texts []string
		if len(come) > 0 {
			texts = append(texts, some(come)+" are believed as well of the client's address")
		}
		if len(gone) > 0 {
			texts = append(texts, some(gone)+" are no longer believed of the client's address: those who come through them are counted together")
		}
		d.Text = strings.Join(texts, "; ")
	}
	if everybody(renewed) && !everybody(old) {
		d.Direction = Loosened
		d.Text += ": anybody can choose the address that is counted"
	}
	if d.Text != "" {
		list = append(list, d)
	}
	if len(o) > 0 && len(n) > 0 {
		list = append(list, headers(old, renewed)...)
	}
	return list
}

// headers compares where the address is read, and how far back.
func headers(old, renewed *config.Settings) []Difference {
	var list []Difference
	if a, b := old.RealIPHeader.Value, renewed.RealIPHeader.Value; !strings.EqualFold(a, b) {
		list = append(list, Difference{
			Subject: "real_ip_header", Direction: Changed, Old: spanOf(old.RealIPHeader), New: spanOf(renewed.RealIPHeader),
			Text: fmt.Sprintf("the client's address is taken from %s instead of %s", b, a),
		})
	}
	if was, is := old.RealIPRecursive.Value, renewed.RealIPRecursive.Value; was != is {
		text := "of several addresses in the header the last one is taken, be it a proxy's"
		if is {
			text = "of several addresses in the header the last one that is not believed is taken"
		}
		list = append(list, Difference{
			Subject: "real_ip_recursive", Direction: Changed, Text: text,
			Old: spanOf(old.RealIPRecursive), New: spanOf(renewed.RealIPRecursive),
		})
	}
	return list
}

// believed are the entries of set_real_ip_from in canonical form, sorted, each once.
func believed(s *config.Settings) []string {
	var list []string
	for _, t := range s.RealIPFrom.Value {
		switch {
		case t.Prefix.IsValid():
			list = append(list, t.Prefix.Masked().String())
		default:
			list = append(list, t.Text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// everybody says whether addresses are believed that belong to nobody in particular.
func everybody(s *config.Settings) bool {
	return slices.ContainsFunc(s.RealIPFrom.Value, func(t *config.Trusted) bool {
		return t.Prefix.IsValid() && t.Prefix.Bits() <= wide
	})
}
