package edge

import (
	"fmt"

	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// Compare returns a layer that decides as the first one does, and tells in its report what another one would do with the
// same requests. Of those that the first one stops, the other learns no answer.
func Compare(decides, other Layer, name string) Layer {
	return &compared{Layer: decides, other: other, name: name}
}

type compared struct {
	Layer
	other      Layer
	name       string
	more, less int // requests that only the other one stops, that only the first one does
}

func (c *compared) Decide(now clock.Msec, req *Request) Decision {
	d, o := c.Layer.Decide(now, req), c.other.Decide(now, req)
	switch {
	case o.Action.Stops() && !d.Action.Stops():
		c.more++
	case d.Action.Stops() && !o.Action.Stops():
		c.less++
	}
	return d
}

func (c *compared) Observe(now clock.Msec, req *Request, resp *Response, was Decision) Decision {
	c.other.Observe(now, req, resp, Decision{})
	return c.Layer.Observe(now, req, resp, was)
}

func (c *compared) Report() Report {
	r := c.Layer.Report()
	text := fmt.Sprintf("of the same requests an edge that counts by %s stops the same ones", c.name)
	if c.more+c.less > 0 {
		text = fmt.Sprintf("of the same requests an edge that counts by %s stops %s more, and %s fewer", c.name, numeral.Count(c.more), numeral.Count(c.less))
	}
	r.Said = append(r.Said, text)
	r.Other, r.More, r.Fewer = c.name, c.more, c.less
	return r
}
