package pcre

import "testing"

// TestCatastrophe: PCRE2 10.42 gives up (MATCHLIMIT) on each subject that is found, as was measured.
func TestCatastrophe(t *testing.T) {
	for pattern, bad := range map[string]bool{
		`^/(a+)+$`:                true,
		`^/(a|a)+$`:               true,
		`^/(a|aa)+$`:              true,
		`^(\w+\s?)+$`:             true,
		`^([a-zA-Z0-9_.-]+)+@x$`:  true,
		`(a*)*b`:                  true,
		`^(?:.*,)*$x`:             true,
		`^/([^/]+/?)+$`:           true,
		`^/(?:[a-z]|[a-c])+$`:     true,
		`^(.|a)*$`:                true,
		`^(?=(a+)+$)a`:            true,
		`^(a+)+\1$`:               true,
		`^(?!x)(?:(a|aa)+)+\1b$`:  true,
		`^/(a++)+$`:               false,
		`^/(?>a+)+$`:              false,
		`^/(?>(a+)+)$`:            false,
		`^/([a-z]+/)+$`:           false,
		`^/(.*)/(.*)/(.*)$`:       false,
		`^/.*.*.*.*.*.*a$`:        false,
		`^/(a+)+`:                 false,
		`^(?:/[\w-]+)+/?$`:        false,
		`\.(?:jpe?g|png|gif)$`:    false,
		`^(\d{1,3}\.){3}\d{1,3}$`: false,
		`^(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}$`: false,
		`^([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}$`:     false,
		`^(([a-z0-9])+.)+[A-Z]([a-z0-9])+$`:          true,
		`(x+x+)+y`:                                   true,
		`^(a?){30}a{30}$`:                            false,
		`^((ab)*c?)*$`:                               true,
		`^(?i:foo|bar|f[o]o)*$`:                      true,
		`^(foo|bar|baz)*$`:                           false,
		`^/(?:(?!admin)\w+/?)*$`:                     true,
	} {
		left := workMax
		c := New(pattern, false).Catastrophe(&left)
		if (c != nil) != bad {
			t.Errorf("%s: %+v", pattern, c)
		}
	}
}

// TestCatastropheCounted: by how much the steps grow is measured on short subjects; those that it leads to do take so many.
func TestCatastropheCounted(t *testing.T) {
	const limit = 1 << 18
	for _, pattern := range []string{`^/(a+)+$`, `^/(a|aa)+$`, `^(\w+\s?)+$`, `(x+x+)+y`, `^(([a-z0-9])+.)+[A-Z]([a-z0-9])+$`, `^(?!x)(?:(a|aa)+)+\1b$`} {
		re := New(pattern, false)
		re.compile()
		a := automatonOf(re.program.root)
		x := search{a: a, s: re.program.steps, limit: limit, most: workMax}
		c := x.explode(a.pumps()[0])
		if c == nil {
			t.Errorf("%s: none", pattern)
		} else if n := re.program.steps.count(c.Subject, limit); !n.exceeds {
			t.Errorf("%s: %+v takes only %d steps", pattern, c, n.most)
		}
	}
}

// TestOrdinary: what configurations usually hold is left alone.
func TestOrdinary(t *testing.T) {
	for _, pattern := range []string{
		`\.php$`, `\.php(?:$|/)`, `^(.+?\.php)(/.*)$`, `^/(?:\.|autotest|occ|issue|indie|db_|console)`, `^/(index|get|static|errors/404)\.php$`,
		`\.(?:css|js|woff2?|svg|gif|map|png|jpe?g)$`, `^(?!/(api|admin)/)/(.*)$`, `^((?!\.php).)*$`, `^(?:(?!/private/).)*$`, `(^|/)\.(?!well-known)`,
		`^(www\.)?(?<domain>.+)$`, `^(?<sub>[a-z0-9-]+)\.(?<rest>(?:[a-z0-9-]+\.)+com)$`, `^([a-z0-9-]+\.)*example\.com$`, `^[^/]+(/[^/]+)*$`,
		`^/(.*)/(.*)/(.*)/?$`, `^/([0-9a-f]{2}/)+[0-9a-f]{32}$`, `^/(\d+)-(.*)-(.*)-(.*)\.html$`, `^/[a-z0-9-]+(?:\.[a-z0-9-]+)*$`,
		`Mozilla/([0-9]+\.)+[0-9]+`, `(bot|crawl|spider|slurp)`, `^([a-zA-Z0-9_\-\.]+)@([a-zA-Z0-9_\-\.]+)\.([a-zA-Z]{2,5})$`, `^"?([^"]*)"?$`,
		`^(?:[^;]+;)*\s*session=([^;]*)`, `(?:^|;\s*)lang=([a-z]{2}(?:-[A-Z]{2})?)`, `^/(?:[a-z]{2}(?:-[a-z]{2})?/)?(?:[^/]+/)*$`,
		`^/wp-content/(?:uploads|cache)/(?:[^/]+/)*[^/]+\.(?:php\d?|phtml)$`, `^(?:\d{1,3}\.){3}\d{1,3}(?:, (?:\d{1,3}\.){3}\d{1,3})*$`,
		`^/assets/(?<name>[a-z]+(?:-[a-z]+)*)\.(?<hash>[0-9a-f]{8,64})\.js$`, `^/(?>[\w-]+/)*+[\w-]+\.html?$`, `^(?:/[\w.~!$&'()*+,;=:@%-]+)*/?$`,
	} {
		re := New(pattern, false)
		left := workMax
		if c := re.Catastrophe(&left); c != nil || re.NotRun() != nil {
			t.Errorf("%s: %+v, %v", pattern, c, re.NotRun())
		}
	}
}
