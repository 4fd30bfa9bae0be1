package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// words tells a limit: "5r/s for each $binary_remote_addr (burst 10, held back)".
func (l *limit) words(conn bool) string {
	if conn {
		return fmt.Sprintf("%s at a time for each %s", connections(l.burst), l.each())
	}
	return fmt.Sprintf("%s for each %s (%s)", l.rateWords(), l.each(), l.burstWords())
}

// each is what is counted apart.
func (l *limit) each() string {
	if l.shown == "" {
		return "key of zone " + l.zone
	}
	return l.shown
}

func (l *limit) rateWords() string {
	switch {
	case l.rate < 0:
		return "an unknown rate"
	case l.perMin > 0:
		return strconv.FormatInt(l.perMin, 10) + "r/m"
	}
	return thousandths(l.rate) + "r/s"
}

// burstWords tells what excess is taken, and whether it waits.
func (l *limit) burstWords() string {
	if l.burst == 0 {
		return "no burst"
	}
	text := "burst " + thousandths(l.burst)
	switch {
	case l.instant >= l.burst:
		return text + " at once"
	case l.instant > 0:
		return fmt.Sprintf("%s, %s of it at once", text, thousandths(l.instant))
	}
	return text + ", held back"
}

// becomes tells what a limit was and what it is.
func (l *limit) becomes(n *limit, conn bool) string {
	if conn {
		return fmt.Sprintf("for each %s %s at a time instead of %s", n.each(), connections(n.burst), thousandths(l.burst))
	}
	var now, was []string
	if l.rate != n.rate {
		now, was = append(now, n.rateWords()), append(was, l.rateWords())
	}
	if l.burst != n.burst || l.instant != n.instant {
		now, was = append(now, n.burstWords()), append(was, l.burstWords())
	}
	return fmt.Sprintf("for each %s %s instead of %s", n.each(), strings.Join(now, " with "), strings.Join(was, " with "))
}

func connections(milli int64) string {
	if milli == 1000 {
		return "1 request"
	}
	return thousandths(milli) + " requests"
}

// thousandths writes a number without idle zeros.
func thousandths(n int64) string {
	s := strconv.FormatInt(n/1000, 10)
	if rest := n % 1000; rest != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%03d", rest), "0")
	}
	return s
}
