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
}

// A Response is what is known of an upstream's answer.
type Response struct {
	Status  int // 0 where it is not given
	Headers []request.Header
}

// A Fan is what one visit asks for: requests, each with what it waits for. It holds no network time, so one fan serves
// any round trip and protocol.
type Fan struct {
	Name         string
	Description  string
	Basis        string   // where the counts and times come from; what is estimated is called so
	Sources      []string // addresses of documents, or names of facts
	Note         string
	Requests     []FanRequest
	ClientQueues []ClientQueue
}

// A FanRequest is one request of a fan.
type FanRequest struct {
	Method        string           // "GET" where the file names none
	Path          string           // the request target: path and query
	Kind          string           // one of Kinds; it stands for the time that the server needs
	DependsOn     *int             // index of the request whose complete answer must be there; nil: the start of the visit
	StartOffsetMs int64            // from that answer to the moment the client issues the request
	Group         string           // queue of the client that it goes through; "" for none
	LongLived     bool             // the answer does not end: over HTTP/1.1 its connection stays taken
	Body          string           // tells requests of one path apart
	Headers       []request.Header // in the order written
}

// A ClientQueue is a bound that the client's own code sets: at most AtOnce requests of a group unanswered.
type ClientQueue struct {
	Group     string
	AtOnce    int
	Protocols []string // "h1", "h2": where the bound holds
}

// Kinds are the kinds of requests that a fan may name.
var Kinds = []string{
	"html", "static", "image", "font", "api", "ajax", "query", "graphql", "preview", "rsc", "php-asset",
}
