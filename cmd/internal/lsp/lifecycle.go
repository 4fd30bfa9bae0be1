package lsp

import (
	"path/filepath"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

// A root is a folder that the editor works in.
type root struct {
	path string // as the client names it
	real string // links followed
}

func newRoot(path string) (root, bool) {
	real, err := load.RealPath(path)
	return root{path, real}, err == nil
}

// initialize agrees with the client on what both can do.
func (s *server) initialize(p *initializeParams) (any, error) {
	if s.stage != fresh {
		return nil, failed(codeInvalidRequest, "initialize was asked for before")
	}
	s.stage, s.client = running, *p
	s.units = agree(p.Capabilities.General.PositionEncodings)
	s.addRoots(rootPaths(p))
	s.snapshot = s.take()
	type object = map[string]any
	return object{
		"serverInfo": object{"name": "ngxlimit", "version": s.options.Version},
		"capabilities": object{
			"positionEncoding":       s.units,
			"textDocumentSync":       object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"hoverProvider":          true,
			"definitionProvider":     true,
			"referencesProvider":     true,
			"renameProvider":         object{"prepareProvider": true},
			"documentSymbolProvider": true,
			"completionProvider":     object{"triggerCharacters": []string{"=", " "}},
			"workspace":              object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
			"codeActionProvider":     object{"codeActionKinds": []string{kindQuickFix, kindFixOurs}, "resolveProvider": true},
		},
	}, nil
}

// addRoots makes a new list, since snapshots share the old one.
func (s *server) addRoots(paths []string) {
	s.roots = slices.Clone(s.roots)
	for _, path := range paths {
		if r, ok := newRoot(path); ok {
			s.roots = append(s.roots, r)
		}
	}
}

// foldersChanged follows the client when it works in other folders.
func (s *server) foldersChanged(p *foldersParams) (any, error) {
	var added []string
	for _, f := range p.Event.Added {
		if path := pathOf(f.URI); path != "" {
			added = append(added, path)
		}
	}
	s.roots = slices.DeleteFunc(slices.Clone(s.roots), func(r root) bool {
		return slices.ContainsFunc(p.Event.Removed, func(f folder) bool { return pathOf(f.URI) == r.path })
	})
	s.addRoots(added)
	s.disk()
	return nil, nil
}

// rootPaths are the folders that the client works in: the newest of the three ways to say so counts.
func rootPaths(p *initializeParams) []string {
	var paths []string
	for _, f := range p.WorkspaceFolders {
		paths = append(paths, pathOf(f.URI))
	}
	if len(paths) == 0 && p.RootURI != nil {
		paths = append(paths, pathOf(*p.RootURI))
	}
	if len(paths) == 0 && p.RootPath != nil && filepath.IsAbs(*p.RootPath) {
		paths = append(paths, filepath.Clean(*p.RootPath))
	}
	return slices.DeleteFunc(paths, func(p string) bool { return p == "" })
}

// initialized asks to be told of files that change on disk, where the client can do that.
func (s *server) initialized(*struct{}) (any, error) {
	if !s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return nil, nil
	}
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	type registration struct {
		ID              string `json:"id"`
		Method          string `json:"method"`
		RegisterOptions any    `json:"registerOptions"`
	}
	watchers := map[string][]watcher{"watchers": {{"**/*.conf"}, {"**/sites-*/*"}, {"**/.ngxlimit.yaml"}}}
	s.ask("client/registerCapability", map[string][]registration{
		"registrations": {{"ngxlimit-files", "workspace/didChangeWatchedFiles", watchers}},
	})
	return nil, nil
}
