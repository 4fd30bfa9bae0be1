package syntax

import (
	"fmt"
	"math"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

const (
	// maxErrors is how many errors a document keeps; the one behind it says that reading stopped.
	maxErrors = 100
	// maxDepth is how deep blocks may nest. nginx has no bound of its own: it recurses until its stack is used up, which
	// is between 10,000 and 15,000 locations where the stack has 8 MB.
	maxDepth = 10_000
	// maxParts is how many words and comments are read: the memory for them is bounded, however large the file is.
	maxParts = 10_000_000
	// maxText is the size of the largest file that is read: places are kept in 32 bits.
	maxText = math.MaxUint32 - 1
)

// fail records what nginx says at offset at, and the bytes [start, end) as those to look at.
func (r *reader) fail(start, end, at int, text string) {
	if r.stopped {
		return
	}
	if len(r.errors) == maxErrors {
		text = fmt.Sprintf("more than %d errors, the rest of the file is not read", maxErrors)
		r.stop()
	}
	r.errors = append(r.errors, Error{
		Span: source.Span{File: r.file, Start: uint32(start), End: uint32(end)},
		Line: r.file.Position(uint32(at)).Line - r.uncounted,
		Text: text,
		Read: uint32(r.pos),
	})
}

// stop lets the text end here.
func (r *reader) stop() {
	r.stopped = true
	r.text = r.text[:r.pos]
	r.limit = r.pos
}

// unexpected refuses c, the byte that is read next or was read last.
func (r *reader) unexpected(c byte, start, end int) {
	r.fail(start, end, r.pos, "unexpected \""+string([]byte{c})+"\"")
}

// unexpectedEnd refuses the text's end within the directive to which [start, end) belongs.
func (r *reader) unexpectedEnd(start, end int) {
	r.fail(start, r.lineEnd(start, end), len(r.text), `unexpected end of file, expecting ";" or "}"`)
}

// tooLong refuses the parameter or comment that starts at mark.
func (r *reader) tooLong() {
	if r.quote != 0 {
		start := r.mark - 1
		r.fail(start, r.lineEnd(start, r.pos), r.mark,
			"too long parameter, probably missing terminating \""+string(rune(r.quote))+"\" character")
		return
	}
	r.fail(r.mark, r.lineEnd(r.mark, r.pos), r.mark, "too long parameter \""+r.text[r.mark:r.mark+10]+"...\" started")
}

// lineEnd cuts [start, end) where the line ends.
func (r *reader) lineEnd(start, end int) int {
	if n := strings.IndexAny(r.text[start:end], "\r\n"); n > 0 {
		return start + n
	}
	return end
}
