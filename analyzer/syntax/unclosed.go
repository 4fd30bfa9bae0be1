package syntax

import "strings"

// unclosed returns the "{" whose "}" is probably missing, as the lines' indentation tells it: the first block that a
// "}" closes which stands further to the left than the block's own line, or else the innermost block that is open.
func (p *parser) unclosed() int {
	if at := p.shifted(p.read); at >= 0 {
		return at
	}
	return int(p.open[len(p.open)-1].Open)
}

func (p *parser) shifted(directives []Directive) int {
	for i := range directives {
		d := &directives[i]
		if d.Block == nil || d.Block.Code {
			continue
		}
		if at := p.shifted(d.Block.Directives); at >= 0 {
			return at
		}
		if !d.Block.Closed {
			continue
		}
		own, ok := p.indent(int(d.Name().Start))
		if !ok {
			continue
		}
		closing, ok := p.indent(int(d.Block.Close))
		if ok && len(closing) < len(own) && strings.HasPrefix(own, closing) {
			return int(d.Block.Open)
		}
	}
	return -1
}

// indent returns what stands before offset at on its line; false where that is not only blanks, and few of them.
func (r *reader) indent(at int) (string, bool) {
	const most = 200
	before := r.text[max(0, at-most):at]
	n := strings.LastIndexByte(before, '\n')
	if n < 0 && at > most {
		return "", false
	}
	before = before[n+1:]
	return before, strings.Trim(before, " \t") == ""
}
