package lsp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/fix"
	"github.com/ngxlimit/ngxlimit/rules/rule"
	"github.com/ngxlimit/ngxlimit/rules/run"
)

// codeActions offers what can be done about the findings in a range: to mend them, safe fixes first, or to say why they may
// stay.
func (s *server) codeActions(p *actionParams) (any, error) {
	d, err := s.open(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	actions := []codeAction{}
	if s.client.Capabilities.TextDocument.CodeAction.LiteralSupport == nil {
		return actions, nil // the client takes commands alone, and there are none
	}
	start, end := d.offset(p.Range.Start), d.offset(p.Range.End)
	views := s.snapshot.of(d)
	if wanted(p.Context.Only, kindQuickFix) {
		for _, v := range views {
			actions = append(actions, v.mend(d, start, end, &s.client)...)
		}
	}
	asked := len(p.Context.Only) > 0
	if wanted(p.Context.Only, kindFixOurs) && slices.ContainsFunc(views, (*view).mendable) {
		all := codeAction{Title: "ngxlimit: fix all that changes no answer", Kind: kindFixOurs, Data: &actionData{d.uri}}
		if !s.resolves() {
			all.Data = nil
			if !asked {
				return actions, nil // it takes time, and nobody asked for it
			}
			if all.Edit, err = s.fixAll(d); err != nil {
				return nil, err
			}
		}
		actions = append(actions, all)
	}
	return actions, nil
}

// resolves says whether the client asks for an action's edit only when it is to be made.
func (s *server) resolves() bool {
	can := &s.client.Capabilities.TextDocument.CodeAction
	return can.DataSupport && slices.Contains(can.ResolveSupport.Properties, "edit")
}

// wanted says whether a kind of action is among those asked for, all of them where none is named.
func wanted(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
		return o == kind || strings.HasPrefix(kind, o+".") || o == ""
	})
}

// mend are the actions for the findings in a range of a document.
func (v *view) mend(d *document, start, end uint32, client *initializeParams) []codeAction {
	var safe, unsafe, ignore []codeAction
	result := v.result()
	for i := range result.Findings {
		f := &result.Findings[i]
		file := f.Primary.File
		if file == nil || !v.holds(file, d) || file.Base+f.Primary.Start > end || file.Base+f.Primary.End < start {
			continue
		}
		of := []diagnostic{v.diagnostic(f, client)}
		if fix := f.Fix; fix != nil && len(fix.Edits) > 0 && file.Container == "" {
			a := codeAction{Title: visible(fix.Title), Kind: kindQuickFix, Diagnostics: of, Edit: v.edit(fix.Edits, client)}
			if fix.Safe {
				a.Preferred = client.Capabilities.TextDocument.CodeAction.IsPreferredSupport
				safe = append(safe, a)
			} else {
				a.Title += " (requests may be answered differently)"
				unsafe = append(unsafe, a)
			}
		}
		if edit, ok := v.ignore(f); ok {
			ignore = append(ignore, codeAction{
				Title: fmt.Sprintf("ignore %s here: the comment needs your reason", f.Rule.Name),
				Kind:  kindQuickFix, Diagnostics: of, Edit: v.edit([]source.Edit{edit}, client),
			})
		}
	}
	return slices.Concat(safe, unsafe, ignore)
}

// always are rules whose findings no comment holds back: without the file being read, none is seen.
var always = map[string]bool{rule.Suppression: true, "syntax": true}

// ignore is the edit that puts a comment above a finding. Its reason is left to the person: until there is one, the
// comment is not applied, and a finding of its own says so.
func (v *view) ignore(f *rule.Finding) (source.Edit, bool) {
	file := f.Primary.File
	if file.Container != "" || always[f.Rule.Name] {
		return source.Edit{}, false
	}
	at := f.Primary.Start
	if f.Subject != nil && f.Subject.File == file {
		at = min(at, f.Subject.Name().Start)
	}
	start := file.LineStart(file.Position(at).Line)
	indent := file.Text[start:at]
	if trimmed := strings.TrimLeft(indent, " \t"); trimmed != "" {
		indent = indent[:len(indent)-len(trimmed)]
	}
	if v.quoted(file, start) {
		return source.Edit{}, false
	}
	end := "\n"
	if i := strings.IndexByte(file.Text, '\n'); i > 0 && file.Text[i-1] == '\r' {
		end = "\r\n"
	}
	text := indent + "# ngxlimit:ignore " + f.Rule.Name + " " + end
	return source.Edit{Span: source.Span{File: file, Start: start, End: start}, Text: text}, true
}

// quoted says whether a line starts within a word: a comment there would be none.
func (v *view) quoted(f *source.File, start uint32) bool {
	i := slices.IndexFunc(v.input.Documents, func(doc *syntax.Document) bool { return doc.File == f })
	if i < 0 {
		return true
	}
	d := directiveAt(v.input.Documents[i], start)
	if d == nil {
		return false
	}
	if d.Block != nil && d.Block.Code && d.Block.Open < start {
		return true
	}
	return slices.ContainsFunc(d.Words(), func(w syntax.Word) bool { return w.Start < start && start < w.End })
}

// mendable says whether some fix of the configuration changes no answer.
func (v *view) mendable() bool {
	return slices.ContainsFunc(v.result().Findings, func(f rule.Finding) bool {
		return f.Fix != nil && f.Fix.Safe && len(f.Fix.Edits) > 0 && f.Primary.File != nil && f.Primary.File.Container == ""
	})
}

func (s *server) resolveAction(a *codeAction) (any, error) {
	if a.Kind != kindFixOurs || a.Data == nil {
		return a, nil
	}
	d, err := s.open(a.Data.URI)
	if err != nil {
		return nil, err
	}
	if a.Edit, err = s.fixAll(d); err != nil {
		return nil, err
	}
	return a, nil
}

// fixAll makes all fixes that change no answer, as check --fix does: each is read and judged again before it counts.
func (s *server) fixAll(d *document) (*workspaceEdit, error) {
	var edits []source.Edit
	views := s.snapshot.of(d)
	for _, v := range views {
		if !v.mendable() {
			continue
		}
		first := fix.Reading{Trees: []*config.Tree{v.tree}, Results: []run.Result{v.result()}}
		done, err := fix.Run(first, fix.Options{Read: v.again, Refuse: v.refuse})
		if err != nil {
			return nil, failed(codeFailed, "nothing is mended: %v", err)
		}
		edits = append(edits, editsOf(done.Changes)...)
	}
	if len(views) == 0 {
		return &workspaceEdit{}, nil
	}
	return views[0].edit(edits, &s.client), nil
}

// refuse says why a file may not be changed.
func (v *view) refuse(path string) string {
	if !within(v.root.real, path) {
		return "the file lies outside of the editor's folder"
	}
	return ""
}

// again reads and judges the configuration with texts in place of files.
func (v *view) again(texts fix.Texts) (fix.Reading, error) {
	n := &snapshot{
		options: v.options, units: v.units, roots: v.roots, docs: v.docs, texts: maps.Clone(v.texts), settlement: v.settlement,
		loaded: map[[2]string][]*view{}, index: map[string]*lines{},
	}
	var views []*view
	if v.lone != nil {
		d := *v.lone
		d.lines = newLines(texts[fix.Stdin], v.units)
		views = n.alone(&d)
	} else {
		maps.Copy(n.texts, texts)
		views = n.load(v.root, v.input.Path)
	}
	var r fix.Reading
	for _, one := range views {
		r.Trees = append(r.Trees, one.tree)
		r.Results = append(r.Results, one.result())
	}
	if len(views) != 1 {
		return r, failed(codeFailed, "the configuration cannot be read again")
	}
	return r, nil
}
