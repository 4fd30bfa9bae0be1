package accesslog

// What nginx writes has mostly one form: seconds have three decimals, a status has three digits, a time is the one of the
// line before. A value of such a form is read while its end is looked for.

const (
	msecText   = "1772409600.063"
	tookText   = "0.063"
	statusText = "200"

	tookDigits   = 0xff_ff_ff_00_ff // which bytes of a word are digits
	tookPoint    = '.' << 8
	statusDigits = 0xff_ff_ff

	passedText  = "PASSED"
	passedWord  = 'P' | 'A'<<8 | 'S'<<16 | 'S'<<24 | 'E'<<32 | 'D'<<40
	passedBytes = 1<<(8*len(passedText)) - 1

	usualRoom = len(msecText) + wordBytes // that what is read in one go takes at most, and more
)

// formed says whether the values of a field have a usual form.
func formed(f field) bool {
	switch f {
	case anyTime, msecTime, requestTime, upstreamTime, status, limitReq:
		return true
	default:
		return false
	}
}

// usual fills in the value that begins at i, where it is of its field's usual form, and returns where it ends; -1 for any other.
// s may hold more than the line.
func (p *mouldPart) usual(s string, i int, l *line) int {
	w := wordAt(s, i)
	switch p.field {
	case anyTime:
		t := l.clock.text
		if n := i + len(t); len(t) == 0 || p.word && l.clock.blank || n >= len(s) || s[n] != p.end || s[i:n] != string(t) {
			return -1
		}
		if !l.bestTime && !l.anyTime {
			l.Time, l.Precision, l.anyTime = l.clock.ms, l.clock.precision, true
		}
		return i + len(t)
	case msecTime:
		ms, ok := usualMsec(w, wordAt(s, i+wordBytes))
		if !ok || s[i+len(msecText)] != p.end {
			return -1
		}
		if !l.bestTime {
			l.Time, l.Precision, l.bestTime = ms, 1, true
		}
		return i + len(msecText)
	case requestTime:
		if !usualTook(w, p.end) {
			return -1
		}
		l.RequestMs = tookOf(w)
		return i + len(tookText)
	case upstreamTime:
		switch {
		case byte(w) == p.end:
			l.UpstreamMs = NoUpstream
			return i
		case !usualTook(w, p.end):
			return -1
		}
		l.UpstreamMs = tookOf(w)
		return i + len(tookText)
	case status:
		if byte(w>>(8*len(statusText))) != p.end || !areDigits(w, statusDigits) {
			return -1
		}
		l.Status = int16(w&0xf)*100 + int16(w>>8&0xf)*10 + int16(w>>16&0xf)
		return i + len(statusText)
	case limitReq:
		switch {
		case byte(w) == p.end:
			l.LimitReq = None
			return i
		case w&passedBytes == passedWord && byte(w>>(8*len(passedText))) == p.end:
			l.LimitReq = Passed
			return i + len(passedText)
		}
		return -1
	default:
		return -1
	}
}

// usualTook says that a word begins with 0.063 and a byte behind it, and tookOf is how many milliseconds it says.
func usualTook(w uint64, end byte) bool {
	return byte(w>>(8*len(tookText))) == end && w&0xff00 == tookPoint && areDigits(w, tookDigits)
}

func tookOf(w uint64) int32 {
	return int32(w&0xf)*1000 + int32(w>>16&0xf)*100 + int32(w>>24&0xf)*10 + int32(w>>32&0xf)
}

// usualMsec reads seconds with milliseconds that stand in two words.
func usualMsec(w, next uint64) (ms int64, ok bool) {
	const nextDigits = 0xff_ff_ff_00_ff_ff // behind the eighth digit: 00.063
	if next>>16&0xff != '.' || !areDigits(w, 1<<64-1) || !areDigits(next, nextDigits) {
		return 0, false
	}
	rest := int64(next&0xf)*10_000 + int64(next>>8&0xf)*1_000 + int64(next>>24&0xf)*100 + int64(next>>32&0xf)*10 + int64(next>>40&0xf)
	return eightDigits(w)*100_000 + rest, true
}
