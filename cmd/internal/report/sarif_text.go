package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

var braces = strings.NewReplacer("{", "{{", "}", "}}")

// looksLikeLink finds text that a reader of SARIF would take for a link: [0-9](1).
var looksLikeLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]*)\]\(`) })

// sarifText writes text as a SARIF message string: braces doubled, as the format's placeholders demand, and nothing in
// it a link.
func sarifText(s string) string {
	s = braces.Replace(clean(s))
	if strings.Contains(s, "](") {
		s = looksLikeLink().ReplaceAllString(s, `\[$1\](`)
	}
	return s
}

// linkText is sarifText for the text within a link's brackets.
func linkText(s string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(braces.Replace(clean(s)))
}

// artifact names a file: relative to the source root where it lies below the working folder, else as nginx names it.
func (s *sarifWriter) artifact(f *source.File) *sarif.ArtifactLocation {
	path := filepath.ToSlash(s.o.place(f))
	a := sarif.NewSimpleArtifactLocation((&url.URL{Path: path}).String())
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
		a.WithURIBaseID(sourceRoot)
	}
	return a
}

// encodeSARIF writes the report without what go-sarif adds to every object: empty arrays and the values that stand for
// "absent", among them location ids below zero, which code scanning does not take.
func encodeSARIF(w io.Writer, r *sarif.Report) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode sarif: %w", err)
	}
	var tree any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return fmt.Errorf("tidy sarif: %w", err)
	}
	tidy(tree)
	return EncodeJSON(w, tree)
}

// absent are the numbers by which the schema says that a property is not there.
var absent = map[string]bool{
	"byteOffset": true, "charOffset": true, "index": true, "id": true, "rank": true, "ruleIndex": true, "parentIndex": true,
}

// required are arrays that must be there even when they are empty.
var required = map[string]bool{"results": true, "rules": true, "runs": true, "replacements": true, "artifactChanges": true}

func tidy(node any) {
	switch v := node.(type) {
	case map[string]any:
		for key, child := range v {
			if _, open := child.(map[string]any); key == "properties" && open {
				tidyProperties(v, key)
				continue
			}
			if drop(key, child) {
				delete(v, key)
				continue
			}
			tidy(child)
		}
	case []any:
		for _, child := range v {
			tidy(child)
		}
	}
}

// tidyProperties leaves a property bag's own content alone: it is ours, and an empty list in it says something.
func tidyProperties(parent map[string]any, key string) {
	bag, _ := parent[key].(map[string]any)
	if len(bag) == 0 {
		delete(parent, key)
	}
}

func drop(key string, child any) bool {
	switch v := child.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0 && !required[key]
	case json.Number:
		return absent[key] && strings.HasPrefix(v.String(), "-")
	}
	return false
}
