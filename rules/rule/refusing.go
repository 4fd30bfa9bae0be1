package rule

import (
	"iter"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A Kind is one of the two modules that limit, as far as its refusals are told and answered.
type Kind struct {
	Name     string // of the directive: "limit_req"
	Variable string // that tells the outcome, without "$": "limit_req_status"
	Status   func(*config.Settings) *config.Setting[int]
	LogLevel func(*config.Settings) *config.Setting[string]
	dryRun   func(*config.Settings) bool
}

var (
	reqKind = &Kind{
		Name: "limit_req", Variable: "limit_req_status",
		Status:   func(s *config.Settings) *config.Setting[int] { return s.LimitReqStatus },
		LogLevel: func(s *config.Settings) *config.Setting[string] { return s.LimitReqLogLevel },
		dryRun:   func(s *config.Settings) bool { return s.LimitReqDryRun.Value },
	}
	connKind = &Kind{
		Name: "limit_conn", Variable: "limit_conn_status",
		Status:   func(s *config.Settings) *config.Setting[int] { return s.LimitConnStatus },
		LogLevel: func(s *config.Settings) *config.Setting[string] { return s.LimitConnLogLevel },
		dryRun:   func(s *config.Settings) bool { return s.LimitConnDryRun.Value },
	}
)

// Refusing are limits of one kind that may refuse a visitor: the first of a list, and where the list stands.
type Refusing struct {
	*Kind
	Limit config.Item
	At    *config.Level
}

// Refusing yields each list of limits that may refuse a visitor with each place where it may: limit_req before limit_conn,
// in the order of the configuration. Left out are dry runs, and keys that are empty for everybody.
func (f *Facts) Refusing() iter.Seq2[*Refusing, Place] {
	return func(yield func(*Refusing, Place) bool) {
		for _, r := range f.refusing() {
			for _, p := range r.places {
				if p.Judges() && !r.dryRun(p.Settings) && !yield(&r.Refusing, p) {
					return
				}
			}
		}
	}
}

// refusing is a list with the places where it stands; it refuses at those that judge.
type refusing struct {
	Refusing
	places []Place
}

func (f *Facts) findRefusing() []refusing {
	all := make([]refusing, 0, len(f.LimitReqs())+len(f.LimitConns()))
	for _, list := range f.LimitReqs() {
		for _, l := range list.Limits {
			if l.Zone != nil && !f.Key(l.Zone.Key).Exempt {
				all = append(all, refusing{Refusing{reqKind, config.Item{Directive: l.Directive, Via: l.Via}, list.At}, list.Places})
				break
			}
		}
	}
	for _, list := range f.LimitConns() {
		for _, l := range list.Limits {
			if l.Zone != nil && !f.Key(l.Zone.Key).Exempt {
				all = append(all, refusing{Refusing{connKind, config.Item{Directive: l.Directive, Via: l.Via}, list.At}, list.Places})
				break
			}
		}
	}
	return all
}
