package traffic

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// longestHeader bounds a header that is looked at.
const longestHeader = 8 << 10

// header reads a header of a request and keeps of it what was asked for. What is not kept is not held either.
func (h *harReader) header(e *harEntry) error {
	var name, value string
	whole := true
	err := h.s.object(func(member string) (err error) {
		var ok bool
		switch member {
		case "name":
			name, ok, err = h.s.text(longestHeader)
		case "value":
			value, ok, err = h.s.text(longestHeader)
		default:
			return h.s.skip()
		}
		whole = whole && ok
		return err
	})
	if err != nil || !whole || !token(name) || len(e.headers) >= maxHeaders || sameName(request.Header{Name: name}, request.Header{Name: "Host"}) {
		return err // names that begin with a colon are HTTP/2's own
	}
	switch keep := h.opts.keep(name); {
	case strings.EqualFold(name, "Cookie"):
		value = h.cookies(value, keep)
	case keep == Nothing:
		return nil
	case keep == Presence:
		value = h.standIn(strings.ToLower(name), value)
	}
	if value == "" || strings.ContainsAny(value, "\r\n\x00") {
		return nil
	}
	h.held += int64(len(name) + len(value))
	e.headers = append(e.headers, request.Header{Name: h.intern(name), Value: value})
	return nil
}

// cookies are those that were asked for, with other values.
func (h *harReader) cookies(line string, whole Keep) string {
	var kept []string
	for pair := range strings.SplitSeq(line, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if token(name) && h.opts.Cookie != nil && h.opts.Cookie(name) {
			kept = append(kept, name+"="+h.standIn("cookie "+name, value))
		}
	}
	if whole != Nothing {
		kept = append(kept, "recorded="+h.standIn("cookie", line))
	}
	return strings.Join(kept, "; ")
}

// standIn is what is sent in the place of a recorded value: the same for the same value of one client, another for
// another value or client.
func (h *harReader) standIn(of, value string) string {
	sum := fnv.New128a()
	sum.Write([]byte(of + "\x00" + value))
	key := string(sum.Sum(nil))
	n, known := h.standIns[key]
	if !known {
		n = len(h.standIns) + 1
		h.standIns[key] = n
	}
	return fmt.Sprintf("recorded-%d-%s", n, clientPlaceholder)
}

// initiator reads whom the browser names as the reason of a request: a document that was parsed, or the topmost script
// of a stack that has an address.
func (h *harReader) initiator(e *harEntry) error {
	return h.optional('{', func() error {
		e.initiated = true
		return h.s.object(func(name string) error {
			switch name {
			case "url":
				return h.reason(e)
			case "stack":
				return h.stack(e, 0)
			}
			return h.s.skip()
		})
	})
}

// deepestStack bounds how far the callers of callers are followed.
const deepestStack = 32

func (h *harReader) stack(e *harEntry, depth int) error {
	if depth == deepestStack {
		return h.s.skip()
	}
	return h.optional('{', func() error {
		return h.s.object(func(name string) error {
			switch name {
			case "callFrames":
				return h.optional('[', func() error { return h.s.list(func() error { return h.frame(e) }) })
			case "parent":
				return h.stack(e, depth+1)
			}
			return h.s.skip()
		})
	})
}

func (h *harReader) frame(e *harEntry) error {
	return h.s.object(func(name string) error {
		if name == "url" {
			return h.reason(e)
		}
		return h.s.skip()
	})
}

// reason takes the first address that there is.
func (h *harReader) reason(e *harEntry) error {
	if e.initiator != "" {
		return h.s.skip()
	}
	text, whole, err := h.s.text(2 * longestTarget)
	if at := strings.IndexByte(text, '#'); at >= 0 {
		text = text[:at]
	}
	if scheme, _, ok := strings.Cut(text, "://"); whole && ok && strings.HasPrefix(strings.ToLower(scheme), "http") {
		e.initiator = h.intern(sent(text))
	}
	return err
}

// grouped puts the lines of one name together, as a fan file has them.
func grouped(lines []request.Header) []request.Header {
	var out []request.Header
	done := map[string]bool{}
	for i, h := range lines {
		if done[h.Name] {
			continue
		}
		done[h.Name] = true
		for _, other := range lines[i:] {
			if other.Name == h.Name {
				out = append(out, other)
			}
		}
	}
	return out
}
