// Package traffic is what reaches nginx: page-load fans, whose requests wait for each other, and streams of requests at
// given times. It reads files and checks them; it sends nothing, decides nothing, and does not know which server or
// location a request is for.
package traffic

import (
	"net/netip"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// An Event is one request of a stream.
type Event struct {
	At       clock.Msec // from the start of the run; it may go back, as a clock may
	Client   netip.Addr // who it is; where a proxy stands between, Request.Peer is the proxy
	URL      string     // as written
	Request  request.Request
	Response *Response // what the upstream would answer; nil where the stream does not say

	// For an edge network in front:
	Colo            string // the data centre that it comes to
	Cached          bool   // the edge has the answer
	ChallengePassed bool   // the visitor solves the challenge that the request may get
}

// A Response is what is known of an upstream's answer.
type Response struct {
	Status  int // 0 where it is not given
	Headers []request.Header
}
