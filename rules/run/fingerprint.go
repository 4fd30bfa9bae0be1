package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// setFingerprints gives each finding a name that survives moved lines, new spacing and another wording of the message:
// the rule, the context, the directive's words, and a running number among those that have all three the same.
func setFingerprints(found []rule.Finding) {
	seen := make(map[string]int)
	for i := range found {
		f := &found[i]
		identity := f.Rule.Name + "\x00" + strings.Join(f.Context, "\x00") + "\x00\x00" + normalForm(f)
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", identity, seen[identity]))
		seen[identity]++
		f.Fingerprint = hex.EncodeToString(sum[:16])
	}
}

// normalForm is the directive's words with one space between, or, where there is no directive, the text found fault
// with, its white space reduced likewise.
func normalForm(f *rule.Finding) string {
	if f.Subject == nil {
		return strings.Join(strings.Fields(f.Primary.Text()), " ")
	}
	return words(f.Subject)
}

func words(d *syntax.Directive) string {
	var b strings.Builder
	b.WriteString(d.Name.Value)
	if d.Block != nil && d.Block.Code {
		return b.String()
	}
	for _, a := range d.Args {
		b.WriteByte(' ')
		b.WriteString(a.Value)
	}
	return b.String()
}
