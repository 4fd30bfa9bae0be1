package rollout

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

// A Step is one step of a rollout.
type Step struct {
	Title  string
	Do     []string // what to do, one command or sentence each
	LookAt []string // what to look at before the next step
}

// Steps are the steps from the dry run to the limits in earnest, for a configuration that is named so on the command line.
// A dump does not change with the configuration: after each change another one has to be taken, or the next step would be
// judged by the old limits.
func (p *Proposal) Steps(input string) []Step {
	var steps []Step
	var dump []string
	if input == "-" || p.Enforce.Tree.Input.Kind == load.Dump {
		input = "now.dump"
		dump = []string{"nginx -T > " + input}
	}
	test := "nginx -t && nginx -s reload"
	enforce := "make the changes of the enforcing form"
	if p.DryRun != nil {
		enforce = "make the changes of the enforcing form that tune printed last: it read the configuration with the dry run"
		steps = append(steps,
			Step{
				Title: "Count without refusing: install the dry run",
				Do:    []string{"make the changes of the dry run", test},
				LookAt: []string{
					"$limit_req_status in the access log: PASSED, DELAYED_DRY_RUN and REJECTED_DRY_RUN appear; nobody is refused or held",
					"the locations that lose their old limit are without protection until the limits are in earnest",
				},
			},
			Step{
				Title: "Let at least one full working day go by, with its busiest hour",
				Do:    append(slices.Clone(dump), "take for LOG what was logged since, where $msec and $limit_req_status are in it", fmt.Sprintf("ngxlimit replay %s LOG", input), fmt.Sprintf("ngxlimit tune %s LOG", input)),
				LookAt: []string{
					"REJECTED_DRY_RUN by key, by URI and in windows of seconds, never as averages of a day",
					"that these keys are attackers, and neither offices behind one address, nor health checks, nor a proxy that is not trusted",
					"that static files, callbacks and preflights are not among the limited",
					"what tune changes of the dry run: where much is refused that should pass, make these changes and let another day go by",
				},
			})
	}
	return append(steps,
		Step{
			Title: "Enforce",
			Do:    []string{enforce, test},
			LookAt: []string{
				"REJECTED: a single one in a real excess is protection at work",
				"$request_time beside $upstream_response_time: with nodelay the limits add no time",
			},
		},
		Step{
			Title: "Test it: a short burst, a burst again and again, and recovery after it",
			Do:    append(slices.Clone(dump), fmt.Sprintf("ngxlimit simulate %s --test all", input), "the same with a load generator from one address, against the running server"),
			LookAt: []string{
				"the burst passes, what goes beyond is answered at once with the status of the limit, and the page comes up again afterwards",
			},
		},
		Step{
			Title: "Watch it",
			Do:    []string{fmt.Sprintf("ngxlimit alerts %s", input)},
			LookAt: []string{
				"REJECTED and growing request time apart; DELAYED on ordinary pages is a fault of the configuration",
				"to go back: reload the configuration of before",
			},
		})
}
