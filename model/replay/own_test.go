package replay

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// However many classes have plans of their own, few of the plans are kept.
func TestOwnPlansAreFew(t *testing.T) {
	var o ownPlans
	all := make([]class, 5*mostOwn+1)
	for i := range all {
		all[i].plan, all[i].planned = new(pipeline.Plan), true
		o.add(&all[i])
	}
	kept := 0
	for i := range all {
		if all[i].planned != (all[i].plan != nil) {
			t.Fatalf("class %d: planned %v, plan %v", i, all[i].planned, all[i].plan)
		}
		if all[i].planned {
			kept++
		}
	}
	if kept > 2*mostOwn || !all[len(all)-1].planned {
		t.Errorf("%d plans are kept", kept)
	}
}

// That plans are dropped and made again changes no decision.
func TestPlansMadeAgain(t *testing.T) {
	conf := strings.Replace(limited, "$binary_remote_addr", "$arg_session", 1)
	r := rand.New(rand.NewPCG(5, 6))
	at := start
	var list []sent
	for range 5 * mostOwn {
		at += int64(r.IntN(3))
		session := r.IntN(3 * mostOwn)
		if r.IntN(3) == 0 {
			session %= 5 // these meet the limit
		}
		list = append(list, sent{at, "203.0.113.7", fmt.Sprintf("/?session=%d", session)})
	}
	res := run(t, conf, Options{}, sourceOf(t, "log", lines(logOf(treeOf(t, conf), list, 0)), accesslog.JSON))
	if a := res.Agreement; a.Logged != int64(len(list)) || a.Same != a.Logged {
		t.Errorf("%+v", a)
	}
	if l := res.Locations[0]; l.Delayed+l.Rejected == 0 {
		t.Error("nothing was delayed or refused")
	}
}
