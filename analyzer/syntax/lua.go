package syntax

import "strings"

// luaSuffix ends the name of every directive whose block the Lua module reads, and not nginx.
const luaSuffix = "_by_lua_block"

// resumeSize is how far the end of a block of code is looked for behind an error.
const resumeSize = 1 << 20

// A luaToken is what the Lua module's reader stops at. Everything between two of them it skips.
type luaToken uint8

const (
	luaNone luaToken = iota
	luaOpen
	luaClose
	luaOther   // a string in quotes, a line comment, or a closing long bracket that nothing opened
	luaBracket // the opening long bracket of a string or comment
)

// A luaReader reads a block of code as the Lua module does. It knows Lua's strings, long brackets and comments, but
// only as far as the window reaches: the module looks at no more than the buffer, which it refills when less than half
// of it is left.
type luaReader struct {
	*reader
	resumed  bool   // reading on behind an error, in a window that stays
	brace    int    // offset of the "{" seen last
	before   int    // uncounted at that place
	hopeless [2]int // up to where a "\"" or "'" opens no string, because the line or the window ends first
}

// lua reads the body of a block of code up to its "}", as one more word of its directive.
func (p *parser) lua(block *Block) {
	start := p.pos
	l := luaReader{reader: &p.reader, brace: start - 1, before: p.uncounted}
	closed := l.body()
	if !closed {
		closed = l.resume(start)
	}
	block.Code = true
	end := p.pos
	if closed {
		end--
		block.Close, block.Closed = uint32(end), true
	} else {
		p.stop() // the end has been refused once
	}
	p.mark, p.limit = p.pos, max(p.limit, p.pos)
	p.push(start, end, 0, p.text[start:end], false)
}

// body reads behind the "}" that ends the block; false after an error.
func (l *luaReader) body() bool {
	for depth := 1; ; {
		token, ok := l.token()
		switch {
		case !ok:
			return false
		case token == luaOpen:
			depth++
			l.brace, l.before = l.pos-1, l.uncounted
		case token == luaClose:
			if depth--; depth == 0 {
				return true
			}
		}
	}
}

// token reads behind the next token. The text up to it has to fit into the buffer.
func (l *luaReader) token() (luaToken, bool) {
	first, start, uncounted := l.pos, l.pos, 0
	for {
		if l.pos >= l.limit || l.limit-l.pos < bufferSize/2 && l.limit < len(l.text) {
			if !l.refill(first, start) {
				return luaNone, false
			}
		}
		token, from, to := l.find()
		if token == luaNone {
			// The module goes on behind what it has seen: it misses a token that the window's end cut in two, and
			// does not count the lines.
			seen := l.limit
			if !l.refill(first, l.pos) {
				return luaNone, false
			}
			uncounted += strings.Count(l.text[l.pos:seen], "\n")
			l.pos, start = seen, l.pos
			continue
		}
		l.uncounted += uncounted
		if token == luaBracket {
			return luaOther, l.longBracket(from, to)
		}
		l.pos = to
		return token, true
	}
}

// refill slides the window so that it begins at start. An error names the line of the token's first byte.
func (l *luaReader) refill(first, start int) bool {
	switch {
	case l.resumed:
		return false
	case l.limit >= len(l.text):
		l.uncounted = l.before
		l.refuse(l.brace, "unexpected end of file, expecting terminating characters for lua code block")
		return false
	case l.limit-start >= bufferSize:
		l.refuse(first, "too long lua code block, probably missing terminating characters")
		return false
	}
	l.limit = min(start+bufferSize, len(l.text))
	l.hopeless = [2]int{}
	return true
}

// find returns the first token in the window.
func (l *luaReader) find() (token luaToken, from, to int) {
	text := l.text[:l.limit]
	for i := l.pos; i < len(text); i++ {
		switch text[i] {
		case '{':
			return luaOpen, i, i + 1
		case '}':
			return luaClose, i, i + 1
		case '"', '\'':
			if end := l.stringEnd(text, i); end > 0 {
				return luaOther, i, end
			}
		case '[':
			if n := bracketLen(text[i:], '['); n > 0 {
				return luaBracket, i, i + n
			}
		case ']':
			if n := bracketLen(text[i:], ']'); n > 0 {
				return luaOther, i, i + n
			}
		case '-':
			if i+1 == len(text) || text[i+1] != '-' {
				continue
			}
			if n := bracketLen(text[i+2:], '['); n > 0 {
				return luaBracket, i + 2, i + 2 + n
			}
			if n := strings.IndexByte(text[i:], '\n'); n > 0 {
				return luaOther, i, i + n
			}
			return luaOther, i, len(text)
		}
	}
	return luaNone, 0, 0
}

// bracketLen returns the length of a long bracket, two brackets with any number of "=" between, at the start of s.
func bracketLen(s string, bracket byte) int {
	if s == "" || s[0] != bracket {
		return 0
	}
	n := 1
	for n < len(s) && s[n] == '=' {
		n++
	}
	if n == len(s) || s[n] != bracket {
		return 0
	}
	return n + 1
}

// stringEnd returns where the string that opens at i ends; 0 where it does not, which makes its quote an ordinary byte.
func (l *luaReader) stringEnd(text string, i int) int {
	quote := text[i]
	hopeless := &l.hopeless[quote&1]
	if i < *hopeless {
		return 0
	}
	j := i + 1
	for ; j < len(text) && text[j] != '\n'; j++ {
		switch text[j] {
		case quote:
			return j + 1
		case '\\':
			if j++; j < len(text) && text[j] == '\n' {
				j--
				*hopeless = j
				return 0
			}
		}
	}
	// Any quote in between is an escaped one. Starting at that one leads to the same end.
	*hopeless = j
	return 0
}

// longBracket reads behind the bracket that closes the one at [from, to).
func (l *luaReader) longBracket(from, to int) bool {
	closing := "]" + l.text[from+1:to-1] + "]"
	n := strings.Index(l.text[to:l.limit], closing)
	if n < 0 {
		l.refuse(from, "Lua code block missing the closing long bracket \""+closing+"\", the inlined Lua code may be too long")
		return false
	}
	l.pos = to + n + len(closing)
	return true
}

// refuse records an error at the directive's name, with the line of offset at.
func (l *luaReader) refuse(at int, text string) {
	if !l.resumed {
		l.fail(int(l.words[0].Start), int(l.words[0].End), at, text)
	}
}

// resume looks for the block's end behind an error: the "}" that Lua itself would take, without the module's bound on what
// it can see, or else a "}" that starts a line as far to the left as the directive. It looks only so far that many such
// blocks cost no more than one pass over a large file.
func (l *luaReader) resume(start int) bool {
	l.resumed = true
	l.pos, l.limit, l.hopeless = start, min(start+resumeSize, len(l.text)), [2]int{}
	if l.body() {
		return true
	}
	if indent, ok := l.indent(int(l.words[0].Start)); ok {
		if n := strings.Index(l.text[start:l.limit], "\n"+indent+"}"); n >= 0 {
			l.pos = start + n + len(indent) + 2
			return true
		}
	}
	l.pos = len(l.text)
	return false
}
