package cloudflare

import (
	"slices"

	"github.com/ngxlimit/ngxlimit/model/edge"
)

// Reads tells what the rules look at.
func (l *Layer) Reads() edge.Reads {
	var all edge.Reads
	for _, z := range l.zones {
		for _, r := range z.rules {
			r.reads(&all)
		}
	}
	return all
}

func (r *running) reads(to *edge.Reads) {
	if r.Unknown != "" {
		return
	}
	for _, c := range slices.Concat(r.guards, []*Condition{r.Expression}) {
		if c != nil {
			c.Read(to)
		}
	}
	if r.Limit == nil {
		return
	}
	to.Answers = to.Answers || r.after
	if r.Limit.Counting != nil {
		r.Limit.Counting.Read(to)
	}
	if r.Limit.Score > 0 {
		to.AddAnswer(r.Limit.ScoreHeader)
	}
	for i := range r.Limit.Keys {
		r.Limit.Keys[i].Read(to)
	}
}
