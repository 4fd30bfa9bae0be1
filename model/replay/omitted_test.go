package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
)

// Where the log leaves out requests that nginx counts, or holds some that it does not, decisions differ for that reason, and
// it is said; zones are not taken to be emptied for it.
func TestOmitted(t *testing.T) {
	log := logOf(treeOf(t, limited), crowd(4000), 0)
	dropped := slices.DeleteFunc(slices.Clone(log), func(l string) bool { return strings.Contains(l, "/api/") })
	var twice []string
	for _, l := range log {
		if twice = append(twice, l); strings.Contains(l, "/api/") {
			twice = append(twice, l)
		}
	}
	api := func(directive string) string {
		return strings.Replace(limited, "location /api/ {", "location /api/ { "+directive, 1)
	}
	for name, c := range map[string]struct {
		conf string
		log  []string
		kind string // "" where no reason is known
		said string
	}{
		"off":             {api("access_log off;"), dropped, kindUnlogged, "requests to location /api/ count in zone ip, and not all of them are logged (access_log off)"},
		"if":              {api("access_log /var/log/x.log combined if=$arg_x;"), dropped, kindUnlogged, "access_log with if=$arg_x"},
		"logged":          {api("access_log /var/log/y.log; access_log /var/log/x.log combined if=$arg_x;"), dropped, "", ""},
		"only returns":    {api("access_log off; return 204;"), dropped, "", ""},
		"subrequests":     {api("log_subrequest on;"), twice, kindSubrequest, "server portal.example logs its subrequests as well"},
		"no subrequests":  {limited, twice, "", ""},
		"off, and whole":  {api("access_log off;"), log, "", "(access_log off)"},
		"no name":         {strings.Replace(api("log_subrequest on;"), "server_name portal.example;", "", 1), log, "", "the server without a name logs its subrequests as well"},
		"subs, and whole": {api("log_subrequest on;"), log, "", "log_subrequest on"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, c.conf, Options{}, sourceOf(t, "log", lines(c.log), accesslog.JSON))
			found := slices.ContainsFunc(r.Agreement.Kinds, func(k Disagreeing) bool { return k.Kind == c.kind && k.N > 50 })
			other := slices.ContainsFunc(r.Agreement.Kinds, func(k Disagreeing) bool {
				return k.Kind == kindUnlogged || k.Kind == kindSubrequest || c.kind != "" && (k.Kind == kindStricter || k.Kind == kindRestart)
			})
			if c.kind != "" && !found || c.kind == "" && other {
				t.Errorf("%+v", r.Agreement)
			}
			said := strings.Join(r.Assumptions, "\n")
			if !strings.Contains(said, c.said) || c.said == "" && strings.Contains(said, "logged (") || c.kind == kindSubrequest && strings.Contains(said, "emptied") {
				t.Errorf("said: %s", said)
			}
		})
	}
}

// What nginx answers before any limiter counts nowhere; what it or an upstream answers likewise behind one does.
func TestBeforeLimiter(t *testing.T) {
	const unknown = accesslog.Unknown
	for _, c := range []struct {
		status   int16
		upstream int32
		limit    accesslog.Outcome
		want     bool
	}{
		{200, accesslog.NoUpstream, accesslog.None, false},
		{494, accesslog.NoUpstream, accesslog.NotLogged, true},
		{414, unknown, accesslog.NotLogged, true},
		{408, accesslog.NoUpstream, accesslog.None, true},
		{408, accesslog.NoUpstream, accesslog.Passed, false}, // the body did not come
		{408, 10, accesslog.NotLogged, false},                // from an upstream
		{413, accesslog.NoUpstream, accesslog.None, true},
		{413, accesslog.NoUpstream, accesslog.NotLogged, true},
		{413, accesslog.NoUpstream, accesslog.Passed, false}, // in pieces, of which none tells the size of all
		{413, unknown, accesslog.NotLogged, false},
		{413, 10, accesslog.None, false},
		{400, accesslog.NoUpstream, accesslog.None, true},
		{400, accesslog.NoUpstream, accesslog.DelayedDryRun, false},
		{400, 10, accesslog.None, false}, // of a place without a limit
		{400, unknown, accesslog.None, true},
		{400, unknown, accesslog.NotLogged, false},
	} {
		n := &entry{facts: facts{status: c.status, upstreamMs: c.upstream, limit: c.limit}}
		if got := beforeLimiter(n); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
