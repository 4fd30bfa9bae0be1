package pipeline

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/model/limitreq"
)

// A stand is where a request stood when a limiter was asked: what its refusal is made of.
type stand struct {
	reached
	uri     string
	client  client
	plain   bool // a refusal ends the request there: no error page takes it, and no main request waits for it
	turns   int  // so far
	assumed int
}

// reached says how far the limiters have come with a request.
type reached struct {
	reqAt    *conf // where limit_req was reached: where it judged, else the last place
	reqKeys  []value.Value
	reqRan   bool
	connAt   *conf
	connKeys []value.Value
	connRan  bool
}

// stand notes where the request stands in front of a limiter that would answer with a code.
func (r *run) stand(code int) stand {
	s := stand{reached: r.reached, uri: r.vars.URI, client: r.client, turns: len(r.turns), assumed: len(r.assumptions)}
	s.plain = !r.sub && (r.errStatus == 0 || !closes(code)) && (code < 494 || code > 497) && len(r.conf.retryAfter) == 0 // the codes are answered as 400
	if r.errorPage {
		return s
	}
	for _, page := range r.conf.errorPages {
		for _, c := range page.Codes {
			s.plain = s.plain && c != code
		}
	}
	return s
}

// same returns what follows a verdict, where it is known without following the request again: a plain refusal ends it,
// and all other verdicts let it go on as Passed does, unless the configuration asks for the verdict.
func (pl *Plan) same(n *node, verdict limitreq.Verdict) *node {
	if verdict != limitreq.Rejected {
		if pl.p.g.asksVerdict() {
			return nil
		}
		return n.passed
	}
	if !n.stand.plain {
		return nil
	}
	last := n.passed
	for last.kind != finished {
		last = last.passed
	}
	s := &n.stand
	e := *last.end // its server; and what no limiter changes
	code, how := int(n.conf.limitCode), "limit_req"
	if n.kind == askConnections {
		code, how = int(n.conf.connCode), "limit_conn"
	}
	e.answer = answer{EndLimit, code, n.conf}
	e.redirect, e.uri, e.client, e.retryAfter = "", s.uri, s.client, noRetryAfter
	e.assumptions = e.assumptions[:s.assumed:s.assumed]
	e.turns = e.turns[:min(s.turns, len(e.turns)):min(s.turns, len(e.turns))]
	if pl.p.Explain {
		e.turns = append(e.turns, turn{n.conf, how, statusText(code)})
	}
	e.reached = s.reached
	if n.kind == askRequests {
		e.reqRan = true
	} else {
		e.connRan = true
	}
	return &node{kind: finished, end: &e}
}

// asksVerdict says whether anything but a log may depend on what a limiter said: its variables stand somewhere in the
// text.
func (g *program) asksVerdict() bool { return g.verdicts() }

// verdictNames are how the variables are written.
var verdictNames = [...]string{"$limit_req_status", "${limit_req_status", "$limit_conn_status", "${limit_conn_status"}

func (g *program) findVerdicts() bool {
	asked := 0
	for _, d := range g.tree.Input.Documents {
		asked += countVerdicts(d.File.Text)
	}
	if asked == 0 || g.tree.HTTP == nil {
		return asked > 0
	}
	for _, item := range g.tree.HTTP.Items { // a format may stand there only
		if item.Name().Value != "log_format" {
			continue
		}
		for _, arg := range item.Args() {
			asked -= countVerdicts(arg.Value)
		}
	}
	return asked != 0
}

func countVerdicts(text string) int {
	n := 0
	for _, name := range verdictNames {
		n += strings.Count(text, name)
	}
	return n
}
