package syntax

import "github.com/ngxlimit/ngxlimit/analyzer/source"

// Parse reads a file as nginx's own reader does.
func Parse(file *source.File) *Document { return &Document{File: file} }
