package run

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/syntax"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// setFingerprints gives each finding a name that survives moved lines, new spacing and another wording of the message:
// the rule, the context, the directive's words, and a running number among those that have all three the same.
func setFingerprints(found []rule.Finding) {
	seen := make(map[[sha256.Size]byte]int, len(found))
	var identity []byte
	for i := range found {
		f := &found[i]
		identity = appendIdentity(identity[:0], f)
		sum := sha256.Sum256(identity)
		n := seen[sum]
		seen[sum]++
		if n > 0 {
			sum = sha256.Sum256(strconv.AppendInt(identity, int64(n), 10))
		}
		f.Fingerprint = hex.EncodeToString(sum[:16])
	}
}

func appendIdentity(b []byte, f *rule.Finding) []byte {
	b = append(append(b, f.Rule.Name...), 0)
	for _, c := range f.Context {
		b = append(append(b, c...), 0)
	}
	return append(append(append(b, 0), normalForm(f)...), 0)
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
	b.WriteString(d.Name().Value)
	if d.Block != nil && d.Block.Code {
		return b.String()
	}
	for _, a := range d.Args() {
		b.WriteByte(' ')
		b.WriteString(a.Value)
	}
	return b.String()
}
