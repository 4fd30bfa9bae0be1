package config

import (
	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// closeHTTP settles what nginx settles when the http block closes, and refuses what it refuses then.
func (r *resolver) closeHTTP() {
	h := r.http
	h.settleAll(r.errorLogs)
	h.bindLimits()
	h.settleServers()
	h.internalWithin()
	r.reservesOnly()
	r.certificates()
	r.lateUses()
	r.longTableNames()
	r.duplicateLocations()
	r.listenersWithoutCertificate()
	r.unknownVariables()
	r.longVariables()
	r.conflictingNames()
	h.bindKeys()
}

// bindKeys lets the keys of zones know the variables that the configuration defines.
func (h *HTTP) bindKeys() {
	h.Variables.Settle()
	for _, z := range h.Zones {
		z.Key = h.Variables.Bind(z.Key)
	}
	for _, z := range h.ConnZones {
		z.Key = h.Variables.Bind(z.Key)
	}
}

// afterReading refuses what nginx finds when it has read everything.
func (r *resolver) afterReading() {
	r.missingEvents()
	r.unknownZones()
	r.hugeZones()
	if len(r.errorLogs.Value) == 0 {
		r.errorLogs.Value = []*ErrorLog{{Path: "logs/error.log", Level: "error"}}
	}
}

// missingEvents refuses a configuration without an events block.
func (r *resolver) missingEvents() {
	if r.partial() || r.in.Main == nil {
		return
	}
	for _, it := range r.tree.Main {
		if it.Name().Value == "events" {
			return
		}
	}
	r.refuse(nil, Refusal{
		Kind: SyntaxError, Span: source.Span{File: r.in.Main.File}, Text: `no "events" section in configuration`,
	})
}

// settleServers settles what a server has from plain directives of its own or of http.
func (h *HTTP) settleServers() {
	for _, s := range h.Servers {
		it, ok := s.Effective("merge_slashes")
		s.MergeSlashes = !ok || isOn(it.Arg(0))
		if it, ok := s.Effective("http2"); ok && isOn(it.Arg(0)) {
			for _, l := range s.Listens {
				l.HTTP2 = true
			}
		}
	}
}
