package awswaf

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/model/clock"
	"github.com/ngxlimit/ngxlimit/model/edge"
	"github.com/ngxlimit/ngxlimit/model/edge/document"
	"github.com/ngxlimit/ngxlimit/model/edge/lang"
)

func read(t *testing.T, rules string, lists map[string]*lang.List) *ACL {
	t.Helper()
	v, err := document.JSON(&source.File{Path: "acl.json", Text: `{"WebACL": {"Name": "acl", "DefaultAction": {"Allow": {}}, "Rules": [` + rules + `]}, "LockToken": "x"}`})
	if err != nil {
		t.Fatal(err)
	}
	if !Looks(v) {
		t.Fatal("it does not look like a web ACL")
	}
	acl, err := Read(v, lists)
	if err != nil {
		t.Fatal(err)
	}
	return acl
}

const perAddress = `{"Name": "api", "Priority": 5, "Action": {"Block": {"CustomResponse": {"ResponseCode": 429}}}, "Statement": {"RateBasedStatement": {
	"Limit": 10, "EvaluationWindowSec": 60, "AggregateKeyType": "IP", "ScopeDownStatement": {"ByteMatchStatement": {
	"SearchString": "L2FwaS8=", "FieldToMatch": {"UriPath": {}}, "TextTransformations": [{"Priority": 0, "Type": "LOWERCASE"}], "PositionalConstraint": "STARTS_WITH"}}}}}`

func get(client uint32, path string, headers ...request.Header) *edge.Request {
	return &edge.Request{Client: request.Addr4(client), Target: path, Host: "a.example", Headers: headers}
}

// TestLag lets a client send what it likes until its rate is seen, and holds it back for as long after it has stopped.
func TestLag(t *testing.T) {
	l := New(read(t, perAddress, nil))
	for at := clock.Msec(0); at < Lag; at += 100 {
		if d := l.Decide(at, get(1, "/API/x")); d.Action.Stops() {
			t.Fatalf("at %d: %+v", at, d)
		}
	}
	d := l.Decide(Lag+2000, get(1, "/api/x"))
	if d.Action != edge.Block || d.Status != 429 || d.Rule != "api" || d.Counter <= 10 {
		t.Errorf("%+v", d)
	}
	if d := l.Decide(Lag+2000, get(2, "/api/x")); d.Action.Stops() {
		t.Errorf("another address: %+v", d)
	}
	if d := l.Decide(Lag+2000, get(1, "/other")); d.Rule != "" {
		t.Errorf("outside of the scope: %+v", d)
	}
	if d := l.Decide(Lag+70_000, get(1, "/api/x")); !d.Action.Stops() {
		t.Errorf("the rate has sunk, and that is not seen yet: %+v", d)
	}
	if d := l.Decide(3*Lag+70_000, get(1, "/api/x")); d.Action.Stops() {
		t.Errorf("the rate has sunk: %+v", d)
	}
	if st := l.Report().Rules[0]; st.Blocked != 2 || st.Keys != 2 || st.Limit != 10 || st.PeriodS != 60 {
		t.Errorf("%+v", st)
	}
}

// TestKeys counts by other things than the address.
func TestKeys(t *testing.T) {
	count := func(keys string, reqs ...*edge.Request) (stopped int) {
		l := New(read(t, `{"Name": "r", "Action": {"Count": {}}, "Statement": {"RateBasedStatement": {"Limit": 1, `+keys+`}}}`, nil))
		for i := range 4 {
			for _, r := range reqs {
				if d := l.Decide(clock.Msec(i)*Lag*2, r); d.Action == edge.Log {
					stopped++
				}
			}
		}
		return stopped
	}
	xff := func(v string) request.Header { return request.Header{Name: "X-Forwarded-For", Value: v} }
	for _, c := range []struct {
		keys string
		reqs []*edge.Request
		want int
	}{
		{`"AggregateKeyType": "IP"`, []*edge.Request{get(1, "/"), get(2, "/")}, 2 * 2},
		{`"AggregateKeyType": "FORWARDED_IP", "ForwardedIPConfig": {"HeaderName": "X-Forwarded-For", "FallbackBehavior": "MATCH"}`, []*edge.Request{get(1, "/", xff("192.0.2.1, 10.0.0.1")), get(2, "/", xff("192.0.2.1")), get(3, "/")}, 3 * 2},
		{`"AggregateKeyType": "CUSTOM_KEYS", "CustomKeys": [{"Header": {"Name": "x-key", "TextTransformations": [{"Priority": 0, "Type": "NONE"}]}}, {"HTTPMethod": {}}]`, []*edge.Request{get(1, "/", request.Header{Name: "X-Key", Value: "a"}), get(2, "/")}, 2},
		{`"AggregateKeyType": "CONSTANT", "ScopeDownStatement": {"NotStatement": {"Statement": {"ByteMatchStatement": {"SearchString": "/x", "FieldToMatch": {"UriPath": {}}, "PositionalConstraint": "EXACTLY"}}}}`, []*edge.Request{get(1, "/"), get(2, "/"), get(3, "/x")}, 3 * 2},
	} {
		if got := count(c.keys, c.reqs...); got != c.want {
			t.Errorf("%s: %d, want %d", c.keys, got, c.want)
		}
	}
}

// TestUnknown tells why a rule cannot be known, and lets the others run.
func TestUnknown(t *testing.T) {
	geo := strings.Replace(strings.Replace(perAddress, `"Name": "api"`, `"Name": "geo"`, 1), `{"ByteMatchStatement"`, `{"AndStatement": {"Statements": [{"GeoMatchStatement": {"CountryCodes": ["DE"]}}, {"ByteMatchStatement"`, 1)
	geo = strings.Replace(geo, `"STARTS_WITH"}}`, `"STARTS_WITH"}}]}}`, 1)
	managed := `{"Name": "managed", "Priority": 1, "OverrideAction": {"None": {}}, "Statement": {"ManagedRuleGroupStatement": {"VendorName": "AWS"}}}`
	odd := strings.Replace(strings.Replace(perAddress, `"api"`, `"odd"`, 1), `"IP"`, `"MOON"`, 1)
	acl := read(t, strings.Join([]string{perAddress, geo, managed, odd}, ","), nil)
	l := New(acl)
	l.Decide(0, get(1, "/api/"))
	l.Decide(0, get(1, "/other"))
	rep := l.Report()
	unknown := map[string]int{}
	for _, st := range rep.Rules {
		unknown[st.Rule] = st.Unknown
	}
	if unknown["api"] != 0 || unknown["geo"] != 1 || unknown["managed"] != 2 || unknown["odd"] != 2 || len(acl.Problems) != 3 || rep.Rules[0].Rule != "managed" {
		t.Errorf("%v, %+v", unknown, acl.Problems)
	}
	for _, p := range acl.Problems {
		if p.Rule == "odd" && !strings.Contains(p.Text, `"MOON"`) || p.Span.Text() == "" {
			t.Errorf("%+v", p)
		}
	}
}

// TestIPSet takes the addresses of a set from a list.
func TestIPSet(t *testing.T) {
	list, err := lang.ParseList([]byte("10.0.0.0/8"))
	if err != nil {
		t.Fatal(err)
	}
	rule := `{"Name": "office", "Action": {"Allow": {}}, "Statement": {"IPSetReferenceStatement": {"ARN": "arn:aws:wafv2:eu-central-1:1:regional/ipset/office/5"}}},` + strings.Replace(perAddress, `"Limit": 10`, `"Limit": 1`, 1)
	l := New(read(t, rule, map[string]*lang.List{"office": list}))
	for i := range 5 {
		if d := l.Decide(clock.Msec(i)*Lag, get(0x0a000001, "/api/")); d.Rule != "office" || d.Action != edge.Allow {
			t.Errorf("%+v", d)
		}
	}
}

// TestForgets holds the memory of a layer to what comes within a window, whatever came before.
func TestForgets(t *testing.T) {
	l := New(read(t, perAddress, nil))
	most := 0
	for n := range 100_000 {
		if d := l.Decide(clock.Msec(n)*50, get(uint32(n), "/api/")); d.Action.Stops() { // some 1,600 within window and lag
			t.Fatalf("client %d is new: %+v", n, d)
		}
		most = max(most, len(l.rules[0].counters))
	}
	if st := l.Report().Rules[0]; most > leastFull || st.Keys != 100_000 || st.Counted != 100_000 {
		t.Errorf("%d combinations at a time: %+v", most, st)
	}
}
