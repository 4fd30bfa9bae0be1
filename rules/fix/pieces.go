package fix

import "strings"

// pieces are a text that was edited, in terms of what it was at first: what is left of it, with what was put in between.
// They tell the exact difference however many rounds it took.
type pieces struct {
	original string
	list     []piece
}

// A piece is a range of the original, or new text.
type piece struct {
	start, end int
	text       string // where start is -1
}

func newPieces(text string) *pieces {
	return &pieces{text, []piece{{start: 0, end: len(text)}}}
}

func (p piece) len() int {
	if p.start < 0 {
		return len(p.text)
	}
	return p.end - p.start
}

// cut returns the part of the piece from one offset within it to another.
func (p piece) cut(from, to int) piece {
	if p.start < 0 {
		return piece{-1, -1, p.text[from:to]}
	}
	return piece{start: p.start + from, end: p.start + to}
}

// apply makes edits, in order, of the text as it is now.
func (p *pieces) apply(edits []edit) {
	var list []piece
	at := 0 // of the text as it is now
	next := 0
	add := func(one piece) {
		if one.len() > 0 {
			list = append(list, one)
		}
	}
	for _, one := range p.list {
		from, end := 0, one.len()
		for next < len(edits) && edits[next].start < at+end {
			e := edits[next]
			if e.start >= at+from {
				add(one.cut(from, e.start-at))
				add(piece{-1, -1, e.text})
				from = e.start - at
			}
			from = min(max(from, e.end-at), end)
			if e.end > at+end {
				break // it goes on in the next piece
			}
			next++
		}
		add(one.cut(from, end))
		at += end
	}
	for ; next < len(edits); next++ {
		if edits[next].start >= at {
			add(piece{-1, -1, edits[next].text})
		}
	}
	p.list = list
}

// within returns the difference to a part of the original, as edits of that part in order.
func (p *pieces) within(from, to int) []edit {
	var edits []edit
	at := 0 // of the original: everything before is accounted for
	var put strings.Builder
	flush := func(until int) {
		if put.Len() == 0 && at == until {
			return
		}
		if at >= from && until <= to {
			edits = append(edits, edit{start: at - from, end: until - from, text: put.String()})
		}
		put.Reset()
	}
	for _, one := range p.list {
		if one.start < 0 {
			put.WriteString(one.text)
			continue
		}
		flush(one.start)
		at = one.end
	}
	flush(len(p.original))
	return edits
}
