package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressAfter is how long a run may take in silence.
const progressAfter = 2 * time.Second

// A progress shows on a terminal how far a long run has come, on standard error.
type progress struct {
	w     io.Writer // nil: nobody looks
	start time.Time
	what  string // is done, for the description
	bytes bool   // it is measured in bytes
	bar   *progressbar.ProgressBar
}

// progress begins to measure a run. It says nothing where standard error is no terminal.
func (a *app) progress() *progress {
	p := &progress{start: time.Now(), what: "simulating"}
	if f, ok := a.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w = f
	}
	return p
}

// set tells how far it has come.
func (p *progress) set(done, total int64) {
	if p.w == nil || time.Since(p.start) < progressAfter {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(
			total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.what), progressbar.OptionSetWidth(30),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetRenderBlankState(true),
			progressbar.OptionShowBytes(p.bytes), progressbar.OptionSetPredictTime(true),
		)
	}
	p.bar.ChangeMax64(total)
	_ = p.bar.Set64(min(done, total))
}

// finish takes the bar off the screen.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
