package accesslog

import (
	"errors"
	"fmt"
	"strings"
)

// A Reader reads lines of one format, and takes those of others as well where it knows them. Lines are read by its
// Parsers, of which each goroutine needs one of its own.
type Reader struct {
	Format  Format
	Headers []string // variables that are read into Record.Headers

	table  *nameTable
	main   *template // nil for JSON
	others []*template
}

// Options say how lines are to be read.
type Options struct {
	Fields  Fields   // of JSON lines; nil for the names that are known
	Headers []string // further variables that are wanted, such as http_x_api_key or cookie_session; at most MaxHeaders

	Timeless bool // take lines that hold no time; their Record.Time is 0
}

// MaxHeaders bounds Options.Headers.
const MaxHeaders = 100

// NewReader returns a reader of a format. It fails for a format without which a time or a client address can be read.
func NewReader(f Format, o Options) (*Reader, error) {
	if len(o.Headers) > MaxHeaders {
		return nil, fmt.Errorf("read access log: more than %d headers are wanted", MaxHeaders)
	}
	if err := o.Fields.Check(); err != nil {
		return nil, err
	}
	r := &Reader{Format: f, Headers: o.Headers, table: newTable(o.Fields, o.Headers)}
	r.table.timeless = o.Timeless
	if f.Text != "" {
		var err error
		if r.main, err = compile(f, r.table); err != nil {
			return nil, err
		}
	} else if f.Name != JSON.Name {
		return nil, errors.New("read access log: an empty format")
	}
	for _, other := range known {
		if other.Text != f.Text {
			if p, err := compile(other, r.table); err == nil {
				r.others = append(r.others, p)
			}
		}
	}
	return r, nil
}

// A Batch is what was read of a Block.
type Batch struct {
	Records []Record // of the lines that say something, in their order
	Lines   int      // blank ones left aside
	Breaks  int      // how many lines the block has, blank ones and all
	Faults  Faults
}

// A Parser reads blocks.
type Parser struct {
	r     *Reader
	json  jsonLine
	ends  []int32
	clock clockText
	line  line
}

// Parser returns a parser for one goroutine.
func (r *Reader) Parser() *Parser {
	most := 0
	if r.main != nil {
		most = len(r.main.parts)
	}
	for _, p := range r.others {
		most = max(most, len(p.parts))
	}
	p := &Parser{r: r, json: jsonLine{table: r.table}, ends: make([]int32, 2*most)}
	p.line.clock, p.line.timeless = &p.clock, r.table.timeless
	return p
}

// Parse reads a block of whole lines into b, whose memory is used again. The records share the block's text.
func (p *Parser) Parse(block Block, b *Batch) {
	*b = Batch{Records: b.Records[:0]}
	if block.Long {
		b.Lines, b.Breaks = 1, 1
		b.Faults.Count(Long, 0)
		return
	}
	for rest := block.Text; rest != ""; b.Breaks++ {
		text, s := rest, rest
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			s, rest = rest[:end], rest[end+1:]
		} else {
			rest = ""
		}
		s = strings.TrimSuffix(s, "\r")
		if s == "" || block.First && b.Breaks == 0 && s == "\ufeff" {
			continue
		}
		if block.First && b.Breaks == 0 {
			s = strings.TrimPrefix(s, "\ufeff")
			text = strings.TrimPrefix(text, "\ufeff")
		}
		b.Lines++
		p.add(text, len(s), b)
	}
}

// add reads one line of a length, with which a text begins.
func (p *Parser) add(text string, length int, b *Batch) {
	if length > LongestLine {
		b.Faults.Count(Long, int64(b.Breaks))
		return
	}
	if len(b.Records) == cap(b.Records) {
		b.Records = append(b.Records, Record{})
	} else {
		b.Records = b.Records[:len(b.Records)+1]
	}
	r := &b.Records[len(b.Records)-1]
	f := p.read(text, length, r)
	if f != Fine {
		b.Faults.Count(f, int64(b.Breaks))
	}
	if f.Skips() {
		b.Records = b.Records[:len(b.Records)-1]
		return
	}
	r.Line = int32(b.Breaks)
}

// read reads one line, by another format where it is not of the log's.
func (p *Parser) read(text string, length int, r *Record) Fault {
	f := p.decode(p.r.main, text, length, r)
	if f != Foreign && f != Cut {
		return f
	}
	s := text[:length]
	if p.r.main != nil && s[0] == '{' && !p.decode(nil, text, length, r).Skips() {
		return Mixed
	}
	for _, other := range p.r.others {
		if s[0] != '{' && !p.decode(other, text, length, r).Skips() {
			return Mixed
		}
	}
	switch {
	case binary(s):
		return Binary
	case f == Foreign && p.cut(s):
		return Cut
	}
	return f
}

// decode reads a line by a template; nil is that of JSON lines.
func (p *Parser) decode(t *template, text string, length int, r *Record) Fault {
	p.line.begin(r)
	if t == nil {
		return p.json.decode(text, length, &p.line)
	}
	if t.mould != nil {
		if t.mould.read(text, length, &p.line, len(p.r.Headers)) {
			return p.line.end()
		}
		p.line.begin(r)
	}
	s := text[:length]
	if !t.match(s, p.ends) {
		return Foreign
	}
	for n := range t.parts {
		f := t.parts[n].field
		if f == skipped {
			continue
		}
		v := s[p.ends[2*n]:p.ends[2*n+1]]
		if strings.IndexByte(v, '\\') >= 0 {
			v = t.decode(v)
		}
		p.line.set(f, v, len(p.r.Headers))
	}
	return p.line.end()
}

// binary says that a line holds what nginx never writes: it escapes control characters.
func binary(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return true
		}
	}
	return false
}

// cut says whether a line begins as the format does, and ends early.
func (p *Parser) cut(s string) bool {
	t := p.r.main
	if t == nil {
		return false
	}
	if len(s) < len(t.lead) {
		return strings.HasPrefix(t.lead, s)
	}
	if !strings.HasPrefix(s, t.lead) {
		return false
	}
	at := len(t.lead)
	for n := range t.parts {
		end := t.end(n, s, at, at)
		if end < 0 {
			return n > 2 || n == len(t.parts)-1 // what stands before it is of the format
		}
		at = end + len(t.parts[n].literal)
	}
	return false
}
