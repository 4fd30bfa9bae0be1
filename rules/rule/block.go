package rule

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/value"
)

// block returns the block that defines a variable; nil where none does. Of several the last one counts. The caller holds
// the lock of keys.
func (f *Facts) block(name string) *Block {
	if f.keys.blocks == nil {
		f.keys.blocks = make(map[string]*Block)
		f.keys.written = make(map[string]*config.VariableBlock)
		for i := range f.Tree.HTTP.Blocks {
			b := &f.Tree.HTTP.Blocks[i]
			if n := b.NumArgs(); n > 0 {
				f.keys.written[strings.ToLower(b.Arg(n-1))] = b
			}
		}
	}
	b, ok := f.keys.blocks[name]
	if !ok {
		if written := f.keys.written["$"+name]; written != nil {
			b = readBlock(written, name)
		}
		f.keys.blocks[name] = b
	}
	return b
}

func readBlock(vb *config.VariableBlock, name string) *Block {
	b := &Block{VariableBlock: vb, Name: name}
	kind := vb.Item.Name().Value
	if vb.NumArgs() == 2 {
		b.Source, _ = value.Parse(vb.Arg(0)) // nginx refuses what cannot be read; nothing follows from it
	} else {
		b.Source = value.Template{Text: "$remote_addr", Parts: []value.Part{{Variable: "remote_addr"}}}
	}
	b.Entries = make([]Entry, 0, len(vb.Entries))
	for i, item := range vb.Entries {
		e := Entry{Item: item, Index: i, Key: item.Name().Value}
		b.hostnames = b.hostnames || e.Key == "hostnames" && item.NumArgs() == 0
		if item.NumArgs() != 1 || kind == "geo" && (e.Key == "delete" || e.Key == "proxy") {
			continue // hostnames, volatile, ranges, and what nginx refuses
		}
		e.Default = e.Key == "default" || kind == "split_clients" && e.Key == "*"
		if kind != "map" {
			text := item.Arg(0)
			if e.Value.Text = text; text != "" {
				e.Value.Parts = []value.Part{{Literal: text}}
			}
		} else if t, err := value.Parse(item.Arg(0)); err == nil {
			e.Value = t
		} else {
			continue
		}
		b.Entries = append(b.Entries, e)
	}
	return b
}

// met returns the entries of a map that visitors from the outside come to, where only lists of addresses decide that; nil
// where something else does. Whoever is on such a list is no visitor from the outside.
func (f *Facts) met(b *Block) map[int]bool {
	defs := f.definitions()
	for _, name := range reached(b.Source, defs) {
		if inner := f.block(name); inner != nil && inner.Item.Name().Value != "split_clients" {
			continue
		}
		switch name {
		case "remote_addr", "binary_remote_addr", "realip_remote_addr":
		default:
			return nil
		}
	}
	met := make(map[int]bool)
	for _, at := range outsiders {
		entry, known := defs.Chosen(b.Name, outsider(b.Source, defs, at, "GET"))
		if !known {
			return nil
		}
		met[entry] = true
	}
	return met
}

// An Assignment is a directive that gives a variable its value while a request runs.
type Assignment struct {
	Item   config.Item
	Server *config.Server // that it stands in
}

// IsSet says whether the rewrite phase makes the assignment, which is before the limiters are asked.
func (a Assignment) IsSet() bool { return a.Item.Name().Value == "set" }

// assigned returns the directives that give a variable its value. They are looked for once, when the first key rests on
// such a variable.
func (f *Facts) assigned(name string) []Assignment {
	if !f.definitions().Declared(name) {
		return nil
	}
	return f.assigns()[name]
}

func (f *Facts) findAssignments() map[string][]Assignment {
	all := make(map[string][]Assignment)
	add := func(s *config.Server, l *config.Level) {
		for _, item := range l.Items {
			switch item.Name().Value {
			case "set", "auth_request_set":
				if name, ok := strings.CutPrefix(item.Arg(0), "$"); ok && item.NumArgs() == 2 {
					name = strings.ToLower(name)
					all[name] = append(all[name], Assignment{item, s})
				}
			}
		}
	}
	for _, place := range f.Places() {
		add(place.Server, place.Level)
		if place.Location == nil {
			for _, branch := range place.Server.Ifs {
				add(place.Server, branch)
			}
		}
	}
	return all
}
