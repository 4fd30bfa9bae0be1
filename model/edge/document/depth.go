package document

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// How deep Terraform may be nested for a parser, and for what walks over its trees, that call themselves: in brackets, and
// in operators of one expression, each of which takes the one before it as its left side, or the next one as its right.
const (
	mostBrackets = 1000
	mostSigns    = 10_000
)

// shallow says where a file is nested too deep. The words are those of the parser's own lexer, which calls itself nowhere:
// brackets within texts and comments are none.
func shallow(f *source.File) error {
	tokens, _ := hclsyntax.LexConfig([]byte(f.Text), f.Path, hcl.InitialPos) // what is wrong with the words the parser says
	type level struct {
		lines bool // the end of a line ends an expression
		signs int
	}
	open := []level{{lines: true}}
	for i := range tokens {
		t := &tokens[i]
		now := &open[len(open)-1]
		fail := func(format string, args ...any) error {
			at := source.Span{File: f, Start: bound(f, t.Range.Start.Byte), End: bound(f, t.Range.End.Byte)}
			return &Error{at, fmt.Sprintf(format, args...)}
		}
		switch t.Type { //nolint:exhaustive // of the rest nothing nests
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if len(open) > mostBrackets {
				return fail("brackets are nested more than %d deep", mostBrackets)
			}
			now.signs++ // a[0][0][0]
			open = append(open, level{lines: t.Type == hclsyntax.TokenOBrace})
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case hclsyntax.TokenComma, hclsyntax.TokenEqual:
			now.signs = 0
		case hclsyntax.TokenNewline:
			if now.lines {
				now.signs = 0
			}
		case hclsyntax.TokenStar, hclsyntax.TokenSlash, hclsyntax.TokenPlus, hclsyntax.TokenMinus, hclsyntax.TokenPercent, hclsyntax.TokenBang,
			hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq, hclsyntax.TokenGreaterThan,
			hclsyntax.TokenGreaterThanEq, hclsyntax.TokenAnd, hclsyntax.TokenOr, hclsyntax.TokenDot, hclsyntax.TokenQuestion:
			now.signs++
		}
		if now = &open[len(open)-1]; now.signs > mostSigns {
			return fail("an expression has more than %d operators", mostSigns)
		}
	}
	return nil
}
