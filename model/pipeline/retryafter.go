package pipeline

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// Of the headers that nginx itself puts into an answer, one matters to what comes next: Retry-After tells a client's
// code when to ask again. limit_req sends none; add_header does.

// noRetryAfter says that an answer has no such header, or none that tells a time.
const noRetryAfter = -1

// A retryHeader is one add_header of it.
type retryHeader struct {
	value  value.Template
	always bool
}

// retryHeaders returns what add_header says of Retry-After among the headers in effect at a level.
func retryHeaders(headers []*config.AddHeader) []retryHeader {
	var found []retryHeader
	for _, h := range headers {
		if strings.EqualFold(h.Name, "Retry-After") {
			found = append(found, retryHeader{template(h.Value), h.Always})
		}
	}
	return found
}

// withoutAlways are the statuses for which add_header adds without "always".
func withoutAlways(status int) bool {
	switch status {
	case 200, 201, 204, 206, 301, 302, 303, 304, 307, 308:
		return true
	}
	return false
}

// retryAfter returns after how many milliseconds an answer asks to be asked again; noRetryAfter where it does not. It is a
// number of seconds: a date tells no time to a simulation, and is passed over like whatever else is no number.
func (r *run) retryAfter(a answer) int64 {
	if a.conf == nil || a.status == 0 || a.conf.is(noEnd) || len(a.conf.retryAfter) == 0 {
		return noRetryAfter
	}
	r.vars.Status = a.status
	defer func() { r.vars.Status = 0 }()
	said, times := "", 0
	for _, h := range a.conf.retryAfter {
		if !h.always && !withoutAlways(a.status) {
			continue
		}
		r.touch(h.value)
		v := h.value.Eval(r.vars)
		text, known := v.Known()
		switch {
		case !known:
			r.assume("Retry-After: " + v.Reason() + "; it is taken as not sent")
		case text != "":
			said = text
			times++
		}
	}
	if times == 0 {
		return noRetryAfter
	}
	seconds, err := strconv.ParseUint(strings.TrimSpace(said), 10, 31)
	if err != nil || times > 1 {
		r.assume("Retry-After: clients make nothing of " + strconv.Quote(said) + ", which is not one number of seconds")
		return noRetryAfter
	}
	return int64(seconds) * 1000
}

// RetryAfter returns what the answer to a request that is done says of when to ask again, in milliseconds; negative where
// it says nothing.
func (f *Flight) RetryAfter() int64 { return f.at.end.retryAfter }
