package syntax

import "strings"

// luaSuffix ends the name of every directive whose block the Lua module reads on its own.
const luaSuffix = "_by_lua_block"

// lua reads the body of a block up to its "}", as one more word.
func (p *parser) lua(block *Block) {
	l := luaReader{reader: &p.reader}
	start := p.pos
	end := len(p.text)
	block.Code = true
	if l.body() {
		end = p.pos - 1
		block.Close, block.Closed = uint32(end), true
	}
	p.mark, p.limit = p.pos, max(p.limit, p.pos)
	p.push(start, end, 0, p.text[start:end], false)
}

type luaReader struct{ *reader }

func (l *luaReader) body() bool {
	depth, start := 1, l.pos
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return true
			}
		case '"', '\'':
			for l.pos < len(l.text) && l.text[l.pos] != c {
				if l.text[l.pos] == '\\' {
					l.pos++
				}
				l.pos++
			}
			l.pos++
		case '-':
			if strings.HasPrefix(l.text[l.pos:], "-") && !strings.HasPrefix(l.text[l.pos:], "-[[") {
				n := strings.IndexByte(l.text[l.pos:], '\n')
				if n < 0 {
					n = len(l.text) - l.pos
				}
				l.pos += n
			}
		}
	}
	l.pos = len(l.text)
	l.fail(start-1, start, start-1, "unexpected end of file, expecting terminating characters for lua code block")
	return false
}
