package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The bar comes only after a while, tells how far it is, and is gone at the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, start: time.Now().Add(time.Hour), what: "replaying", bytes: true}
	p.set(1<<20, 4<<20)
	p.finish()
	if out.Len() > 0 {
		t.Errorf("a run that is not long says %q", out.String())
	}
	p.start = time.Now().Add(-2 * progressAfter)
	drawn := regexp.MustCompile(`replaying +[1-9][0-9]?%`)
	for done := int64(0); done < 1000 && !drawn.MatchString(out.String()); done++ { // it is drawn only now and then
		p.set(done, 1000)
		time.Sleep(5 * time.Millisecond)
	}
	if text := out.String(); !drawn.MatchString(text) {
		t.Errorf("a run on its way is told as %q", text)
	}
	out.Reset()
	p.set(3000, 1000) // a log that grows meanwhile
	p.finish()
	if text := out.String(); !strings.HasSuffix(text, "\r") || strings.Contains(text, "\n") {
		t.Errorf("the bar is left on the screen: %q", text)
	}
	nobody := &progress{start: p.start}
	nobody.set(1, 2)
	nobody.finish()
	if nobody.bar != nil {
		t.Error("a bar is drawn for nobody")
	}
}
