package lang

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// longestText bounds an expression. Cloudflare takes 4,096 characters.
const longestText = 1 << 15

// words splits an expression. What is no word of the language becomes an Other.
var words = lexer.MustStateful(lexer.Rules{
	"Root": {
		{Name: "Space", Pattern: `[ \t\r\n]+`},
		{Name: "RawStart", Pattern: `r(#{0,255})"`, Action: lexer.Push("Raw")},
		{Name: "String", Pattern: `"(?:[^"\\]|\\(?s:.))*"`},
		{Name: "V4", Pattern: `[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?`},
		{Name: "V6", Pattern: `[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]*(?:[0-9]+(?:\.[0-9]+){3})?(?:/[0-9]+)?`},
		{Name: "Int", Pattern: `-?[0-9]+`},
		{Name: "Range", Pattern: `\.\.`},
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*`},
		{Name: "Op", Pattern: `==|!=|<=|>=|&&|\|\||\^\^|[<>!~(){}\[\],*$]`},
		{Name: "Other", Pattern: `(?s:.)`},
	},
	"Raw": {
		{Name: "RawEnd", Pattern: `"\1`, Action: lexer.Pop()},
		{Name: "RawText", Pattern: `[^"]+|"`},
	},
})

var kinds = words.Symbols()

var (
	tSpace, tRawStart, tRawEnd, tRawText = kinds["Space"], kinds["RawStart"], kinds["RawEnd"], kinds["RawText"]
	tString, tV4, tV6, tInt, tRange      = kinds["String"], kinds["V4"], kinds["V6"], kinds["Int"], kinds["Range"]
	tIdent, tOp, tOther                  = kinds["Ident"], kinds["Op"], kinds["Other"]
	tEnd                                 = lexer.EOF
	tRaw                                 = lexer.TokenType(1) // a whole raw string, put together from its parts
)

// A token is one word with its place.
type token struct {
	kind       lexer.TokenType
	text       string // as written; of a raw string what is in it
	start, end int    // bytes
}

// shown is the token in a message.
func (t *token) shown() string {
	if t.kind == tEnd {
		return "the end"
	}
	text := t.text
	if t.kind == tRaw {
		text = `r"` + text + `"`
	}
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "..."
	}
	return text
}

// split returns the words of a text, without the white space, and an end behind them.
func split(text string) ([]token, error) {
	if len(text) > longestText {
		return nil, &Error{Start: longestText, End: len(text), Text: fmt.Sprintf("it is longer than %d bytes", longestText)}
	}
	lex, err := words.LexString("", text)
	if err != nil {
		return nil, fmt.Errorf("split expression: %w", err)
	}
	var list []token
	open := false // a raw string is
	for {
		t, err := lex.Next()
		if err != nil {
			return nil, lexError(err, text)
		}
		at := t.Pos.Offset
		switch tok := (token{t.Type, t.Value, at, at + len(t.Value)}); t.Type {
		case tSpace:
		case tRawStart:
			tok.kind, open = tRaw, true
			list = append(list, tok)
		case tRawText:
			last := &list[len(list)-1]
			last.end = tok.end
		case tRawEnd:
			last := &list[len(list)-1]
			last.text, last.end, open = text[last.start+len(t.Value)+1:at], tok.end, false
		case tOther:
			if t.Value == `"` {
				return nil, &Error{Start: at, End: len(text), Text: "the string is not closed"}
			}
			return nil, &Error{Start: at, End: tok.end, Text: fmt.Sprintf("unexpected %q", t.Value)}
		case tEnd:
			if open {
				return nil, &Error{Start: list[len(list)-1].start, End: len(text), Text: "the raw string is not closed"}
			}
			return append(list, token{tEnd, "", len(text), len(text)}), nil
		default:
			list = append(list, tok)
		}
	}
}

func lexError(err error, text string) error {
	if at, ok := errors.AsType[participle.Error](err); ok {
		return &Error{Start: at.Position().Offset, End: len(text), Text: "it cannot be read from here on"}
	}
	return fmt.Errorf("split expression: %w", err)
}

// An Error is a place of an expression that cannot be understood, in bytes from its start.
type Error struct {
	Start, End int
	Text       string
}

func (e *Error) Error() string { return e.Text }
