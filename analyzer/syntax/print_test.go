package syntax

import "strings"

// printed writes directives as nginx would read them again, on one line: a word stands in quotes only where it needs
// them, so that tests can show trees in nginx's own spelling.
func printed(directives []Directive) string {
	var b strings.Builder
	printTo(&b, directives)
	return strings.TrimSpace(b.String())
}

func printTo(b *strings.Builder, directives []Directive) {
	for i := range directives {
		d := &directives[i]
		args := d.Words()[1:]
		code := d.Block != nil && d.Block.Code
		if code {
			args = args[:len(args)-1]
		}
		printWord(b, d.Name().Value)
		for _, a := range args {
			b.WriteByte(' ')
			printWord(b, a.Value)
		}
		switch {
		case code:
			b.WriteString(" {" + d.LastWord().Value + "}\n")
		case d.Block != nil:
			b.WriteString(" { ")
			printTo(b, d.Block.Directives)
			b.WriteString("} ")
		default:
			b.WriteString("; ")
		}
	}
}

func printWord(b *strings.Builder, value string) {
	if value != "" && strings.IndexFunc(value, func(c rune) bool {
		return (c < '0' || c > '9') && (c < '@' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("_.,:/=*+^~()[]-$", c)
	}) < 0 {
		b.WriteString(value)
		return
	}
	b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`)
}
