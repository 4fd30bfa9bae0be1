package settings

import (
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"github.com/ngxlimit/ngxlimit/model/chain"
)

// chain reads the proxies that requests pass: a list, or one word as --chain takes it. Paths are taken from the settings
// file's folder.
func (r *reader) chain(n ast.Node) error {
	if text, ok := scalar(n); ok {
		for _, member := range chain.Split(text) {
			if err := r.member(n, member); err != nil {
				return err
			}
		}
		return nil
	}
	return r.each(n, "a list of proxies such as [cloudflare, alb=subnets.json]", func(v ast.Node) error {
		text, ok := scalar(v)
		if !ok {
			return r.fail(v, "want a proxy such as alb or alb=subnets.json, not %s", describe(v))
		}
		return r.member(v, text)
	})
}

func (r *reader) member(n ast.Node, text string) error {
	p, err := chain.ParseProxy(text)
	if err != nil {
		return r.fail(n, "%v", err)
	}
	for i, f := range p.Files {
		if !filepath.IsAbs(f) {
			p.Files[i] = filepath.Join(filepath.Dir(r.path), filepath.FromSlash(f))
		}
	}
	r.out.Chain = append(r.out.Chain, Member{p, r.path + at(n.GetToken())})
	return nil
}
