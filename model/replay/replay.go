// Package replay sends recorded traffic through the limits of a configuration: what they would have done to it, where
// that differs from what the log says they did, and what the traffic shows of them. Requests are decided by package
// pipeline in the order in which they arrived; memory is bounded whatever the log's size. The package opens no file and
// reads no clock. It refuses to judge by averages: what counts is what single requests suffered, within fractions of a
// second.
package replay

import (
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/route"
	"github.com/ngxlimit/ngxlimit/model/accesslog"
	"github.com/ngxlimit/ngxlimit/model/fronts"
	"github.com/ngxlimit/ngxlimit/model/peers"
)

// A Source is one log.
type Source struct {
	Name   string // for people
	Reader *accesslog.Reader
	First  int64          // time of its first line, in milliseconds since 1970; 0 where it is not known: it is opened at once
	Nginx  string         // which nginx wrote it; those of different ones have zones of their own. A line may name another
	Held   []string       // which of Edge.Variables its lines hold
	Server *config.Server // to which its requests came, where lines name no host; nil where that is not known

	// Open returns its text, unpacked. It is called once, when the log's time has come.
	Open func() (io.Reader, func(), error)
}

// Options say how traffic is replayed. The zero value is ready.
type Options struct {
	From, To int64                         // only requests that arrived from From on and before To, in milliseconds since 1970; 0: no bound
	Host     string                        // that is asked for where neither line nor log says it; "" for the first server with a limit
	Workers  int                           // that read lines; 0 is one
	Edge     *Edge                         // that requests pass before nginx; nil: there is none
	Fronts   *fronts.Table                 // what proxies are known; nil for those built in
	Redact   func(text string) string      // stands in for addresses, key values and query strings in the result; nil: they are shown
	Visit    func(*Visit)                  // told of each request that came to the limits, about in the order of arrival; nil: nobody wants to know
	Progress func(read int64, lines int64) // told now and then how many bytes of text and how many lines were read; nil: nobody looks
}

// ErrNoLine is a replay of logs without any line.
var ErrNoLine = errors.New("the logs hold no line")

// Run replays logs. Lines that cannot be used are counted, see Result.Faults; a log that ends in an error counts as far as
// it could be read. The error is of the configuration, or says that nothing at all could be read.
func Run(tree *config.Tree, router *route.Router, sources []Source, o Options) (*Result, error) {
	p, err := RunPart(tree, router, sources, o)
	if err != nil {
		return nil, err
	}
	return Join([]*Part{p}), nil
}

// RunPart is Run, and returns what came of each nginx, to be joined with what came of others elsewhere. Of the part's head it
// fills in what the options say. The error may be ErrNoLine, and then there is a part all the same.
func RunPart(tree *config.Tree, router *route.Router, sources []Source, o Options) (*Part, error) {
	if tree.HTTP == nil || len(tree.HTTP.Servers) == 0 {
		return nil, errors.New("replay: the configuration has no server")
	}
	if o.Fronts == nil {
		o.Fronts = fronts.BuiltIn()
	}
	r := &replay{tree: tree, router: router, o: &o, needs: needsOf(tree, o.Edge), omissions: omissionsOf(tree.HTTP), hosts: map[string]*engine{}, sources: sources, strangers: strangers{}}
	r.needs.judge = peers.NewJudge(o.Fronts, nil)
	if o.Edge != nil {
		r.front = newFront(r)
	}
	r.going, r.spare = make(chan []item, parcels), make(chan []item, parcels+2)
	m := newMerge(r)
	defer m.stop()
	var decided sync.WaitGroup
	decided.Go(r.decide)
	err := m.run()
	r.dispatch()
	close(r.going)
	decided.Wait()
	if err != nil && !errors.Is(err, ErrNoLine) {
		return nil, err
	}
	for _, e := range r.order {
		e.finish()
	}
	p := r.part(m)
	p.spell()
	return p, err
}

// A replay is one run.
type replay struct {
	tree    *config.Tree
	router  *route.Router
	o       *Options
	needs   needs
	sources []Source
	front   *front // nil: no edge stands in front of nginx

	omissions omissions

	hosts map[string]*engine // by the name of the nginx
	order []*engine          // in the order met
	last  *engine            // of the last line

	strangers strangers // who came

	outside int64 // requests before From or from To on

	parcel []item      // that is being filled
	going  chan []item // to be decided
	spare  chan []item
}

// An item is a request on its way to its engine. Lines are put together in one goroutine and decided in another, so that
// the fields of an engine belong to one of the two: its caches of classes and clients to the first.
type item struct {
	e  entry
	to *engine
}

// parcels are how many items go at a time, and how many such parcels are on their way.
const (
	parcelSize = 256
	parcels    = 8
)

// next returns room for the next request that is to be decided.
func (r *replay) next(to *engine) *entry {
	n := len(r.parcel)
	if n == parcelSize {
		r.dispatch()
		n = 0
	}
	r.parcel = append(r.parcel, item{to: to})
	return &r.parcel[n].e
}

func (r *replay) dispatch() {
	r.going <- r.parcel
	select {
	case r.parcel = <-r.spare:
		r.parcel = r.parcel[:0]
	default:
		r.parcel = make([]item, 0, parcelSize)
	}
}

// decide takes requests as they come.
func (r *replay) decide() {
	var touched []*engine
	for parcel := range r.going {
		for i := range parcel {
			e := parcel[i].to
			if !e.touched {
				e.touched = true
				touched = append(touched, e)
			}
			e.push(&parcel[i].e)
		}
		for _, e := range touched {
			e.queue.drain(e.out)
			e.touched = false
		}
		touched = touched[:0]
		select {
		case r.spare <- parcel:
		default:
		}
	}
}

// mostHosts bounds how many nginx hosts are replayed apart; the lines of more are taken together.
const mostHosts = 1000

// engineOf returns the engine of an nginx.
func (r *replay) engineOf(name string) *engine {
	if r.last != nil && r.last.name == name {
		return r.last
	}
	if e := r.hosts[name]; e != nil {
		r.last = e
		return e
	}
	if len(r.hosts) >= mostHosts {
		last := r.order[len(r.order)-1]
		last.together = true
		return last
	}
	name = strings.Clone(name) // it may be cut out of a block
	e := newEngine(r, name)
	r.hosts[name] = e
	r.order = append(r.order, e)
	return e
}
