package simulate

import (
	"github.com/ngxlimit/ngxlimit/model/pipeline"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// A crowd is one of the option's crowds at work: its page, who comes when, and what its requests suffered.
type crowd struct {
	*Crowd
	number int32
	page   *page
	arrive arrivals
	stats  *stats // of this crowd alone; the simulation's where there is no other
	people bool   // its pages are those that Result.Page tells of

	firstClient  int32
	firstAddress int32
	sharers      []int32 // by client within one round of PerAddress, the address
	addresses    int32   // of one round

	shared []*pipeline.Plan // by request, those that hold for every client
	bound  []bool           // by request, those that do not
}

// newCrowds prepares the crowds of the options, which are normal.
func newCrowds(o *Options) []*crowd {
	list := make([]*crowd, len(o.Crowds))
	anyPeople := false
	for i := range o.Crowds {
		anyPeople = anyPeople || o.Crowds[i].Fan.Role == traffic.People
	}
	var clients, addresses int32
	for i := range o.Crowds {
		c := &crowd{Crowd: &o.Crowds[i], number: int32(i), firstClient: clients, firstAddress: addresses}
		c.page = newPage(c.Fan, o)
		c.people = c.Fan.Role == traffic.People || !anyPeople
		c.share()
		c.shared, c.bound = make([]*pipeline.Plan, len(c.page.requests)), make([]bool, len(c.page.requests))
		c.arrive = newArrivals(c.Crowd, o.Seed+uint64(i), c.Start.Microseconds()-c.page.rtt.fixed/2)
		if c.Same && i > 0 {
			c.firstAddress = list[i-1].firstAddress
		}
		clients += int32(c.Clients)
		addresses = max(addresses, c.firstAddress+c.countAddresses())
		list[i] = c
	}
	return list
}

// share spreads the clients of one round over its addresses.
func (c *crowd) share() {
	c.addresses = int32(len(c.PerAddress))
	if len(c.PerAddress) == 1 {
		return // a division is enough
	}
	for a, n := range c.PerAddress {
		for range n {
			if len(c.sharers) == c.Clients {
				return
			}
			c.sharers = append(c.sharers, int32(a))
		}
	}
}

// addressOf returns the number of a client's address.
func (c *crowd) addressOf(client int32) int32 {
	if c.sharers == nil {
		return c.firstAddress + client/int32(c.PerAddress[0])
	}
	round := int32(len(c.sharers))
	return c.firstAddress + client/round*c.addresses + c.sharers[client%round]
}

// countAddresses is how many addresses the crowd has.
func (c *crowd) countAddresses() int32 {
	return c.addressOf(int32(c.Clients)-1) - c.firstAddress + 1
}

// countAddresses is how many addresses all crowds have together.
func (s *simulation) countAddresses() int {
	var n int32
	for _, c := range s.crowds {
		n = max(n, c.firstAddress+c.countAddresses())
	}
	return int(n)
}

// clientNumber is which of all clients a load's is, from 0.
func (c *crowd) clientNumber(l *load) int64 { return int64(c.firstClient) + int64(l.client) }

// request returns the request of a number: one of the fan's, or one of a stream.
func (c *crowd) request(id int32) *pageRequest { return &c.page.requests[c.page.template(id)] }
