package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
)

// besides says of includes that lead to nothing here that what they name lies beside the main file, and how it is read:
// else a checkout seems to limit nothing. Of a kind of include, the first is told. Where flags say how paths are to be
// looked up they have been meant so.
func (f *inputFlags) besides(inputs []*load.Input, stderr io.Writer) {
	if f.whole || f.root != "" {
		return
	}
	for _, in := range inputs {
		more := map[string]int{}
		var told []string
		first := map[string]load.Beside{}
		for _, b := range in.Besides() {
			flags := mapPathFlags(b.MapPath)
			switch {
			case f.mapsAbove(b.Name):
			case more[flags] == 0:
				told, first[flags], more[flags] = append(told, flags), b, 1
			default:
				more[flags]++
			}
		}
		for _, flags := range told {
			complain(stderr, besideText(first[flags], flags, more[flags]-1))
		}
	}
}

func besideText(b load.Beside, flags string, more int) error {
	file := b.Include.File
	at := fmt.Sprintf("warning: %s:%d: include %s", file.Path, b.Include.Span().From().Line, b.Name)
	says := fmt.Sprintf("%s leads to no file here, and %s is there", at, b.At)
	if b.Pattern {
		says = fmt.Sprintf("%s matches no file here, and %s has some", at, b.At)
	}
	if more > 0 {
		says += fmt.Sprintf(" (further such includes: %d)", more)
	}
	return fmt.Errorf("%s: %s reads them", says, flags)
}

// mapPathFlags are the flags that say mappings.
func mapPathFlags(paths map[string]string) string {
	flags := make([]string, 0, len(paths))
	for _, from := range slices.Sorted(maps.Keys(paths)) {
		flag := "--map-path " + from + "=" + filepath.ToSlash(paths[from])
		if strings.ContainsAny(flag[len("--map-path "):], " '\"$\\`&;()<>|*?[]#~!{}") {
			flag = "--map-path '" + strings.ReplaceAll(flag[len("--map-path "):], "'", `'\''`) + "'"
		}
		flags = append(flags, flag)
	}
	return strings.Join(flags, " ")
}
