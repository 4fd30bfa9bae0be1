package document

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/source"
)

func file(text string) *source.File { return &source.File{Path: "f", Text: text} }

func TestJSON(t *testing.T) {
	text := `{"a": ["x\"\u00e9\ud83d\ude00y", 5, null, true], "b": {"c": {}}}`
	v, err := JSON(file(text))
	if err != nil {
		t.Fatal(err)
	}
	a := v.Get("a").Items[0]
	if a.Text != "x\"é😀y" || v.Get("a").Items[1].Text != "5" || v.Get("b", "c").Kind != Object || v.Get("b", "d", "e") != nil || v.Span.Text() != text {
		t.Errorf("%+v", v)
	}
	for part, want := range map[string]string{"x": "x", `"`: `\"`, "é": `\u00e9`, "😀": `\ud83d\ude00`, "y": "y", "é😀": `\u00e9\ud83d\ude00`} {
		at := strings.Index(a.Text, part)
		if got := a.Place(at, at+len(part)).Text(); got != want {
			t.Errorf("%s stands at %s, want %s", part, got, want)
		}
	}
	for i := range a.Text {
		if s := a.Place(i, i+1); s.Start < a.Span.Start || s.End > a.Span.End || s.Start >= s.End {
			t.Errorf("byte %d stands at %v", i, s)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for text, says := range map[string]string{
		``: "empty", "\n ": "empty", `{"a": `: "cut off", `{"a": "b`: "cut off", `[1, 2`: "cut off", `{"a" 5}`: "it is not JSON", `{} x`: "something follows", `nope`: "it is not JSON",
		strings.Repeat("[", 100): "nested more than", "\n\n  {x}": "line 3, column",
	} {
		_, err := JSON(file(text))
		if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
}

const sample = `
variable "host" { default = "a.example" }
variable "secret" {}
locals {
  expr  = "http.host eq \"${var.host}\""
  whole = "${local.expr} and ssl"
  loop  = local.loop
}
resource "cloudflare_ruleset" "one" {
  zone_id = var.secret
  rules {
    expression = local.whole
    action     = "block"
    ratelimit {
      period          = 5 * 12
      characteristics = ["cf.colo.id", "ip.src"]
      limit           = var.secret
    }
  }
  rules {
    expression = "(a eq \"b\")"
    n          = data.other.thing.id
    here       = <<-EOT
      one
      two
    EOT
    list = concat(["a"], [lower("B")])
  }
  dynamic "rules" {
    for_each = ["x", "y"]
    content { expression = "host eq ${rules.value}" }
  }
  dynamic "rules" {
    for_each = var.secret
    content {}
  }
}
resource "cloudflare_ruleset" "two" {
  rules = [{ action = "block", ratelimit = { period = 10 } }]
  all   = [for x in ["a"] : x]
  none  = var.list[*]
}
variable "list" { default = [{ name = "a", on = true, n = "7" }, { name = "b", on = false, n = "8" }] }
locals {
  named = { for x in var.list : x.name => x if x.on }
}
resource "cloudflare_ruleset" "each" {
  for_each = toset(["p", "q"])
  zone     = each.value
  rules    = [for i, x in var.list : { ref = "${each.key}-${x.name}", n = tonumber(x.n) + i } if x.on]
  first    = local.named["a"].n
  same     = jsondecode(jsonencode({ a = [1] })).a
}
resource "cloudflare_ruleset" "counted" {
  count = 3
  n     = count.index
}
resource "cloudflare_ruleset" "dark" {
  for_each = var.secret
  zone     = each.value
}
module "far" {
  source = "./far"
}
`

func TestTerraform(t *testing.T) {
	all, err := Terraform([]*source.File{file(sample)})
	if err != nil || len(all) != 9 {
		t.Fatal(all, err)
	}
	rules := all[0].Value.Get("rules").Items
	if len(rules) != 5 {
		t.Fatalf("%d rules", len(rules))
	}
	first, second := rules[0], rules[1]
	if v := first.Get("expression"); v.Text != `http.host eq "a.example" and ssl` || v.Span.Text() != "local.whole" || v.Place(3, 5).Text() != "local.whole" {
		t.Errorf("%+v", v)
	}
	limit := first.Get("ratelimit").Items[0]
	if limit.Get("period").Text != "60" || limit.Get("characteristics").Items[1].Text != "ip.src" || limit.Get("characteristics").Items[1].Place(0, 2).Text() != "ip" {
		t.Errorf("%+v", limit)
	}
	for _, c := range []struct {
		v    *Value
		says string
	}{
		{limit.Get("limit"), "var.secret has no default"},
		{second.Get("n"), "data.other.thing.id is known to Terraform only"},
		{rules[4], "for_each: var.secret has no default"},
		{all[1].Value.Get("none"), "too much of it"},
	} {
		if c.v.Kind != Unknown || !strings.Contains(c.v.Why, c.says) {
			t.Errorf("%+v, want %s", c.v, c.says)
		}
	}
	e := second.Get("expression")
	if e.Text != `(a eq "b")` || e.Place(1, 2).Text() != "a" || e.Place(6, 9).Text() != `\"b\"` {
		t.Errorf("%q %q", e.Text, e.Place(6, 9).Text())
	}
	if h := second.Get("here"); h.Text != "one\ntwo\n" || h.Place(4, 7).Text() != "two" {
		t.Errorf("%q: %q", h.Text, h.Place(4, 7).Text())
	}
	if rules[3].Get("expression").Text != "host eq y" || second.Get("list").Items[1].Text != "b" {
		t.Errorf("%+v", rules[3])
	}
	for i, zone := range []string{"p", "q"} {
		v := all[2+i].Value
		rules := v.Get("rules")
		if v.Get("zone").Text != zone || len(rules.Items) != 1 || rules.Items[0].Get("ref").Text != zone+"-a" || rules.Items[0].Get("n").Text != "7" || v.Get("first").Text != "7" || v.Get("same").Items[0].Text != "1" {
			t.Errorf("%+v", v)
		}
		if at := rules.Items[0].Get("n").Span.Text(); at != "tonumber(x.n) + i" {
			t.Errorf("at %s", at)
		}
	}
	if v := all[6].Value.Get("n"); v.Text != "2" {
		t.Errorf("%+v", v)
	}
	if v := all[7].Value.Get("zone"); v.Kind != Unknown || !strings.Contains(v.Why, "each.value is known to Terraform only") {
		t.Errorf("%+v", v)
	}
	if r := all[8]; r.Type != "module" || r.Name != "far" || r.Value.Get("source").Text != "./far" {
		t.Errorf("%+v", r)
	}
	if v := all[1].Value.Get("rules").Items[0].Get("ratelimit", "period"); v.Text != "10" || v.Span.Text() != "10" {
		t.Errorf("%+v", v)
	}
}

// TestTerraformBombs has files that ask for too much refused, or left unknown, at once.
func TestTerraformBombs(t *testing.T) {
	var b strings.Builder
	b.WriteString("locals {\n a0 = \"xxxxxxxxxxxxxxxx\"\n")
	for i := range 60 {
		b.WriteString(strings.NewReplacer("N", strconv.Itoa(i+1), "M", strconv.Itoa(i)).Replace(" aN = \"${local.aM}${local.aM}\"\n"))
	}
	b.WriteString("}\nresource \"x\" \"y\" {\n v = local.a60\n w = local.a3\n f = format(\"%999999999s\", \"x\")\n}\n")
	all, err := Terraform([]*source.File{file(b.String())})
	if err != nil || all[0].Value.Get("v").Kind != Unknown || all[0].Value.Get("w").Text != strings.Repeat("x", 128) || all[0].Value.Get("f").Kind != Unknown {
		t.Errorf("%v, %+v", err, all[0].Value.Get("v"))
	}
	loops := "locals {\n l = [" + strings.Repeat("1, ", 300) + "]\n x = [for a in local.l : [for b in local.l : [for c in local.l : [for d in local.l : d]]]]\n}\nresource \"x\" \"y\" {\n v = local.x\n" +
		" w = [for a in local.l : [for b in local.l : [for c in local.l : c]]]\n}\n"
	if all, err := Terraform([]*source.File{file(loops)}); err != nil || all[0].Value.Get("v").Kind != Unknown || all[0].Value.Get("w").Kind == Null {
		t.Errorf("%v, %+v", err, all)
	}
	for _, text := range []string{
		"a = " + strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000), "a = " + strings.Repeat("!", 20_000) + "true",
		"a = " + strings.Repeat("- ", 20_000) + "1", "a = " + strings.Repeat("true ? 1 : ", 20_000) + "1", strings.Repeat("b {\n", 20_000),
		"a = \"${", "resource {", "\x00", "a = <<X\n", "a = " + strings.Repeat(`[")",`, 50_000), "a = " + strings.Repeat("1+", 50_000) + "1",
		"a = b" + strings.Repeat("[0]", 50_000), "a = b" + strings.Repeat(".0", 50_000), `a = "` + strings.Repeat("%{if true}", 20_000) + `"`,
		"a = (" + strings.Repeat("f(1, 2) +\n", 20_000) + "1)",
	} {
		if _, err := Terraform([]*source.File{file(text)}); err == nil {
			t.Errorf("%.20s... is taken", text)
		} else if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%.20s...: %v", text, err)
		}
	}
}

// TestTerraformDepth names the place where a file is nested too deep, and takes what only looks like it.
func TestTerraformDepth(t *testing.T) {
	for text, at := range map[string]source.Position{
		"x = 1\n# ((((\na = " + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000): {Line: 3, Column: 5 + mostBrackets},
		"x = 1\na = [" + strings.Repeat("[\n", 2000):                                        {Line: 1 + mostBrackets, Column: 1},
		"a = 1 " + strings.Repeat("+ 1 ", 20_000):                                           {Line: 1, Column: 7 + 4*mostSigns},
	} {
		_, err := Terraform([]*source.File{file(text)})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Span.From() != at {
			t.Errorf("%.20q...: %v, want %v", text, err, at)
		}
	}
	sound := "# " + strings.Repeat("(", 5000) + "\n/* " + strings.Repeat("[", 5000) + " */\na = \"" + strings.Repeat("(", 5000) + "\"\nb = [" + strings.Repeat("1 + 1,\n", 20_000) + "]\n"
	if _, err := Terraform([]*source.File{file(sound)}); err != nil {
		t.Error(err)
	}
}

// TestComments finds the comments of all three forms, and none within texts.
func TestComments(t *testing.T) {
	var got []string
	for _, s := range Comments(file("# one\r\na = 1 // two\nb = \"# no // no /* no */\" /* three */\nc = <<X\n# no\nX\n/* four\n * lines */ d = 2\n")) {
		got = append(got, s.Text())
	}
	if want := []string{"# one", "// two", "/* three */", "/* four\n * lines */"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func check(t *testing.T, v *Value, f *source.File) {
	if v == nil {
		return
	}
	if int(v.Span.End) > len(f.Text) || v.Span.Start > v.Span.End {
		t.Fatalf("%+v", v.Span)
	}
	if v.Kind == String {
		for i := range min(len(v.Text), 100) {
			if s := v.Place(i, i+1); int(s.End) > len(f.Text) || s.Start > s.End {
				t.Fatalf("%q at %d: %+v", v.Text, i, s)
			}
		}
	}
	for _, item := range v.Items {
		check(t, item, f)
	}
	for _, field := range v.Fields {
		check(t, field.Value, f)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a": ["x\"\u00e9\ud83d\ude00y", 5, null, true], "b": {"c": {}}}`)
	f.Add(`{"a": "\ud83d"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := JSON(file(text)); err == nil {
			check(t, v, v.Span.File)
		}
	})
}

func FuzzTerraform(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		at := file(text)
		all, err := Terraform([]*source.File{at})
		if err != nil {
			return
		}
		for _, r := range all {
			check(t, r.Value, at)
		}
	})
}
