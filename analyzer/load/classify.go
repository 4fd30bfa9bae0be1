package load

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
)

// magic are the first bytes of files that are no text.
var magic = []struct{ head, what string }{
	{"\x7fELF", "a program"},
	{"MZ", "a program"},
	{"\xcf\xfa\xed\xfe", "a program"},
	{"\x1f\x8b", "compressed"},
	{"BZh", "compressed"},
	{"\xfd7zXZ", "compressed"},
	{"\x28\xb5\x2f\xfd", "compressed"},
	{"PK\x03\x04", "an archive"},
	{"\xff\xfe", "text in UTF-16, which nginx does not read"},
	{"\xfe\xff", "text in UTF-16, which nginx does not read"},
}

// noText says why a text can be no configuration, from its bytes alone; "" if nothing speaks against it.
func noText(text string) string {
	if strings.TrimSpace(text) == "" {
		return "the file is empty"
	}
	for _, m := range magic {
		if strings.HasPrefix(text, m.head) && strings.IndexByte(text, 0) >= 0 {
			return "no configuration: the file is " + m.what
		}
	}
	return ""
}

// plainlyBinary says that the first block of a text cannot be the start of a configuration.
func plainlyBinary(block string) bool {
	if strings.IndexByte(block, 0) < 0 {
		return false
	}
	doc := syntax.Parse(&source.File{Text: block})
	return !known(doc) && len(doc.Directives)+len(doc.Errors) > 0 // a comment may hold anything
}

// noConfiguration says why a file that was read is no configuration of nginx at all; "" if it is one, with whatever
// faults. Text without any directive that is known is one that nginx would refuse, at a line of its own; one with only
// comments is a fragment that nginx includes without a word.
func noConfiguration(doc *syntax.Document) string {
	if strings.IndexByte(doc.File.Text, 0) >= 0 && (!known(doc) || !doc.Complete()) {
		return "no configuration: the file is binary"
	}
	return ""
}
