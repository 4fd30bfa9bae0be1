package pipeline

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/pcre"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// An instruction is one directive of the rewrite module. Like nginx we put the directives of a level and of the if
// blocks in it into one list, in the order written; an if that does not hold skips the instructions of its block.
type instruction struct {
	op   operation
	item config.Item

	name     string         // set: the variable, without "$"
	text     value.Template // set: its value; return: the text or address; rewrite: the replacement
	hasText  bool           // return: there is a text
	status   int            // return; rewrite: of a redirect, else 0
	pattern  *pcre.Regex    // rewrite
	addArgs  bool           // rewrite: the arguments sent are added to those of the replacement
	last     bool           // rewrite: no further instruction after it
	restart  bool           // rewrite: the location is looked for again
	test     condition      // if
	skip     int            // if: how many instructions its block has
	branch   *config.Level  // if in a location: the location that it makes
	redirect bool           // rewrite: answers with a redirect
}

type operation uint8

const (
	opSet operation = iota
	opReturn
	opRewrite
	opBreak
	opIf
)

// compileCodes reads the rewrite directives of a level; no inner level inherits them. Blocks of if do not nest.
func (c *conf) compileCodes(g *program, level *config.Level) {
	if level.Kind != config.KindServer && level.Kind != config.KindLocation {
		return
	}
	ifs := branches(c)
	for _, item := range level.Items {
		if item.Name().Value != "if" {
			c.compileCode(g, item)
			continue
		}
		at := len(c.codes)
		code := instruction{op: opIf, item: item, test: g.condition(item)}
		var body []config.Item
		if len(ifs) > 0 {
			body = ifs[0].Items
			if c.loc != nil {
				code.branch = ifs[0]
			}
			ifs = ifs[1:]
		}
		c.codes = append(c.codes, code)
		for _, inner := range body {
			c.compileCode(g, inner)
		}
		c.codes[at].skip = len(c.codes) - at - 1
	}
}

// branches returns the levels that the if blocks of a level make, in order.
func branches(c *conf) []*config.Level {
	if c.loc != nil {
		return c.loc.Ifs
	}
	return c.server().Ifs
}

func (c *conf) compileCode(g *program, item config.Item) {
	switch item.Name().Value {
	case "set":
		if name := strings.ToLower(strings.TrimPrefix(item.Arg(0), "$")); name != "" && item.NumArgs() == 2 {
			c.codes = append(c.codes, instruction{op: opSet, item: item, name: name, text: template(item.Arg(1))})
		}
	case "return":
		if code, ok := compileReturn(item); ok {
			c.codes = append(c.codes, code)
		}
	case "rewrite":
		if item.NumArgs() >= 2 {
			c.codes = append(c.codes, g.compileRewrite(item))
		}
	case "break":
		c.codes = append(c.codes, instruction{op: opBreak, item: item})
	}
}

// compileReturn reads return CODE [TEXT], return CODE URL and return URL.
func compileReturn(item config.Item) (instruction, bool) {
	code := instruction{op: opReturn, item: item}
	first := item.Arg(0)
	n, err := strconv.Atoi(first)
	switch {
	case err == nil && n >= 0 && n <= 999:
		code.status = n
		if item.NumArgs() > 1 {
			code.text, code.hasText = template(item.Arg(1)), item.Arg(1) != ""
		}
	case isURL(first):
		code.status, code.text, code.hasText = 302, template(first), true
	default:
		return code, false
	}
	return code, true
}

// isURL says whether nginx takes a word for an address to redirect to.
func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "$scheme")
}

func (g *program) compileRewrite(item config.Item) instruction {
	code := instruction{op: opRewrite, item: item, pattern: g.regexes.Get(item.Arg(0), false), addArgs: true, restart: true}
	to := item.Arg(1)
	if cut, ok := strings.CutSuffix(to, "?"); ok {
		to, code.addArgs = cut, false
	}
	code.text = template(to)
	if isURL(to) {
		code.status, code.redirect, code.last = 302, true, true
	}
	switch item.Arg(2) {
	case "last":
		code.last = true
	case "break":
		code.last, code.restart = true, false
	case "redirect":
		code.status, code.redirect, code.last = 302, true, true
	case "permanent":
		code.status, code.redirect, code.last = 301, true, true
	}
	return code
}

// A condition is that of an if.
type condition struct {
	op      string         // "" (neither empty nor "0"), "=", "!=", "~", "~*", "!~", "!~*", "-f", "!-f" ...; "?" is none that nginx takes
	left    value.Template // the variable, or the path of a file test
	right   value.Template
	pattern *pcre.Regex
}

// condition reads the words of an if, whose parentheses may be words of their own.
func (g *program) condition(item config.Item) condition {
	words := make([]string, 0, item.NumArgs())
	for _, arg := range item.Args() {
		words = append(words, arg.Value)
	}
	words = unparenthesize(words)
	switch {
	case len(words) == 1 && strings.HasPrefix(words[0], "$"):
		return condition{left: template(words[0])}
	case len(words) == 2 && isFileTest(words[0]):
		return condition{op: words[0], left: template(words[1])}
	case len(words) == 3 && strings.HasPrefix(words[0], "$"):
		c := condition{op: words[1], left: template(words[0])}
		switch words[1] {
		case "=", "!=":
			c.right = template(words[2])
			return c
		case "~", "~*", "!~", "!~*":
			c.pattern = g.regexes.Get(words[2], strings.HasSuffix(words[1], "*"))
			return c
		}
	}
	return condition{op: "?"}
}

func unparenthesize(words []string) []string {
	if len(words) == 0 || !strings.HasPrefix(words[0], "(") {
		return nil
	}
	if words[0] = words[0][1:]; words[0] == "" {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	last := len(words) - 1
	if !strings.HasSuffix(words[last], ")") {
		return nil
	}
	if words[last] = words[last][:len(words[last])-1]; words[last] == "" {
		words = words[:last]
	}
	return words
}

func isFileTest(s string) bool {
	switch strings.TrimPrefix(s, "!") {
	case "-f", "-d", "-e", "-x":
		return true
	}
	return false
}
