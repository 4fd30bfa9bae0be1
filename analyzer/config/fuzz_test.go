package config

import "testing"

// Any text gives a tree in bounded time, with every refusal at a place inside of its file and every level settled.
func FuzzResolve(f *testing.F) {
	for _, text := range nginxCases {
		f.Add(head + text + "\n}\n")
	}
	for _, text := range tableCases {
		f.Add(head + text + "\n}\n")
	}
	for _, text := range moduleCases {
		f.Add(text)
	}
	f.Add(head + "map_hash_max_size 2; map $uri $x { hostnames; *.a.b 1; .c.b 2; d.* 3; \\~e 4; f 5; g 6; h 7; i 8; j 9; k 1; l 2; }\n}\n")
	f.Add(zonesHead + "server { location / { limit_req zone=z burst=5 nodelay; if ($x) { return 1; } limit_except GET { deny all; } } } }")
	f.Fuzz(func(t *testing.T, text string) {
		tree := resolveText(t, text, "")
		for i := range tree.Refusals {
			r := &tree.Refusals[i]
			if r.Text == "" || r.Kind == "" {
				t.Errorf("refusal without words: %+v", r)
			}
			_ = r.Span.Text()
		}
		if tree.HTTP == nil {
			return
		}
		for _, s := range tree.HTTP.Servers {
			if len(s.Listens) == 0 || len(s.Names) == 0 {
				t.Error("server without listen or name")
			}
			settled(t, &s.Level)
			for _, l := range s.Ifs {
				settled(t, l)
			}
			for l := range s.AllLocations {
				settled(t, &l.Level)
				_ = l.Label()
				for _, branch := range l.Ifs {
					settled(t, branch)
				}
				if l.Except != nil {
					settled(t, l.Except)
				}
			}
		}
	})
}

func settled(t *testing.T, l *Level) {
	s := l.Settings
	if s == nil || s.LimitReqs == nil || s.LimitReqStatus == nil || s.LimitReqLogLevel == nil || s.LimitReqDryRun == nil ||
		s.LimitConns == nil || s.LimitConnStatus == nil || s.LimitConnLogLevel == nil || s.LimitConnDryRun == nil ||
		s.RealIPFrom == nil || s.RealIPHeader == nil || s.RealIPRecursive == nil || s.AccessLogs == nil || s.ErrorPages == nil {
		t.Errorf("%q is not settled", l.Context())
	}
}
