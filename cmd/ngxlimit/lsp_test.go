package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/cmd/internal/settings"
)

// The command speaks the protocol, and its exit status is the protocol's.
func TestLSPCommand(t *testing.T) {
	frame := func(content string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content) }
	head := frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":null,"capabilities":{}}}`)
	bye := frame(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`)
	for _, test := range []struct {
		args, in string
		want     int
	}{
		{"lsp --stdio", head + bye, exitOK},
		{"lsp", head, exitFound}, // the editor has gone without a word
		{"lsp --nginx-version 1.x", head + bye, exitTrouble},
		{"lsp --context server,http", head + bye, exitTrouble},
		{"lsp more", head + bye, exitTrouble},
	} {
		var out, errs bytes.Buffer
		if got := Main(strings.Fields(test.args), strings.NewReader(test.in), &out, &errs); got != test.want {
			t.Errorf("%s: status %d, not %d: %s", test.args, got, test.want, &errs)
		}
		if test.want != exitTrouble && (!strings.Contains(out.String(), `"name":"ngxlimit"`) || errs.Len() > 0) {
			t.Errorf("%s: %s %s", test.args, &out, &errs)
		}
	}
}

// What the settings file of an editor's folder names is read only in that folder.
func TestSettingsWithin(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	for name, text := range map[string]string{
		"outside.txt": "10.9.0.0/16\n", "fan.json": fenced(t, "docs/fans.md", "json"),
		"work/inside.txt": "10.8.0.0/16\n", "work/fan.json": fenced(t, "docs/fans.md", "json"), "work/x": "",
	} {
		if err := os.MkdirAll(work, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink(filepath.Join(dir, "outside.txt"), filepath.Join(work, "linked.txt")) == nil
	a := &app{stderr: &bytes.Buffer{}}
	path := filepath.Join(work, settings.FileName)
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"proxies: [inside.txt]\n", true},
		{"proxies: [cloudflare]\n", true},
		{"proxies: [../outside.txt]\n", false},
		{"proxies: [linked.txt]\n", !links},
		{"fans: [{fan: fan.json}]\n", true},
		{"fans: [{fan: ../fan.json}]\n", false},
	} {
		if strings.Contains(test.text, "linked") && !links {
			continue
		}
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := a.settingsWithin(path, work)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.text, err)
		}
		if test.ok && strings.HasPrefix(test.text, "proxies") && len(set.Facts.Fronts) != 1 {
			t.Errorf("%s: %+v", test.text, set.Facts.Fronts)
		}
	}
	if set, err := a.settingsWithin("", work); err != nil || set.Facts.Table == nil {
		t.Errorf("without a file: %v", err)
	}
}
