package limitreq

// Saved returns the account of the limit's key as it stands, and whether there is one. It brings At up to date.
func (l *Limit) Saved() (State, bool) {
	if l.Key == "" || len(l.Key) > MaxKey {
		return State{}, false
	}
	if l.Resolve(); !l.Zone.keys.Holds(l.At) {
		return State{}, false
	}
	return *l.Zone.keys.At(l.At), true
}

// Restore gives the key an account that Saved has returned, as if nothing had been charged since. In the order of use the
// key stays where it is.
func (l *Limit) Restore(s State) {
	if l.Zone.keys.Holds(l.At) {
		*l.Zone.keys.At(l.At) = s
	}
}
