// Package pipeline takes one request through nginx's phases, in nginx's order, and says what became of it: it is the
// only place where a request is decided. It knows where the limiters run, how often, and with which keys. It refuses to
// know what lies outside the configuration: files on disk, upstreams, embedded code. What it takes for them is named in
// Trace.Assumptions.
package pipeline

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitconn"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
	"github.com/ngxlimit/ngxlimit/model/realip"
)

// An End is the phase in which a request got its final answer.
type End string

// The ends. Refused by a limiter is an end of its own only where no error_page takes the request elsewhere.
const (
	EndContent  End = "content"   // a handler answers: a file, an upstream, empty_gif, stub_status
	EndReturn   End = "return"    // a return directive
	EndRewrite  End = "rewrite"   // a redirect by rewrite, the automatic 301 to ".../", or too many rewrite cycles
	EndDeny     End = "deny"      // access rules, or a subrequest of auth_request that refused
	EndTryFiles End = "try_files" // the =code at the end of try_files
	EndLimit    End = "limit"     // refused by limit_req or limit_conn
	EndRequest  End = "request"   // nginx refuses the request itself: 400, 405, 413, an internal location
	EndUnknown  End = "unknown"   // what decides cannot be known; Trace.Assumptions says why
)

// A Trace is what happened to one request. explain prints one; simulate and replay fold many; none decides again. Its
// slices are shared between the traces of equal requests and must not be changed.
type Trace struct {
	Server   *config.Server   // nil where nginx refused the request before it chose one
	Location *config.Location // of the final answer; nil where no location block made it
	If       *config.Level    // the if block of Location whose settings held; nil for none
	EndsIn   End
	Status   int    // what nginx itself answers; 0 where an upstream decides
	Redirect string // the Location header, where nginx itself redirects
	URI      string // as it stood at the end: $uri

	LimiterRan   bool             // limit_req judged the request: at least one key counted
	Limits       []Limit          // limit_req of the level at which the judgement was reached, else of where the request ended
	LimitedIn    *config.Location // that level's location; nil for none
	LimitedLevel *config.Level    // that level
	Decision     limitreq.Decision
	Zone         *config.Zone // that decided; nil where none did
	RejectStatus int          // limit_req_status at that level
	DryRun       bool

	Conns            []ConnLimit   // limit_conn of the level at which the judgement was reached
	ConnLevel        *config.Level // that level; nil for none
	ConnVerdict      limitconn.Verdict
	ConnZone         *config.ConnZone // that refused; nil where none did
	ConnRejectStatus int
	ConnDryRun       bool

	Client      Client
	Assumptions []string // what could not be known, and what was taken for it; in the order met

	turns []turn
}

// Path tells how the request got to its end, one step a string: "/ -> try_files -> /index.php". It is known only with
// Pipeline.Explain.
func (t *Trace) Path() []string {
	path := make([]string, 0, len(t.turns))
	for _, s := range t.turns {
		path = append(path, s.String())
	}
	return path
}

// A turn is one step of a request's way. What people read is made of it when they ask.
type turn struct {
	at  *conf
	how string
	to  string // "" where it leads to nothing else
}

func (s *turn) String() string {
	text := s.at.label() + " -> " + s.how
	if s.to != "" {
		text += " -> " + s.to
	}
	return text
}

// A Limit is one limit_req of a trace.
type Limit struct {
	*config.LimitReq
	Key     value.Value // of this request, as bytes: $binary_remote_addr has 4 or 16
	Counted bool        // the key is not empty, not too long, and its zone is defined
}

// A ConnLimit is one limit_conn of a trace.
type ConnLimit struct {
	*config.LimitConn
	Key     value.Value
	Counted bool
}

// Client is the address that the limiters saw. It is invalid for a unix socket.
type Client struct {
	Addr    netip.Addr     // $remote_addr, after realip
	Peer    netip.Addr     // $realip_remote_addr: the address that connects
	Trusted bool           // the peer is one of set_real_ip_from
	Realip  *realip.Config // that was looked at last; nil where nobody is trusted
}
