package document

import "github.com/ngxlimit/ngxlimit/analyzer/source"

// TerraformJSON returns the resources of Terraform's JSON: of configuration in JSON, or of terraform show -json.
func TerraformJSON(v *Value) []Resource {
	var all []Resource
	if types := v.Get("resource"); types != nil {
		for _, kind := range types.Fields {
			for _, named := range kind.Value.Fields {
				blocks := named.Value.Items
				if named.Value.Kind == Object {
					blocks = []*Value{named.Value}
				}
				for _, b := range blocks {
					all = append(all, Resource{Type: kind.Name, Name: named.Name, Value: b, Span: named.Span})
				}
			}
		}
	}
	for _, state := range []string{"values", "planned_values"} {
		all = append(all, moduleJSON(v.Get(state, "root_module"), 0)...)
	}
	return all
}

func moduleJSON(m *Value, depth int) []Resource {
	if m == nil || depth > 10 {
		return nil
	}
	var all []Resource
	if list := m.Get("resources"); list != nil {
		for _, b := range list.Items {
			if values := b.Get("values"); values != nil {
				kind := b.Get("type").TextOr("")
				if b.Get("mode").TextOr("") == "data" {
					kind = "data." + kind
				}
				all = append(all, Resource{Type: kind, Name: b.Get("name").TextOr(""), Value: values, Span: firstByte(b.Span)})
			}
		}
	}
	if list := m.Get("child_modules"); list != nil {
		for _, child := range list.Items {
			all = append(all, moduleJSON(child, depth+1)...)
		}
	}
	return all
}

// firstByte is where something long begins.
func firstByte(s source.Span) source.Span {
	s.End = min(s.End, s.Start+1)
	return s
}
