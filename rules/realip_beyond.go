package rules

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func hostNames(list []*config.Trusted) (names []string) {
	for _, x := range list {
		if x.HostName != "" {
			names = append(names, x.HostName)
		}
	}
	return names
}

// reportBeyond is about what is trusted and in none of the lists that were given, nor of a known front.
func reportBeyond(p *rule.Pass, t *rule.Trust) {
	var beyond []*config.Trusted
	var names []string
	for _, x := range t.From.Value {
		if !x.Prefix.IsValid() || x.Prefix.Addr().IsLoopback() || p.Settings.Known().Of(x.Prefix) != nil || inLists(p.Settings.Fronts, x.Prefix) {
			continue
		}
		beyond = append(beyond, x)
		names = append(names, x.Text)
	}
	if len(beyond) == 0 || len(tooWide(beyond)) > 0 {
		return
	}
	f := t.At(beyond[0])
	f.Severity, f.Confidence = rule.Note, rule.Medium
	f.Message = fmt.Sprintf("%s trusted beyond what stands in front (%s): who connects from there and is no proxy chooses its address, and so its bucket",
		rule.Plural(int64(len(names)), "network is", "networks are"), rule.Some(names))
	if _, chained := behindChain(p, t); chained && t.Recursive.Value && p.Settings.Chain.Judge(t.Header.Value, false).Right() {
		f.Message += fmt.Sprintf("; behind %s real_ip_recursive is not needed, and with it who comes from there through the proxies chooses as well", namesOf(p.Settings.Chain))
	}
	f.Evidence = map[string]any{"beyond": names}
	p.Report(f)
}

// inLists says whether all of a network is in the lists, be it in several of their networks.
func inLists(lists []*fronts.List, p netip.Prefix) bool {
	return slices.ContainsFunc(lists, func(l *fronts.List) bool { return l.Set().ContainsPrefix(p) })
}

func reportFormer(p *rule.Pass, t *rule.Trust, front *fronts.Front, x *config.Trusted) {
	f := t.At(x)
	f.Severity, f.Confidence = rule.Note, rule.Medium
	f.Message = fmt.Sprintf("%s is no longer in the list of %s (as of %s), which may have given the addresses to others: who has them now chooses its address", x.Text, front.Name, front.AsOf)
	f.Evidence = map[string]any{"list": front.Name, "as_of": front.AsOf}
	p.Report(f)
}

// maxAge is for how many days a list is taken to be complete.
const maxAge = 180

// ageOf is how many days old a list is; 0 where nothing tells.
func ageOf(l *fronts.List, today string) int {
	then, err := time.Parse(time.DateOnly, l.AsOf)
	now, err2 := time.Parse(time.DateOnly, today)
	if err != nil || err2 != nil {
		return 0
	}
	return int(now.Sub(then).Hours() / 24)
}

func dated(l *fronts.List, age int) string {
	switch {
	case l.AsOf == "":
		return ""
	case age > maxAge:
		return fmt.Sprintf(" (as of %s, %d days ago)", l.AsOf, age)
	}
	return " (as of " + l.AsOf + ")"
}
