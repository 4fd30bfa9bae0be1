package lsp

import (
	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/rules/fix"
)

// edit turns edits into a change of the workspace. Of a file that is open the version is named for which they hold, so that
// a client which has gone on typing does not make them.
func (v *view) edit(edits []source.Edit, client *initializeParams) *workspaceEdit {
	byURI := map[string][]textEdit{}
	versions := map[string]*int32{}
	var order []string
	for _, e := range edits {
		d := v.opened(e.Span.File)
		uri := v.urisOf(e.Span.File)[0]
		if byURI[uri] == nil {
			order = append(order, uri)
			if d != nil {
				versions[uri] = &d.version
			}
		}
		byURI[uri] = append(byURI[uri], textEdit{v.rangeOf(e.Span), e.Text})
	}
	if !client.Capabilities.Workspace.WorkspaceEdit.DocumentChanges {
		return &workspaceEdit{Changes: byURI}
	}
	w := &workspaceEdit{DocumentChanges: []documentEdit{}}
	for _, uri := range order {
		w.DocumentChanges = append(w.DocumentChanges, documentEdit{versionedDocument{uri, versions[uri]}, byURI[uri]})
	}
	return w
}

// opened returns the first document that is open on a file; nil where none is.
func (v *view) opened(f *source.File) *document {
	if v.lone != nil {
		return v.lone
	}
	for _, d := range v.docs {
		if d.real == f.Real {
			return d
		}
	}
	return nil
}

// editsOf are the edits that make the changes of files. Those of a dump, which is what nginx printed, are left out.
func editsOf(changes []fix.Change) (edits []source.Edit) {
	for i := range changes {
		if changes[i].File.Container == "" {
			edits = append(edits, changes[i].Edits()...)
		}
	}
	return edits
}
