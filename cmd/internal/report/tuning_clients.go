package report

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/tune"
)

// mostClients bounds the lists of clients.
const mostClients = 10

// clientLines say who is taken for what: for whom no room is made and why, of whom it cannot be told, and who share an address.
func clientLines(of Tuning) []string {
	p := of.Plan
	return append(append(
		linesOf(p.Attackers, func(a *tune.Attacker) string {
			whom := clean(a.Client)
			if of.Redacted {
				whom = "with its address" // no flag takes a hash
			}
			return fmt.Sprintf("no room is made for %s (%s): %s; --people %s counts it as people", clean(a.Client), count(a.Requests, "request"), a.Why, whom)
		}),
		linesOf(p.Unsure, func(u *tune.Unsure) string { return unsure(u, of.Redacted) })...),
		linesOf(p.Shared, shared)...)
}

// linesOf writes the first ones of a list, and how many more there are.
func linesOf[T any](list []T, write func(*T) string) []string {
	var lines []string
	for i := range list {
		if i == mostClients {
			return append(lines, "and "+numeral.Count(len(list)-i)+" more")
		}
		lines = append(lines, write(&list[i]))
	}
	return lines
}

// shared says who seem to be behind one address. Users are known only where somebody was logged in.
func shared(s *tune.Shared) string {
	text := fmt.Sprintf("several people seem to share %s: ", clean(s.Client))
	switch {
	case s.Users == 0:
		return text + numeral.Count(s.Agents) + " or more browsers"
	case s.Agents == 0:
		return text + numeral.Count(s.Users) + " or more users"
	}
	return text + fmt.Sprintf("%s or more browsers, %s or more users", numeral.Count(s.Agents), numeral.Count(s.Users))
}

// unsure says what is not known of a client.
func unsure(u *tune.Unsure, redacted bool) string {
	whom, by := clean(u.Client), ""
	if redacted {
		whom = "with its address"
	}
	if u.Rush.Agents > 0 {
		by = ", by " + count(u.Rush.Agents, "browser")
	}
	if u.Rush.Users > 0 {
		by += ", as " + count(u.Rush.Users, "user")
	}
	return fmt.Sprintf("who %s is cannot be told: %s of the %s that it sends around one minute are tries to log in%s: many people behind one address, or a machine. "+
		"Room is made for it; --attacker %s makes none", clean(u.Client), numeral.Count(u.Rush.Tries), count(u.Rush.Requests, "request"), by, whom)
}
