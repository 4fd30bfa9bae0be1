package syntax

import "github.com/ngxlimit/ngxlimit/analyzer/source"

// An inFile is a file with the words of all its directives. What can be read off the file's bytes is not kept a second time.
type inFile struct {
	File  *source.File
	words []word
	odd   []Word // whose value is not what stands in the file: escaped, cut off, or code
}

// A word is a place in the file, or, where it is odd, the number of a Word.
type word struct {
	start uint32
	size  uint32 // in bytes, quotes included, with one of the marks below
}

const (
	oddWord    = 1 << 31
	quotedWord = 1 << 30
)

// keep takes words, and returns the number of the first.
func (t *inFile) keep(words []Word) uint32 {
	first := uint32(len(t.words))
	for i := range words {
		t.words = append(t.words, t.pack(&words[i]))
	}
	return first
}

func (t *inFile) pack(w *Word) word {
	size := w.End - w.Start
	if size < quotedWord {
		within := t.File.Text[w.Start:w.End]
		switch {
		case w.Quote == 0 && w.Value == within:
			return word{w.Start, size}
		case w.Quote != 0 && isQuoted(within, w):
			return word{w.Start, size | quotedWord}
		}
	}
	t.odd = append(t.odd, *w)
	return word{uint32(len(t.odd) - 1), oddWord}
}

func isQuoted(within string, w *Word) bool {
	return len(within) == len(w.Value)+2 && within[0] == w.Quote && within[len(within)-1] == w.Quote && within[1:len(within)-1] == w.Value
}

// word puts word i together.
func (t *inFile) word(i uint32) Word {
	w := t.words[i]
	switch size := w.size &^ (oddWord | quotedWord); w.size &^ size {
	case 0:
		return Word{Value: t.File.Text[w.start : w.start+size], Start: w.start, End: w.start + size}
	case quotedWord:
		within := t.File.Text[w.start : w.start+size]
		return Word{Value: within[1 : len(within)-1], Quote: within[0], Start: w.start, End: w.start + size}
	}
	return t.odd[w.start]
}
