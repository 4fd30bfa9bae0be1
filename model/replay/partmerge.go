package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A Named is a part and the file that it was read from.
type Named struct {
	File string
	Part *Part
}

// Exact says why the parts that a replay was cut into would not be what one run is; nil where they are.
func (p *Part) Exact() error {
	for i := range p.Hosts {
		if p.Hosts[i].together {
			return fmt.Errorf("the logs are of more than %d nginx hosts, and the last ones are taken together: write a part for fewer of them at a time", mostHosts)
		}
	}
	return nil
}

// Merge joins the parts of one replay, and returns its head. It refuses parts of different replays, and parts that hold
// requests of the same nginx: those were counted in the same zones, and how is lost.
func Merge(parts []Named) (*Result, Head, error) {
	if len(parts) == 0 {
		return nil, Head{}, errors.New("no part to merge")
	}
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b Named) int { return cmp.Compare(a.File, b.File) })
	head := parts[0].Part.Head
	at := map[string]string{}
	list := make([]*Part, len(parts))
	for i, p := range parts {
		if err := alike(parts[0], p); err != nil {
			return nil, Head{}, err
		}
		head.Input = min(head.Input, p.Part.Head.Input)
		for j := range p.Part.Hosts {
			name := p.Part.Hosts[j].Nginx
			other, twice := at[name]
			switch {
			case twice && name == "":
				return nil, Head{}, fmt.Errorf("%s and %s both hold requests of an nginx without a name: replay their logs in one run, or name each nginx when the parts are written", other, p.File)
			case twice:
				return nil, Head{}, fmt.Errorf("%s and %s both hold requests of nginx %q, whose zones counted them together: replay its logs in one run", other, p.File, name)
			}
			at[name] = p.File
		}
		list[i] = p.Part
	}
	out := Join(list)
	if out.Lines == 0 {
		return nil, Head{}, ErrNoLine
	}
	return out, head, nil
}

// alike refuses parts that are not of one replay.
func alike(a, b Named) error {
	x, y := &a.Part.Head, &b.Part.Head
	differ := func(what string, p, q any) error {
		return fmt.Errorf("%s and %s are not of one replay: %s %v and %v", a.File, b.File, what, p, q)
	}
	switch {
	case x.Tool != y.Tool:
		return differ("they were written by ngxlimit", x.Tool, y.Tool)
	case x.Config != y.Config:
		return differ("their configurations differ, with the digests", x.Config, y.Config)
	case x.NginxVersion != y.NginxVersion:
		return differ("--nginx-version is", orNone(x.NginxVersion), orNone(y.NginxVersion))
	case x.FromMs != y.FromMs:
		return differ("--from is", momentText(x.FromMs), momentText(y.FromMs))
	case x.ToMs != y.ToMs:
		return differ("--to is", momentText(x.ToMs), momentText(y.ToMs))
	case x.Host != y.Host:
		return differ("--host is", orNone(x.Host), orNone(y.Host))
	case (x.Redacted == "") != (y.Redacted == ""):
		return differ("one is redacted and the other not, by", orNone(x.Redacted), orNone(y.Redacted))
	case x.Redacted != y.Redacted:
		return differ("they are redacted with different secrets (--redact-salt), of the digests", x.Redacted, y.Redacted)
	case !slices.Equal(x.Refused, y.Refused):
		return fmt.Errorf("%s and %s are not of one replay: different things of their configurations are left out", a.File, b.File)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "not given"
	}
	return s
}

func momentText(ms int64) string {
	if ms == 0 {
		return "not given"
	}
	return timeText(ms)
}
