package config

import "github.com/ngxlimit/ngxlimit/analyzer/load"

// Complete says that all of the configuration was read and understood, but for files that come with nginx and hold no limit
// (load.Input.Decisive). Where it is false, no finding may rest on something being absent.
func (t *Tree) Complete() bool {
	return t.whole && t.Input.Kind != load.Fragment && !t.cut
}

// CompleteAt says that everything was read on which the settings in effect at a level rest: what stands at it and at the
// levels around it. An include that could not be followed at another level does not matter.
func (t *Tree) CompleteAt(l *Level) bool {
	if t.Complete() {
		return true
	}
	if t.uncertain() || t.Input.Kind == load.Fragment {
		return false
	}
	return noneUnread(l)
}

func noneUnread(l *Level) bool {
	for ; l != nil; l = l.Parent {
		if l.Unread {
			return false
		}
	}
	return true
}

// CompleteIn says that everything was read on which a request's way through a server rests: what stands in the server,
// in its locations, and in http. In a fragment that holds the server's own block, all that is absent around it is taken
// not to matter.
func (t *Tree) CompleteIn(s *Server) bool {
	switch {
	case t.Complete():
		return true
	case t.uncertain() || !noneUnread(&s.Level) || t.Input.Kind == load.Fragment && s.Directive == nil:
		return false
	}
	for _, branch := range s.Ifs {
		if branch.Unread {
			return false
		}
	}
	for l := range s.AllLocations {
		if l.Unread || l.Except != nil && l.Except.Unread {
			return false
		}
		for _, branch := range l.Ifs {
			if branch.Unread {
				return false
			}
		}
	}
	return true
}

// uncertain says that something was not read and may belong anywhere: a part of the grammar was not understood, or
// problems are more than were kept.
func (t *Tree) uncertain() bool { return t.loose || t.cut || t.Input.LeftOut > 0 }
