package simulate

// A meter tells somebody how far a run has come.
type meter struct {
	progress    func(done, total int64)
	done, total int64
}

func newMeter(o *Options) meter {
	m := meter{progress: o.Progress, total: o.Requests()}
	if o.Detail {
		m.total *= 2 // the traffic is run twice
	}
	return m
}

// everySo is how many requests go by between two calls.
const everySo = 1 << 16

// tick counts a request.
func (m *meter) tick() {
	if m.done++; m.done%everySo == 0 && m.progress != nil {
		m.progress(min(m.done, m.total), m.total)
	}
}
