package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/model/replay"
)

// tellTwice warns of two logs into which the configuration writes the same requests: access_log may be given several times, and
// logs/*.log finds them all.
func (o *opener) tellTwice(sources []replay.Source) {
	if o.quiet {
		return
	}
	for i := range sources {
		for j := range sources[:i] {
			a, b := &sources[j], &sources[i]
			if a.Nginx != b.Nginx || baseName(a.Name) == baseName(b.Name) {
				continue
			}
			if s := o.bothWrittenBy(baseName(a.Name), baseName(b.Name)); s != nil {
				server := "a server"
				if name := s.Names[0].Text; name != "" {
					server = "server " + name
				}
				complain(o.app.stderr, fmt.Errorf("warning: %s and %s: %s logs each of its requests to both, so that those of the time that both cover count twice: name one of them", a.Name, b.Name, server))
				return
			}
		}
	}
}

// baseName is the name of a log's file as access_log has it: without its folder, and without what its rotation added.
func baseName(name string) string {
	return filepath.Base(rotated.ReplaceAllString(filepath.ToSlash(name), ""))
}

// bothWrittenBy finds a server of which one level logs each request to two files; nil where there is none.
func (o *opener) bothWrittenBy(a, b string) *config.Server {
	both := func(l *config.Level) bool {
		var names []string
		for _, log := range l.Settings.AccessLogs.Value {
			if log.Condition() == "" {
				names = append(names, filepath.Base(filepath.ToSlash(log.Path)))
			}
		}
		return slices.Contains(names, a) && slices.Contains(names, b)
	}
	for _, s := range o.tree.HTTP.Servers {
		if both(&s.Level) {
			return s
		}
		for l := range s.AllLocations {
			if both(&l.Level) {
				return s
			}
		}
	}
	return nil
}
