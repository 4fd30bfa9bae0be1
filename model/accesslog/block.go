package accesslog

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"
	"unsafe"
)

// LongestLine is the length in bytes from which on a line is passed over. nginx's own buffers for a request line and a
// header are far below.
const LongestLine = 64 << 10

// blockSize is how much is read at a time: what a few blocks and their records take fits into a processor's own cache.
const blockSize = 128 << 10

// A Block is a part of a log that ends with the end of a line, or one line that is too long, of which the text is left
// out.
type Block struct {
	Text  string
	Long  bool
	First bool // of its log

	room []byte // that the text lies in
}

// A Shelf keeps the memory of blocks that nobody needs any more for the next ones. The zero Shelf is ready; it may be used
// by several goroutines.
type Shelf struct {
	Blank bool // overwrite what is given back, so that a test finds who still looks at it

	rooms sync.Pool // of *room
}

// A room is the memory of one block.
type room [blockSize]byte

// Done gives back a block of the shelf. No text that was cut out of it may be looked at afterwards.
func (s *Shelf) Done(b Block) {
	if cap(b.room) == 0 {
		return
	}
	if s.Blank {
		clear(b.room)
	}
	s.rooms.Put((*room)(b.room))
}

func (s *Shelf) take() []byte {
	if r, ok := s.rooms.Get().(*room); ok {
		return r[:]
	}
	return new(room)[:]
}

// Blocks is Shelf.Blocks for blocks that nobody gives back.
func Blocks(r io.Reader) iter.Seq2[Block, error] { return new(Shelf).Blocks(r) }

// Blocks cuts a log into blocks. The error ends it; what was read before has been yielded. The last line need not be
// ended. Blocks that are not given back stay as they are.
func (s *Shelf) Blocks(r io.Reader) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		c := cutter{r: r, shelf: s, buf: s.take()}
		for first := true; ; {
			b := c.next()
			if b.Text == "" && !b.Long {
				if c.err == nil || c.n > 0 {
					continue
				}
				break
			}
			b.First, first = first, false
			if !yield(b, nil) {
				return
			}
		}
		if !errors.Is(c.err, io.EOF) {
			yield(Block{}, c.err)
		}
	}
}

// A cutter reads ahead into a buffer.
type cutter struct {
	r     io.Reader
	shelf *Shelf
	buf   []byte
	n     int   // how much of it is filled
	err   error // that ended the log
	long  bool  // what is read belongs to a line that is too long
}

// next returns the next block, or one without text where there is nothing to return yet.
func (c *cutter) next() Block {
	c.fill()
	end := c.n
	if c.err == nil {
		end = bytes.LastIndexByte(c.buf[:c.n], '\n') + 1
	}
	switch {
	case c.long:
		return c.endLong()
	case end == 0:
		c.long, c.n = c.n > 0, 0
		return Block{}
	}
	b := Block{Text: unsafe.String(&c.buf[0], end), room: c.buf}
	rest := c.buf[end:c.n]
	c.buf = c.shelf.take() // what was handed on is not written to again
	c.n = copy(c.buf, rest)
	return b
}

// fill reads until the buffer is full or the log ends.
func (c *cutter) fill() {
	for idle := 0; c.n < len(c.buf) && c.err == nil; {
		n, err := c.r.Read(c.buf[c.n:])
		c.n, c.err = c.n+n, err
		if n > 0 {
			idle = 0
		} else if idle++; idle == 100 && err == nil {
			c.err = io.ErrNoProgress
		}
	}
}

// endLong looks for the end of a line that is too long.
func (c *cutter) endLong() Block {
	end := bytes.IndexByte(c.buf[:c.n], '\n')
	if end < 0 {
		c.n = 0
		if c.err == nil {
			return Block{}
		}
		end = -1
	}
	c.long = false
	c.n = copy(c.buf, c.buf[end+1:c.n])
	return Block{Long: true}
}
