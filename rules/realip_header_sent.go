package rules

import (
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/realip"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// deadHeader says why no client's address can ever be in a header; "" where one can.
func deadHeader(p *rule.Pass, t *rule.Trust) string {
	name := t.Header.Value
	switch lower := strings.ToLower(name); {
	case name == realip.ProxyProtocol:
	case strings.HasPrefix(name, "$"):
		return "is no header's name, and a variable is not expanded there"
	case strings.ContainsAny(name, " :,;=/"):
		return "is no header's name"
	case strings.Contains(name, "_") && !p.AnyUnderscores() && p.Whole():
		return "has an underscore, and nginx drops such headers, as underscores_in_headers is off"
	case lower == "forwarded":
		return "holds for=..., which nginx does not read"
	case lower == "x-forwarded-proto" || lower == "x-forwarded-port" || lower == "x-forwarded-host" || lower == "x-forwarded-scheme" || lower == "x-forwarded-ssl" || lower == "host" || lower == "via":
		return "holds no address"
	}
	return ""
}

// foreignHeader compares the header with what the front sends whose networks are trusted.
func foreignHeader(t *rule.Trust, known *fronts.Table) (string, rule.Confidence) {
	name := t.Header.Value
	front, x, alone := t.Front(known)
	if front == nil || name == realip.ProxyProtocol {
		return "", ""
	}
	if h, ok := front.Sends(name); ok {
		if h.Open {
			return fmt.Sprintf("%s hands on %s as the client sent it: each client of zone %q may choose its bucket, unless your own configuration at the edge sets it", front.Name, name, t.Bucket.Zone), rule.Medium
		}
		return "", ""
	}
	if !strings.EqualFold(name, realip.XRealIP) && !sentByOther(known, front, name) {
		return "", "" // of your own, set at the edge
	}
	confidence := rule.High
	if !alone {
		confidence = rule.Medium // what else is trusted may send it
	}
	return fmt.Sprintf("%s is trusted (%s), which sends %s, and %s is read: its own addresses stay the key of all its clients", front.Name, x.Text, front.Headers[0].Name, name), confidence
}

func sentByOther(known *fronts.Table, front *fronts.Front, name string) bool {
	for _, f := range known.Fronts {
		if _, sends := f.Sends(name); sends && f != front {
			return true
		}
	}
	return false
}
