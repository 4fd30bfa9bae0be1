package fronts

import (
	"net/netip"
	"regexp"
	"testing"
)

var day = regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)

// TestTable holds that each front has its words, a day, and networks that are written as networks.
func TestTable(t *testing.T) {
	if len(BuiltIn().Fronts) < 3 {
		t.Fatalf("%d fronts", len(BuiltIn().Fronts))
	}
	for _, f := range BuiltIn().Fronts {
		if f.ID == "" || f.Name == "" || f.Source == "" || !day.MatchString(f.AsOf) || len(f.Headers) == 0 || len(f.Networks) == 0 {
			t.Errorf("%+v is not complete", f)
		}
		for _, p := range append(append([]netip.Prefix{}, f.Networks...), f.Former...) {
			if p != p.Masked() || p.Bits() < 8 {
				t.Errorf("%s: %s", f.ID, p)
			}
		}
		for _, other := range BuiltIn().Fronts {
			if other != f && other.Set().Overlaps(f.Set()) {
				t.Errorf("%s and %s share addresses", f.ID, other.ID)
			}
		}
	}
}

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"173.245.48.0/20":  "cloudflare",
		"104.16.0.0/14":    "cloudflare",
		"173.245.48.1/32":  "cloudflare",
		"104.16.0.0/12":    "",
		"151.101.0.0/16":   "fastly",
		"130.211.0.0/22":   "google",
		"2400:cb00::/32":   "cloudflare",
		"2400:cb00::/31":   "",
		"10.0.0.0/8":       "",
		"0.0.0.0/0":        "",
		"::ffff:0:0/96":    "",
		"198.51.100.0/24":  "",
		"2600:2d00:1::/64": "",
	} {
		got := ""
		if f := BuiltIn().Of(netip.MustParsePrefix(text)); f != nil {
			got = f.ID
		}
		if got != want {
			t.Errorf("%s is %q's, want %q", text, got, want)
		}
	}
	if BuiltIn().Of(netip.Prefix{}) != nil {
		t.Error("a network that is none has a front")
	}
}

func TestSends(t *testing.T) {
	cf := BuiltIn().Find("cloudflare")
	if h, ok := cf.Sends("cf-connecting-ip"); !ok || h.Adds != 0 || h.Open {
		t.Errorf("%+v %v", h, ok)
	}
	if h, ok := cf.Sends("X-Forwarded-For"); !ok || h.Adds != 1 {
		t.Errorf("%+v %v", h, ok)
	}
	if _, ok := cf.Sends("X-Real-IP"); ok {
		t.Error("X-Real-IP is sent")
	}
}
