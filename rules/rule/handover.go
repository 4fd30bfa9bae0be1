package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/pipeline"
)

// A Handover is a request that one limited location takes first and another one answers, by a redirect within nginx: a
// rewrite, try_files, index or error_page.
type Handover struct {
	From, To *config.Location
	URL      string
	URI      string // as it stands where it is answered: with a "@name" it stays what it was
	Judged   bool   // by the limits of From; else it left before the limiters
	Upstream bool   // an upstream answers
}

// Handovers returns what is handed over in the configuration, asked for with addresses made from the locations' own
// patterns: one without an extension, for which no file is there, and the folder itself.
func (f *Facts) Handovers() []Handover { return f.handovers() }

func (f *Facts) findHandovers() []Handover {
	h := handing{f: f}
	if f.Tree.HTTP == nil {
		return nil
	}
	for _, s := range f.Tree.HTTP.Servers {
		if !differ(s) {
			continue
		}
		for l := range s.AllLocations {
			if p := PlaceOf(l); !l.Internal && f.Limited(p) && handsOver(p) {
				h.ask(p)
			}
		}
	}
	return h.found
}

// differ says whether the locations of a server have several lists of limits.
func differ(s *config.Server) bool {
	var first *config.Setting[[]*config.LimitReq]
	for l := range s.AllLocations {
		if first == nil {
			first = l.Settings.LimitReqs
		}
		if l.Settings.LimitReqs != first {
			return true
		}
	}
	return false
}

// handsOver says whether a location has any of the directives that lead to another one.
func handsOver(p Place) bool {
	for _, name := range [...]string{"try_files", "rewrite"} {
		if _, ok := p.Find(name); ok {
			return true
		}
	}
	if _, ok := p.Effective("index"); ok {
		return true
	}
	for _, branch := range p.Location.Ifs {
		if _, ok := branch.Find("rewrite"); ok {
			return true
		}
	}
	for _, page := range p.Settings.ErrorPages.Value {
		if strings.HasPrefix(page.Target, "/") || strings.HasPrefix(page.Target, "@") {
			return true
		}
	}
	return false
}

type handing struct {
	f             *Facts
	plain, absent *Probe
	asked         int // places so far
	found         []Handover
}

// heldReady bounds the places that are held ready for requests: each takes a kilobyte, and hardly one is asked again.
const heldReady = 512

// ask follows some requests from a place.
func (h *handing) ask(p Place) {
	if h.plain == nil {
		h.plain, h.absent = h.f.Probe(), h.f.Probe().Absent()
	}
	if h.asked++; h.asked%heldReady == 1 {
		pipe := h.plain.pipe.Anew()
		h.plain.through(pipe)
		h.absent.through(pipe)
	}
	for i, target := range Samples(p.Location) {
		if i == maxHanded {
			break
		}
		if strings.HasSuffix(target, "/") {
			h.follow(h.absent, p, target+"page")
		}
		h.follow(h.plain, p, target)
		h.follow(h.absent, p, target)
	}
}

// maxHanded bounds the addresses that are tried for one location.
const maxHanded = 2

func (h *handing) follow(b *Probe, p Place, target string) {
	t, ok := b.Get(p.Server, target)
	if !ok || t.Location == nil || t.Location == p.Location || t.If != nil {
		return
	}
	if first, known := b.First(p.Server, target); !known || first != p.Location {
		return
	}
	judged := t.LimiterRan && t.LimitedLevel != nil && t.LimitedLevel == p.Level
	if t.LimiterRan && !judged {
		return // the limits of where it came to did
	}
	for i := range h.found {
		if g := &h.found[len(h.found)-1-i]; g.From != p.Location {
			break
		} else if g.To == t.Location && g.Judged == judged {
			return
		}
	}
	_, upstream := PlaceOf(t.Location).Upstream()
	h.found = append(h.found, Handover{
		From: p.Location, To: t.Location, URL: b.URL(p.Server, target), URI: t.URI, Judged: judged, Upstream: upstream && t.EndsIn == pipeline.EndContent,
	})
}
