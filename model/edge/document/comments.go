package document

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

// Comments returns where the comments of a file of Terraform stand, in order and in all three forms that it has, without
// the ends of their lines. Within texts and templates there are none.
func Comments(f *source.File) []source.Span {
	var list []source.Span
	tokens, _ := hclsyntax.LexConfig([]byte(f.Text), f.Path, hcl.InitialPos) // what is wrong with the file was said when it was read
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment {
			text := strings.TrimRight(string(t.Bytes), "\r\n")
			list = append(list, source.Span{File: f, Start: uint32(t.Range.Start.Byte), End: uint32(t.Range.Start.Byte + len(text))})
		}
	}
	return list
}
