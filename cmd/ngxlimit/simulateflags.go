package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ngxlimit/ngxlimit/model/chain"
	"github.com/ngxlimit/ngxlimit/model/simulate"
	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// simulateFlags are the flags of simulate.
type simulateFlags struct {
	inputFlags
	fanFlags
	wayFlags
	requests, host, arrival, every string
	output, viaHeader              string
	clients, attackers, repeat     int
	perAddress                     sizes
	via                            []string
	upstream, rtt                  distribution
	seed                           uint64
	protocol, format               *choice
	tests                          words
	edge                           edgeFlags
	noRequests                     bool
	given                          *pflag.FlagSet // what they are flags of
}

func newSimulateFlags() *simulateFlags {
	return &simulateFlags{
		protocol: oneOf("", string(simulate.HTTP1), string(simulate.HTTP2)),
		format:   oneOf("text", "text", "json", "csv", "html"),
		seed:     1,
		edge:     newEdgeFlags(),
	}
}

func (f *simulateFlags) register(flags *pflag.FlagSet) {
	f.registerCrowd(flags)
	flags.StringVar(&f.requests, "requests", "", "`file` of requests, one JSON object a line; - for standard input")
	f.edge.addSimulate(flags)
	flags.Var(&f.tests, "test", "tests that every limit should pass: short-burst, repeated-burst, recovery, or all; one that fails makes the exit status 1")
	flags.Var(f.format, "format", "how to print")
	flags.BoolVar(&f.noRequests, "no-requests", false, "leave the list of requests out of json, which otherwise holds them all")
	flags.StringVar(&f.output, "output", "", "`file` to write to, whole or not at all (default: standard output)")
	f.wayFlags.add(flags)
	f.inputFlags.add(flags)
}

// ofCrowd are the flags that say who loads a page, and how.
var ofCrowd = []string{"clients", "clients-per-address", "attackers", "arrival", "repeat", "every", "via-header", "protocol", "upstream-ms", "rtt-ms"}

// idle refuses what would change nothing.
func (f *simulateFlags) idle() error {
	switch {
	case f.requests != "":
		return idle(f.given, "page loads, and what comes here are the requests of --requests", ofCrowd...)
	case len(f.via) == 0 && f.given.Changed("via-header"):
		return idle(f.given, "the proxies of --via, which was not given", "via-header")
	case f.repeat < 2 && len(f.tests) == 0:
		return idle(f.given, "several loads of a person (--repeat), and each loads once", "every")
	}
	return nil
}

// registerCrowd registers what says who comes, and how.
func (f *simulateFlags) registerCrowd(flags *pflag.FlagSet) {
	flags.SortFlags = false
	f.given = flags
	f.fanFlags.register(flags)
	flags.StringVar(&f.host, "host", "", "`host` of the page (default: that of the first server with a limit)")
	flags.Var(atMost(&f.clients, 0, 1_000_000), "clients", "how many people open the page (default: one, or as many as --clients-per-address lists)")
	flags.Var(&f.perAddress, "clients-per-address", "how many of them share one public address; 29,14 for two offices")
	flags.Var(atMost(&f.attackers, 1, 1_000_000), "attackers", "how many clients an attack has, each with an address of its own")
	flags.StringVar(&f.arrival, "arrival", "together", "when people begin: together, poisson:SECONDS (at random, all within that time) or every:SECONDS (from one to the next)")
	flags.Var(atMost(&f.repeat, 1, 100_000), "repeat", "page loads of each person")
	flags.StringVar(&f.every, "every", "", "`seconds` from one load of a person to the next (default 60; in the tests 10)")
	flags.StringArrayVar(&f.via, "via", nil, "`proxies` that clients come through, the one that connects to nginx last: 10.0.4.7/22 (a node, in that network), 192.0.2.1,10.0.0.5 (a chain); given again, clients take them in turn")
	flags.StringVar(&f.viaHeader, "via-header", "X-Forwarded-For", "`header` to which proxies add the address that they were connected from")
	flags.Var(f.protocol, "protocol", "h1: six connections, h2: all requests at once (default: as the fan says, else what the server offers)")
	flags.Var(&f.upstream, "upstream-ms", "time the upstream needs, in milliseconds: 40, uniform:10,90, exponential:50, lognormal:40,310 (median, 95 of 100) (default: as the fan says, else by kind of request)")
	flags.Var(&f.rtt, "rtt-ms", fmt.Sprintf("round trip of each client, likewise (default: as the fan says, else %d)", simulate.DefaultRTTMs))
	flags.Var(whole{&f.seed}, "seed", "start of all that is random")
	for _, name := range []string{"clients", "fan", "via"} {
		flags.Lookup(name).DefValue = "" // what their text says is not one value
	}
}

// sizes is a flag that takes whole numbers separated by commas.
type sizes []int

func (s *sizes) Type() string { return "N,..." }

func (s *sizes) String() string {
	texts := make([]string, len(*s))
	for i, n := range *s {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

func (s *sizes) Set(text string) error {
	words := strings.Split(text, ",")
	if len(words) > 1000 {
		return errors.New("more than 1000 addresses")
	}
	list := make(sizes, len(words))
	for i, word := range words {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > 1_000_000 {
			return fmt.Errorf("want whole numbers from 1 to 1000000, as in 29 or 29,14")
		}
		list[i] = n
	}
	*s = list
	return nil
}

// sum is how many clients the addresses have together.
func (s sizes) sum() int {
	n := 0
	for _, v := range s {
		n += v
	}
	return n
}

// distribution is a flag that takes a time, constant or random.
type distribution struct{ *traffic.Dist }

func (d *distribution) Type() string { return "MS" }

func (d *distribution) String() string {
	if d.Dist == nil {
		return ""
	}
	return d.Dist.String()
}

func (d *distribution) Set(text string) (err error) {
	d.Dist, err = traffic.ParseDist(text)
	return err
}

// viaWay reads one --via: proxies each of which adds to a header.
func viaWay(text, header string) (chain.Way, error) {
	words := strings.Split(text, ",")
	if len(words) > 20 {
		return nil, errors.New("more than 20 proxies in a chain")
	}
	list := make(chain.Way, len(words))
	for i, word := range words {
		word = strings.TrimSpace(word)
		prefix, err := netip.ParsePrefix(word)
		if err != nil {
			addr, err := netip.ParseAddr(word)
			if err != nil || addr.Zone() != "" {
				return nil, fmt.Errorf("%q is neither an address nor one with the length of its network, as in 10.0.4.7/22", word)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list[i] = chain.Adding(prefix, header)
	}
	return list, nil
}
