package traffic

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Recording is what a browser's developer tools exported of one or several pages (HAR 1.2), made into a fan. Bodies,
// cookies and credentials are never kept.
type Recording struct {
	Fan    *Fan
	Scheme string // of the recorded page: "http" or "https"
	Host   string // likewise, with its port where that is not the scheme's own
	Pages  []RecordedPage

	Left  LeftOut
	Links Links
	Said  []string // what was made of the recording, for people
}

// A RecordedPage is one page of a recording.
type RecordedPage struct {
	ID       string
	Requests int // of those that the fan has
}

// LeftOut counts the requests of a recording that are not in its fan.
type LeftOut struct {
	OtherHosts  []HostCount // most requests first
	OtherScheme int         // to the page's host over the other of http and https
	OtherPages  int         // where one page was asked for
	Local       int         // data:, blob: and other URLs that ask no server
	Cached      int         // answered by the browser's cache or by a service worker
	Unanswered  int         // given up or blocked before an answer came
	TooLong     int         // with a path that no nginx takes
}

// A HostCount is how many requests went to a host.
type HostCount struct {
	Host     string
	Requests int
}

// Links counts how it was found what the fan's requests waited for.
type Links struct {
	Start      int // at nothing: first requests
	Redirects  int // at the redirect that led to them
	Initiators int // at what the browser names
	Timing     int // at the answer that had come last, of those that could be the reason
	Pages      int // at the page before, which a person looked at
}

// Keep says what is kept of a header.
type Keep uint8

// What may be kept.
const (
	Nothing Keep = iota
	Presence
	Content
)

// HAROptions say what is wanted of a recording.
type HAROptions struct {
	Name string // of the fan
	// Host is the host whose requests are wanted, where the recording has it; "": that of the first page.
	Host string
	// Serves says whether a host is one of the user's; nil: nothing is known. Where Host is "" the first page from such a
	// host counts, since a recording may begin at another, to log in.
	Serves func(host string) bool
	Page   string // ID of the only page that is wanted; "": all of them, one after the other
	// Header says what to keep of a header; nil keeps none. Of Presence a value of its own for each client and each
	// recorded value takes the place of what was recorded. Cookie and Authorization are never kept with their content.
	Header func(name string) Keep
	// Cookie says of which cookies to keep that they were there, likewise with a value that stands for the recorded one.
	Cookie func(name string) bool
}

// Bounds of a recording: entries, and bytes of their URLs and headers together. A recorded day is below them.
const (
	maxEntries  = 200_000
	maxHARBytes = 64 << 20
	maxHARText  = 4 << 10 // of a word that is looked at: an id, a type of content, a time
)

// ReadHAR reads a recording. Its memory follows the number of requests and their URLs, not the bodies. What is wrong with
// the file comes as a *FileError.
func ReadHAR(r io.Reader, o HAROptions) (*Recording, error) {
	h := &harReader{s: newJSONStream(r), opts: o, shared: map[string]string{}, standIns: map[string]int{}, ids: map[string]bool{}, served: map[string]bool{}}
	if err := h.read(); err != nil {
		return nil, locateStream(err)
	}
	rec, err := h.recording()
	if err != nil {
		return nil, locateStream(err)
	}
	return rec, rec.Fan.check()
}

// locateStream turns an error that knows its place into one that shows it.
func locateStream(err error) error {
	p, ok := errors.AsType[*placed](err)
	if !ok {
		return err
	}
	out := &FileError{Line: p.line, Column: int(p.column), Err: p.err}
	if f, ok := errors.AsType[*fault](err); ok {
		out.Path = pathOf(f.steps)
	}
	return out
}

// notes words what was made of a recording.
func (r *Recording) notes(h *harReader) []string {
	var list []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			list = append(list, one)
		case n > 1:
			list = append(list, fmt.Sprintf(many, n))
		}
	}
	list = append(list, r.linkNote())
	if n := len(r.Left.OtherHosts); n > 0 {
		list = append(list, hostNote(r.Left.OtherHosts))
	}
	say(r.Left.OtherScheme, "1 request to the host over the other of http and https is left out", "%d requests to the host over the other of http and https are left out")
	say(r.Left.OtherPages, "1 request of another page is left out", "%d requests of other pages are left out")
	say(r.Left.Cached, "1 request that the browser's cache or a service worker answered is left out", "%d requests that the browser's cache or a service worker answered are left out")
	say(r.Left.Local, "1 URL that asks no server (data:, blob:) is left out", "%d URLs that ask no server (data:, blob:) are left out")
	say(r.Left.Unanswered, "1 request without an answer is left out", "%d requests without an answer are left out")
	say(r.Left.TooLong, "1 request with a path that nginx would not take is left out", "%d requests with a path that nginx would not take are left out")
	say(h.refused, "1 answer is 429 or 503: a limit was at work, and what hangs on it was not recorded",
		"%d answers are 429 or 503: a limit was at work, and what hangs on them was not recorded")
	say(h.untimed, "1 answer has no waiting time and is taken to take as long as is usual for its kind",
		"%d answers have no waiting time and are taken to take as long as is usual for their kind")
	if len(r.Pages) > 1 {
		list = append(list, fmt.Sprintf("%d pages are loaded one after the other, each as long after the one before it was there as recorded", len(r.Pages)))
	}
	return append(list, h.rttNote)
}

func (r *Recording) linkNote() string {
	var parts []string
	for _, l := range []struct {
		n         int
		one, many string
	}{
		{r.Links.Start, "1 begins", "%d begin"},
		{r.Links.Initiators, "1 waits for what the browser names as its initiator", "%d wait for what the browser names as their initiators"},
		{r.Links.Redirects, "1 follows a redirect", "%d follow redirects"},
		{r.Links.Timing, "1 waits for the last answer before it that could be its reason", "%d wait for the last answers before them that could be their reasons"},
		{r.Links.Pages, "1 begins a page that a person went on to", "%d begin pages that a person went on to"},
	} {
		switch {
		case l.n == 1:
			parts = append(parts, l.one)
		case l.n > 1:
			parts = append(parts, fmt.Sprintf(l.many, l.n))
		}
	}
	return fmt.Sprintf("%d requests: %s", len(r.Fan.Requests), strings.Join(parts, ", "))
}

func hostNote(hosts []HostCount) string {
	const shown = 3
	n := 0
	names := make([]string, 0, shown+1)
	for i, h := range hosts {
		n += h.Requests
		if i < shown {
			names = append(names, fmt.Sprintf("%s %d", h.Host, h.Requests))
		}
	}
	if len(hosts) > shown {
		names = append(names, fmt.Sprintf("%d more hosts", len(hosts)-shown))
	}
	if n == 1 {
		return "1 request to another host is left out (" + names[0] + ")"
	}
	return fmt.Sprintf("%d requests to other hosts are left out (%s)", n, strings.Join(names, ", "))
}

// never are headers whose content is not kept, whoever asks.
var never = []string{"cookie", "authorization", "proxy-authorization", "set-cookie"}

func (o *HAROptions) keep(name string) Keep {
	if o.Header == nil {
		return Nothing
	}
	k := o.Header(name)
	if k == Content && slices.Contains(never, strings.ToLower(name)) {
		return Presence
	}
	return k
}
