package lsp

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// What an outline may hold: nesting and number are in the hands of whoever wrote the file.
const (
	maxSymbols     = 20_000
	maxSymbolDepth = 64
)

// symbolKinds are the directives that an outline names.
var symbolKinds = map[string]int{
	"http": symbolNamespace, "stream": symbolNamespace, "mail": symbolNamespace,
	"server": symbolClass, "upstream": symbolStruct, "location": symbolFunction, "if": symbolFunction, "limit_except": symbolFunction,
	"map": symbolVariable, "geo": symbolVariable, "split_clients": symbolVariable,
	"limit_req_zone": symbolStruct, "limit_conn_zone": symbolStruct, "limit_req": symbolField, "limit_conn": symbolField,
}

func (s *server) symbols(p *documentParams) (any, error) {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	tree := outline(d)
	if s.client.Capabilities.TextDocument.DocumentSymbol.Hierarchical {
		return tree, nil
	}
	return flat(d.uri, tree), nil
}

// outline makes the tree of a document's blocks and limits.
func outline(d *document) []*documentSymbol {
	type list struct {
		directives []syntax.Directive
		into       *documentSymbol
	}
	doc := syntax.Parse(&source.File{Text: d.text})
	top := &documentSymbol{Children: []*documentSymbol{}}
	stack := []list{{doc.Directives, top}}
	for n := 0; len(stack) > 0 && n < maxSymbols; {
		last := &stack[len(stack)-1]
		if len(last.directives) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		one, into := &last.directives[0], last.into
		last.directives = last.directives[1:]
		if kind := symbolKinds[one.Name().Value]; kind != 0 {
			symbol := symbolOf(d, one, kind)
			into.Children = append(into.Children, symbol)
			into = symbol
			n++
		}
		if one.Block != nil && !one.Block.Code && len(stack) < maxSymbolDepth {
			stack = append(stack, list{one.Block.Directives, into})
		}
	}
	return top.Children
}

func symbolOf(d *document, one *syntax.Directive, kind int) *documentSymbol {
	end := one.End
	if one.Block != nil {
		end = min(one.Block.Close+1, uint32(len(d.text)))
	}
	head := one.Head()
	symbol := &documentSymbol{
		Name: visible(rule.Quoted(one)), Kind: kind,
		Range: d.between(head.Start, max(end, head.End)), SelectionRange: d.between(head.Start, head.End),
	}
	if one.Name().Value == "server" && one.Block != nil {
		for i := range one.Block.Directives {
			switch in := &one.Block.Directives[i]; {
			case in.Name().Value == "server_name" && in.Arg(0) != "" && symbol.Name == "server":
				symbol.Name = "server " + visible(in.Arg(0))
			case in.Name().Value == "listen":
				symbol.Detail = strings.TrimSpace(symbol.Detail + " " + visible(in.Arg(0)))
			}
		}
	}
	return symbol
}

// flat lists the symbols of a tree, each with the one around it.
func flat(uri string, tree []*documentSymbol) []flatSymbol {
	type entry struct {
		symbol *documentSymbol
		in     string
	}
	var stack []entry
	push := func(symbols []*documentSymbol, in string) {
		for i := len(symbols) - 1; i >= 0; i-- {
			stack = append(stack, entry{symbols[i], in})
		}
	}
	push(tree, "")
	all := []flatSymbol{}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		all = append(all, flatSymbol{e.symbol.Name, e.symbol.Kind, location{uri, e.symbol.Range}, e.in})
		push(e.symbol.Children, e.symbol.Name)
	}
	return all
}
