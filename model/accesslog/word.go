package accesslog

// What is read of each line is looked at eight bytes at a time: a word holds eight bytes of text, the first one lowest.
const (
	wordBytes = 8
	ones      = 0x0101010101010101
	highs     = 0x80 * ones
)

// wordAt returns the eight bytes from a place on, all of which are there.
func wordAt(s string, i int) uint64 {
	t := s[i : i+wordBytes]
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 | uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}

// wordOf returns a text of at most eight bytes, and which bits of the word are its own.
func wordOf(s string) (word, mask uint64) {
	for i := range len(s) {
		word |= uint64(s[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return word, mask
}

// areDigits says whether the bytes that a mask names are all digits.
func areDigits(w, mask uint64) bool {
	const zeros, six = '0' * ones, 6 * ones
	w = w&mask | zeros&^mask
	return w&(0xf0*ones) == zeros && (w+six)&(0xf0*ones) == zeros
}

// eightDigits is the number that a word of digits says.
func eightDigits(w uint64) int64 {
	w &= 0x0f * ones
	w = (w*10 + w>>8) & 0x00ff00ff00ff00ff
	w = (w*100 + w>>16) & 0x0000ffff0000ffff
	return int64((w*10_000 + w>>32) & 0xffffffff)
}

// A stop is a text that is looked for at one place again and again.
type stop struct {
	text  string
	words [2]struct{ word, mask uint64 } // its first sixteen bytes
}

func stopOf(text string) stop {
	s := stop{text: text}
	for i := range s.words {
		at := text[min(i*wordBytes, len(text)):]
		s.words[i].word, s.words[i].mask = wordOf(at[:min(len(at), wordBytes)])
	}
	return s
}

// at says whether a text holds it at a place, which is not behind the text's end.
func (p *stop) at(s string, i int) bool {
	n := len(p.text)
	if len(s)-i < 2*wordBytes || n > 2*wordBytes {
		return len(s)-i >= n && s[i:i+n] == p.text
	}
	return wordAt(s, i)&p.words[0].mask == p.words[0].word && wordAt(s, i+wordBytes)&p.words[1].mask == p.words[1].word
}
