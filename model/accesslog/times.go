package accesslog

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Times before earliest or from latest on are in no log of nginx.
const (
	earliest = 946684800000  // 2000
	latest   = 4102444800000 // 2100
)

// clockText reads times in the ways that logs write them. Lines of one second write the same text, which is read once.
type clockText struct {
	text      []byte // a copy: it outlives the block
	ms        int64
	precision int16
	blank     bool // text holds one
}

// read returns milliseconds since 1970, and how exact they are.
func (c *clockText) read(s string) (ms int64, precision int16, ok bool) {
	if string(c.text) == s && s != "" {
		return c.ms, c.precision, true
	}
	switch {
	case len(s) < 10:
		return 0, 0, false
	case s[4] == '-':
		ms, precision, ok = iso(s)
	case s[2] == '/':
		ms, ok = local(s)
		precision = 1000
	default:
		return number(s)
	}
	if ok {
		c.text = append(c.text[:0], s...)
		c.ms, c.precision, c.blank = ms, precision, strings.IndexByte(s, ' ') >= 0
	}
	return ms, precision, ok
}

// ParseTime reads a time in any way that a log may write it, in milliseconds since 1970. A day alone is its beginning.
func ParseTime(s string) (ms int64, ok bool) {
	if len(s) == len("2026-03-02") && s[4] == '-' {
		s += "T00:00:00"
	}
	ms, _, ok = new(clockText).read(s)
	return ms, ok
}

// number reads seconds since 1970 as $msec has them, or a number of milli-, micro- or nanoseconds, by its length.
func number(s string) (ms int64, precision int16, ok bool) {
	if len(s) == len("1772409600.063") && s[10] == '.' {
		if ms, ok := fixed(s, 10); ok { // as nginx writes it
			return ms, 1, true
		}
	}
	whole, fraction, dotted := strings.Cut(s, ".")
	n, ok := digits(whole)
	switch {
	case !ok:
		return exponent(s)
	case dotted:
		thousandths, ok := thousandths(fraction)
		return n*1000 + thousandths, precisionOf(len(fraction)), ok && len(whole) <= 11
	case len(whole) <= 11:
		return n * 1000, 1000, true
	case len(whole) <= 14:
		return n, 1, true
	case len(whole) <= 17:
		return n / 1000, 1, true
	}
	return n / 1_000_000, 1, true
}

// exponent reads what few writers of JSON write: 1.772409600063e9.
func exponent(s string) (ms int64, precision int16, ok bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v < 1e11) {
		return 0, 0, false
	}
	return int64(math.Round(v * 1000)), 1, true
}

func precisionOf(decimals int) int16 {
	if decimals >= 3 {
		return 1
	}
	return 1000 // tenths and hundredths are not told apart from it
}

// thousandths reads the digits behind a point, cut off after the third.
func thousandths(s string) (int64, bool) {
	n := int64(0)
	for i := range max(len(s), 3) {
		d := byte('0')
		if i < len(s) {
			d = s[i]
		}
		if d < '0' || d > '9' {
			return 0, false
		}
		if i < 3 {
			n = n*10 + int64(d-'0')
		}
	}
	return n, true
}

// fixed reads a number with a point at a place, and three digits behind it, in thousandths. It has few digits.
func fixed(s string, point int) (thousandths int64, ok bool) {
	n := int64(0)
	for i := range len(s) {
		if i == point {
			continue
		}
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	return n, true
}

// digits reads a whole number of at most 18 digits.
func digits(s string) (int64, bool) {
	if s == "" || len(s) > 19 {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 || n > (math.MaxInt64-9)/10 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	return n, true
}

// iso reads 2026-03-02T08:00:00+01:00, with a fraction or a blank or without a zone, which is then UTC.
func iso(s string) (ms int64, precision int16, ok bool) {
	if len(s) < 19 || s[7] != '-' || s[10] != 'T' && s[10] != ' ' && s[10] != 't' || s[13] != ':' || s[16] != ':' {
		return 0, 0, false
	}
	ms, ok = instant(s[:4], s[5:7], s[8:10], s[11:13], s[14:16], s[17:19])
	rest := s[19:]
	precision = 1000
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
		n := 1
		for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		fraction, fine := thousandths(rest[1:n])
		ms, ok, precision, rest = ms+fraction, ok && fine, precisionOf(n-1), rest[n:]
	}
	offset, fine := zoneOf(rest)
	return ms - offset, precision, ok && fine
}

var months = map[string]string{
	"Jan": "01", "Feb": "02", "Mar": "03", "Apr": "04", "May": "05", "Jun": "06",
	"Jul": "07", "Aug": "08", "Sep": "09", "Oct": "10", "Nov": "11", "Dec": "12",
}

// local reads 02/Mar/2026:08:00:00 +0100.
func local(s string) (ms int64, ok bool) {
	if len(s) < 20 || s[6] != '/' || s[11] != ':' || s[14] != ':' || s[17] != ':' {
		return 0, false
	}
	ms, ok = instant(s[7:11], months[s[3:6]], s[0:2], s[12:14], s[15:17], s[18:20])
	offset, fine := zoneOf(strings.TrimPrefix(s[20:], " "))
	return ms - offset, ok && fine
}

// zoneOf reads the offset from UTC: "", Z, +01:00, +0100, +01.
func zoneOf(s string) (ms int64, ok bool) {
	if s == "" || s == "Z" || s == "z" {
		return 0, true
	}
	var hours string
	minutes := "00"
	switch {
	case len(s) == 3:
		hours = s[1:]
	case len(s) == 5:
		hours, minutes = s[1:3], s[3:]
	case len(s) == 6 && s[3] == ':':
		hours, minutes = s[1:3], s[4:]
	default:
		return 0, false
	}
	h, ok1 := digits(hours)
	m, ok2 := digits(minutes)
	if !ok1 || !ok2 || h > 24 || m > 59 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	ms = (h*60 + m) * 60_000
	if s[0] == '-' {
		ms = -ms
	}
	return ms, true
}

func instant(year, month, day, hour, minute, second string) (ms int64, ok bool) {
	var n [6]int
	for i, text := range [...]string{year, month, day, hour, minute, second} {
		v, fine := digits(text)
		if !fine {
			return 0, false
		}
		n[i] = int(v)
	}
	if n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 24 || n[4] > 59 || n[5] > 60 {
		return 0, false
	}
	return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC).UnixMilli(), true
}

// longest is the longest time that one request may take to be believed, in milliseconds: eleven days.
const longest = 1_000_000_000

// took reads a time in seconds as $request_time has it, in milliseconds; Unknown where it is none.
func took(s string) int32 {
	if len(s) == len("0.063") && s[1] == '.' {
		if ms, ok := fixed(s, 1); ok {
			return int32(ms)
		}
	}
	whole, fraction, _ := strings.Cut(s, ".")
	n, ok1 := digits(whole)
	part, ok2 := thousandths(fraction)
	if !ok1 || !ok2 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v*1000 <= longest) {
			return Unknown
		}
		return int32(math.Round(v * 1000))
	}
	if n > longest/1000 {
		return Unknown
	}
	return int32(n*1000 + part)
}

// tookMs is took for a number of milliseconds.
func tookMs(s string) int32 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= longest) {
		return Unknown
	}
	return int32(math.Round(v))
}

// upstream reads $upstream_response_time: the times of several upstreams stand behind one another, after commas for the
// next server and colons for the next group. They are added up.
func upstream(s string, one func(string) int32) int32 {
	if s == "" || s == "-" {
		return NoUpstream
	}
	if strings.IndexByte(s, ',') < 0 && strings.IndexByte(s, ' ') < 0 {
		return one(s)
	}
	sum, any := int32(0), false
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ':' || r == ' ' }) {
		if part == "-" {
			continue
		}
		v := one(part)
		if v < 0 {
			return Unknown
		}
		sum, any = min(sum+v, longest), true
	}
	if !any {
		return NoUpstream
	}
	return sum
}
