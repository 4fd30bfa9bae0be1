package simulate

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// feeling says in one sentence what a user would notice.
func feeling(r *Result) string {
	if r.OnlyAttacks() {
		return r.comesThrough()
	}
	var longest int64
	refused := 0
	for _, c := range r.Crowds {
		if !r.Tells(&c) {
			continue
		}
		longest = max(longest, c.AddedMs.Max)
		refused += c.Rejected + c.Blocked
	}
	p := r.Page
	switch slower := p.LimitedMs.P95 - p.UnlimitedMs.P95; {
	case p.BrokenPages == p.Pages && p.Pages > 0:
		return fmt.Sprintf("Every page comes up broken: %s refused.", number(refused, "request"))
	case p.BrokenPages > 0:
		return r.who(p) + others(longest)
	case longest > 0 && slower >= 1000:
		return fmt.Sprintf("The page feels slow: it takes %s longer, though nothing fails.", clock.Words(slower))
	case longest > 0:
		return fmt.Sprintf("A careful eye notices that the page takes up to %s longer; nothing fails.", clock.AtMost(max(slower, 0)))
	}
	return "Nobody notices the limits."
}

// who says how many see a broken page: people, where each opens one.
func (r *Result) who(p *PageStat) string {
	people := 0
	for i := range r.Crowds {
		if r.Tells(&r.Crowds[i]) {
			people += r.Crowds[i].Clients
		}
	}
	if people != p.Pages {
		return fmt.Sprintf("%s of %s pages come up broken, ", numeral.Count(p.BrokenPages), numeral.Count(p.Pages))
	}
	return fmt.Sprintf("%s of %s people see a broken page, ", numeral.Count(p.BrokenPages), numeral.Count(p.Pages))
}

// others says what becomes of the pages that are whole.
func others(longest int64) string {
	if longest == 0 {
		return "the others notice nothing."
	}
	return "the others wait up to " + clock.AtMost(longest) + " for one request."
}

// OnlyAttacks says that crowds come, and none of them is people: then nobody feels anything, and nothing is to be mended.
func (r *Result) OnlyAttacks() bool {
	for i := range r.Crowds {
		if r.Crowds[i].Role == people {
			return false
		}
	}
	return len(r.Crowds) > 0
}

// nothingServed says that every request was answered by nginx itself with an error that no limit made, as where no host
// leads to the server: then it says nothing of the limits that nobody waits; "" otherwise.
func (s *stats) nothingServed(r *Result) string {
	all := 0
	for i := range r.Crowds {
		all += r.Crowds[i].Requests
	}
	if all == 0 || s.errors < all {
		return ""
	}
	return fmt.Sprintf("nginx itself answers every request with an error (%d), which is none of the limits' doing", s.status)
}

// comesThrough says what of an attack is served, where nobody else comes.
func (r *Result) comesThrough() string {
	all, through, delayed := 0, 0, 0
	for i := range r.Crowds {
		c := &r.Crowds[i]
		all += c.Requests
		through += c.Passed + c.Delayed
		delayed += c.Delayed
	}
	late := ""
	if delayed > 0 {
		late = fmt.Sprintf(", %s of them delayed", numeral.Count(delayed))
	}
	return fmt.Sprintf("Nobody comes but attackers: of their %s %s come through%s.", number(all, "request"), numeral.Count(through), late)
}

// Tells says whether a crowd's pages are those of Result.Page: it is people, or there are none.
func (r *Result) Tells(c *CrowdStat) bool {
	return c.Role == people || r.OnlyAttacks()
}

// people is the role of those whom a limit should let through.
const people = "people"

func number(n int, what string) string {
	return numeral.Of(n, what)
}
