package simulate

import "time"

// What a load under way, each of its requests, and a row of Result.Requests take, in bytes, garbage that is not collected yet
// included. Measured.
const (
	loadBytes    = 1000
	requestBytes = 56
	rowBytes     = 400
)

// usualLoad is how long a load is under way where nobody knows, to estimate how many are at once.
const usualLoad = 10 * time.Second

// Memory estimates how many bytes a run takes. It follows the loads that are under way at once, and the requests only where
// each is kept.
func (o *Options) Memory() int64 {
	var n int64
	for i := range o.Crowds {
		c := &o.Crowds[i]
		n += c.atOnce() * (loadBytes + requestBytes*int64(len(c.Fan.Requests)))
	}
	if o.KeepRequests {
		n += o.Requests() * rowBytes
	}
	return n
}

// atOnce estimates how many loads are under way at the same time.
func (c *Crowd) atOnce() int64 {
	clients := max(int64(c.Clients), 1)
	switch span := max(c.Arrival.Span, 1); c.Arrival.Kind {
	case Poisson:
		return min(clients, int64(float64(clients)*usualLoad.Seconds()/span.Seconds())+1)
	case Every:
		return min(clients, int64(usualLoad/span)+1)
	case Together:
	}
	return clients
}
