package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// An Identity names a finding so that the name survives moved lines, new spacing and another wording of the message: a
// digest of the rule, the context and the directive's words. What has all three the same has the same name.
type Identity [16]byte

// Identify returns the identity of a finding.
func Identify(f *rule.Finding) Identity { return digest(appendIdentity(nil, f)) }

func digest(text []byte) Identity {
	sum := sha256.Sum256(text)
	return Identity(sum[:16])
}

// String writes the identity as the fingerprint of the first finding that has it.
func (id Identity) String() string { return hex.EncodeToString(id[:]) }

// ParseIdentity reads what String writes.
func ParseIdentity(s string) (id Identity, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%q is no fingerprint", s)
	}
	return Identity(b), nil
}

// Numbers tell findings of the same identity apart by counting them. Inputs that are judged together share them, one
// after the other.
type Numbers map[Identity]int

// fingerprint gives each finding its identity, with its number where it is not the first.
func (s *sifter) fingerprint(found []*rule.Finding) {
	if s.options.NoFingerprints {
		return
	}
	n := s.options.Numbers
	var identity []byte
	for _, f := range found {
		identity = appendIdentity(identity[:0], f)
		id := digest(identity)
		f.Fingerprint = id.String()
		if before := n[id]; before > 0 {
			f.Fingerprint = digest(strconv.AppendInt(identity, int64(before), 10)).String()
		}
		n[id]++
	}
}

func appendIdentity(b []byte, f *rule.Finding) []byte {
	b = append(append(b, f.Rule.Name...), 0)
	for _, c := range ContextOf(f) {
		b = append(append(b, c...), 0)
	}
	return append(appendForm(append(b, 0), f), 0)
}

// ContextOf is the context that belongs to a finding's name: none where it is about a default, which is the same everywhere.
func ContextOf(f *rule.Finding) []string {
	if f.About != "" {
		return nil
	}
	return f.Within()
}

// NormalForm is the finding's directive with one space between its words, or, where there is no directive, the text found
// fault with, its white space reduced likewise. Of a finding about a default it is the default's name.
func NormalForm(f *rule.Finding) string { return string(appendForm(nil, f)) }

func appendForm(b []byte, f *rule.Finding) []byte {
	switch {
	case f.About != "":
		return append(b, f.About...)
	case f.Subject == nil:
		return append(b, strings.Join(strings.Fields(f.Primary.Text()), " ")...)
	}
	d := f.Subject
	b = append(b, d.Name().Value...)
	if d.Block != nil && d.Block.Code {
		return b
	}
	for _, a := range d.Args() {
		b = append(append(b, ' '), a.Value...)
	}
	return b
}
