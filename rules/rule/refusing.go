package rule

import (
	"iter"
	"slices"

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
// in the order of the configuration. Left out are dry runs, and keys that are empty for everybody. What it yields with a list
// is another one's with the next.
func (f *Facts) Refusing() iter.Seq2[*Refusing, Place] {
	return func(yield func(*Refusing, Place) bool) {
		_ = refusals(f.LimitReqs(), reqKind, func(l *config.LimitReq) (config.Item, bool) {
			return config.Item{Directive: l.Directive, Via: l.Via}, l.Zone != nil && !f.Key(l.Zone.Key).Exempt
		}, yield) && refusals(f.LimitConns(), connKind, func(l *config.LimitConn) (config.Item, bool) {
			return config.Item{Directive: l.Directive, Via: l.Via}, l.Zone != nil && !f.Key(l.Zone.Key).Exempt
		}, yield)
	}
}

// refusals yields the lists of one kind, of which at least one limit counts; false where no more are wanted.
func refusals[L any](lists []List[L], kind *Kind, counts func(L) (config.Item, bool), yield func(*Refusing, Place) bool) bool {
	r := Refusing{Kind: kind}
	for i := range lists {
		list := &lists[i]
		refuses := slices.ContainsFunc(list.Limits, func(l L) (ok bool) {
			r.Limit, ok = counts(l)
			return ok
		})
		if !refuses {
			continue
		}
		r.At = list.At
		for _, p := range list.Places {
			if p.Judges() && !kind.dryRun(p.Settings) && !yield(&r, p) {
				return false
			}
		}
	}
	return true
}
