package rule

import (
	"math"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/numeral"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/model/clock"
)

// maxQuoted bounds a directive quoted in a message.
const maxQuoted = 60

// Quoted is a directive's head as a message names it: its words with one space between, cut where they go on for long.
func Quoted(d *syntax.Directive) string {
	var b strings.Builder
	b.WriteString(d.Name().Value)
	for _, w := range d.Args() {
		b.WriteByte(' ')
		b.WriteString(w.Value)
		if b.Len() > maxQuoted {
			return strings.ToValidUTF8(b.String()[:maxQuoted], "") + "..."
		}
	}
	return b.String()
}

// Duration writes milliseconds for people, cut to hundredths of a second where seconds are written: "34 ms", "1.87 s",
// "62.5 s", "10 min", "2 min 5 s", "3 h 20 min".
func Duration(ms int64) string {
	switch {
	case ms < 0:
		return "-" + Duration(-ms)
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 120_000:
		return Milli(ms/10*10) + " s"
	}
	return clock.Long(ms)
}

// AtMost writes milliseconds that something stays below or reaches at most: as Duration does, but rounded up where that
// cuts, so that no bound is named that is passed.
func AtMost(ms int64) string {
	unit := int64(1)
	switch {
	case ms < 1000 || ms > math.MaxInt64-60_000:
	case ms < 120_000:
		unit = 10
	case ms < 3_600_000:
		unit = 1000
	default:
		unit = 60_000
	}
	return Duration((ms + unit - 1) / unit * unit)
}

// Exactly writes milliseconds for people with nothing cut off: "34 ms", "12.049 s".
func Exactly(ms int64) string {
	if -1000 < ms && ms < 1000 {
		return Duration(ms)
	}
	return Milli(ms) + " s"
}

// Rate writes thousandths of a request per second as a configuration would: "5r/s", "0.166r/s" for what nginx keeps of
// 10r/m.
func Rate(milli int64) string { return Milli(milli) + "r/s" }

// RateOf writes a zone's rate in the unit in which the configuration has it: "10r/m", of which nginx keeps 0.166r/s.
func RateOf(z *config.Zone) string {
	if z.PerMinute > 0 {
		return strconv.FormatInt(z.PerMinute, 10) + "r/m"
	}
	return Rate(z.Rate)
}

// Milli writes thousandths as a decimal number without idle zeros: 5000 is "5", 166 is "0.166".
func Milli(n int64) string {
	if n < 0 {
		return "-" + Milli(-n)
	}
	s := strconv.FormatInt(n/1000, 10)
	if rest := n % 1000; rest != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(1000+rest, 10)[1:], "0")
	}
	return s
}

// Count writes a whole number with commas: "8,095".
func Count(n int64) string { return numeral.Count(n) }

// Plural returns one or many, as the number demands, behind the number: "1 request", "3 requests".
func Plural(n int64, one, many string) string { return numeral.Plural(n, one, many) }

// Some writes a list for people: all of a few, and of many the first three and how many more there are.
func Some(names []string) string {
	const shown = 3
	if len(names) <= shown+1 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + " and " + Count(int64(len(names)-shown)) + " more"
}
