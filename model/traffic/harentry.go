package traffic

import (
	"errors"
	"io"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// A harReader reads a recording entry by entry and keeps of each what the fan needs.
type harReader struct {
	s    *jsonStream
	opts HAROptions

	version string
	creator string
	hasLog  bool
	pages   []string // ids, in the order written
	ids     map[string]bool
	entries []harEntry
	held    int64

	shared   map[string]string // words that repeat, each held once
	standIns map[string]int    // numbers of what stands for recorded values, by their hashes

	served map[string]bool // what Serves said

	refused, untimed int
	rttNote          string
}

// A harEntry is one request of a recording. Times are in milliseconds from the Unix epoch, spans in milliseconds; a
// span that is not given is negative.
type harEntry struct {
	at     mark // in the file
	number int  // in the list of entries

	url, scheme, host, path string // url only where others may name it
	method, page, version   string
	mime, resource          string
	headers                 []request.Header
	size                    float64

	start                                           float64
	blocked, dns, connect, ssl, send, wait, receive float64
	whole                                           float64 // time
	timed                                           bool    // start could be read
	initiated                                       bool    // the browser says what the reason was
	initiator                                       string  // URL
	redirect                                        string
	status                                          int
	cached, afterCache, local                       bool
	nothing                                         bool // nothing came over the network
	link                                            int  // index of the entry that it waits for; -1: none
	by                                              linkKind
}

func (h *harReader) read() error {
	c := h.s.peek()
	if c == 0xef { // the first byte of a byte order mark
		for range 3 {
			if h.s.fill() {
				h.s.pos++
			}
		}
		c = h.s.peek()
	}
	switch {
	case h.s.pos == h.s.end && errors.Is(h.s.failure, io.EOF):
		return h.s.fail(h.s.here(), "the file is empty")
	case h.s.pos == h.s.end:
		return h.s.cutShort()
	case c != '{':
		return h.s.fail(h.s.here(), "no HAR: it does not begin with {")
	}
	err := h.s.object(func(name string) error {
		if name != "log" {
			return h.s.skip()
		}
		h.hasLog = true
		return h.s.object(h.logMember)
	})
	if err != nil {
		return err
	}
	if h.s.peek(); h.s.pos < h.s.end {
		return h.s.fail(h.s.here(), "not valid JSON: something follows the last bracket")
	}
	return h.complete()
}

func (h *harReader) complete() error {
	switch {
	case !h.hasLog:
		return h.s.fail(mark{1, 1}, "no HAR: it has no log")
	case h.version == "":
		return h.s.fail(mark{1, 1}, "no HAR: its log has no version")
	case len(h.entries) == 0:
		return h.s.fail(mark{1, 1}, "the recording has no entries")
	}
	return nil
}

func (h *harReader) logMember(name string) (err error) {
	switch name {
	case "version":
		h.version, _, err = h.s.text(maxHARText)
		if err == nil && h.version != "1.2" {
			return h.s.fail(h.s.mark, "version %s of HAR is not read, only 1.2", quoted(h.version))
		}
		return err
	case "creator":
		return h.s.object(func(name string) error {
			if name == "name" {
				return h.word(&h.creator)
			}
			return h.s.skip()
		})
	case "pages":
		return h.s.list(h.page)
	case "entries":
		return h.s.list(h.entry)
	}
	return h.s.skip()
}

func (h *harReader) page() error {
	return h.s.object(func(name string) error {
		if name != "id" {
			return h.s.skip()
		}
		var id string
		if err := h.word(&id); err != nil || id == "" {
			return err
		}
		if h.ids[id] {
			return h.s.fail(h.s.mark, "%s is the id of another page already", quoted(id))
		}
		if len(h.pages) == maxFanRequests {
			return h.s.fail(h.s.mark, "more than %d pages", maxFanRequests)
		}
		h.ids[id] = true
		h.pages = append(h.pages, id)
		return nil
	})
}

// word reads a short text, of which there are few.
func (h *harReader) word(into *string) error {
	text, _, err := h.s.text(maxHARText)
	*into = h.intern(text)
	return err
}

func (h *harReader) intern(text string) string {
	if known, ok := h.shared[text]; ok {
		return known
	}
	if len(h.shared) < maxWords {
		h.shared[text] = text
	}
	h.held += int64(len(text))
	return text
}

func (h *harReader) entry() error {
	h.s.value() //nolint:errcheck // the object is read next, and says the same
	e := harEntry{
		at: h.s.mark, number: len(h.entries), link: -1,
		blocked: -1, dns: -1, connect: -1, ssl: -1, send: -1, wait: -1, receive: -1, whole: -1, size: -1,
	}
	if err := h.s.object(func(name string) error { return h.entryMember(&e, name) }); err != nil {
		return err
	}
	switch {
	case len(h.entries) == maxEntries:
		return h.s.fail(e.at, "more than %d entries", maxEntries)
	case h.held > maxHARBytes:
		return h.s.fail(e.at, "the URLs and headers of the entries so far are longer than %d MB together", maxHARBytes>>20)
	case e.url == "" && !e.local:
		return h.s.fail(e.at, "request.url is missing")
	}
	h.entries = append(h.entries, e)
	return nil
}

func (h *harReader) entryMember(e *harEntry, name string) (err error) {
	switch name {
	case "pageref":
		return h.word(&e.page)
	case "startedDateTime":
		return h.started(e)
	case "time":
		return h.span(&e.whole)
	case "request":
		return h.s.object(func(name string) error { return h.requestMember(e, name) })
	case "response":
		return h.s.object(func(name string) error { return h.responseMember(e, name) })
	case "timings":
		return h.timings(e)
	case "cache":
		return h.optional('{', func() error {
			return h.s.object(func(name string) error {
				e.afterCache = e.afterCache || name == "afterRequest"
				return h.s.skip()
			})
		})
	case "_initiator":
		return h.initiator(e)
	case "_resourceType":
		return h.word(&e.resource)
	case "_fromCache":
		var where string
		err = h.word(&where)
		e.cached = e.cached || where != ""
		return err
	case "_fetchType":
		var kind string
		err = h.word(&kind)
		e.cached = e.cached || kind == "Memory Cache" || kind == "Disk Cache" || kind == "Service Worker"
		return err
	}
	return h.s.skip()
}

// optional reads a value that begins with a bracket, and passes over any other: exporters write null for what is not
// there.
func (h *harReader) optional(bracket byte, read func() error) error {
	c, err := h.s.value()
	if err != nil {
		return err
	}
	if c != bracket {
		return h.s.skip()
	}
	return read()
}

// started reads a time as ISO 8601 has it. An empty one is that of an entry which no request was made for.
func (h *harReader) started(e *harEntry) error {
	text, ok, err := h.s.text(maxHARText)
	if err != nil || text == "" && ok {
		return err
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1900 && t.Year() < 2200 {
			e.start, e.timed = float64(t.UnixMicro())/1000, true
			return nil
		}
	}
	return h.s.fail(h.s.mark, "%s is no time such as 2026-03-02T08:59:58.120Z", quoted(text))
}

// span reads a length of time. -1 says that it does not apply; what lies between it and 0 comes from rounding.
func (h *harReader) span(into *float64) error {
	v, ok, err := h.s.number()
	switch {
	case err != nil || !ok:
		return err
	case v == -1:
		return nil
	case v < -1:
		return h.s.fail(h.s.mark, "%v ms is a negative time", v)
	case v > longestWaitMs:
		return h.s.fail(h.s.mark, "%v ms is longer than a day", v)
	}
	*into = max(v, 0)
	return nil
}

func (h *harReader) timings(e *harEntry) error {
	return h.optional('{', func() error {
		return h.s.object(func(name string) error {
			for _, part := range []struct {
				name string
				into *float64
			}{
				{"blocked", &e.blocked},
				{"dns", &e.dns},
				{"connect", &e.connect},
				{"ssl", &e.ssl},
				{"send", &e.send},
				{"wait", &e.wait},
				{"receive", &e.receive},
			} {
				if part.name == name {
					return h.span(part.into)
				}
			}
			return h.s.skip()
		})
	})
}

func (h *harReader) requestMember(e *harEntry, name string) (err error) {
	switch name {
	case "method":
		return h.word(&e.method)
	case "httpVersion":
		return h.word(&e.version)
	case "url":
		text, ok, err := h.s.text(2 * longestTarget)
		if err != nil {
			return err
		}
		return h.takeURL(e, text, ok)
	case "headers":
		return h.optional('[', func() error { return h.s.list(func() error { return h.header(e) }) })
	}
	return h.s.skip()
}

func (h *harReader) responseMember(e *harEntry, name string) error {
	switch name {
	case "status":
		v, _, err := h.s.number()
		if v >= 100 && v <= 599 {
			e.status = int(v)
		}
		return err
	case "redirectURL":
		text, ok, err := h.s.text(longestTarget)
		if ok {
			e.redirect = text
			h.held += int64(len(text))
		}
		return err
	case "content":
		return h.optional('{', func() error {
			return h.s.object(func(name string) error {
				if name == "mimeType" {
					return h.word(&e.mime)
				}
				return h.s.skip()
			})
		})
	case "_transferSize":
		v, ok, err := h.s.number()
		if ok && v == 0 {
			e.nothing = true
		}
		if ok && v > 0 {
			e.size = v
		}
		return err
	case "bodySize":
		v, ok, err := h.s.number()
		if ok && v > 0 && e.size < 0 {
			e.size = v
		}
		return err
	case "_fetchedViaServiceWorker":
		by, err := h.s.boolean()
		e.cached = e.cached || by
		return err
	}
	return h.s.skip()
}
