package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/load"
	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// unpackDump writes the files of a dump below a folder, and what the certificate's and the logs' paths name into it.
func unpackDump(t *testing.T, dump, folder string) (main string) {
	t.Helper()
	inputs, err := load.Load([]string{dump}, load.Options{})
	if err != nil || len(inputs) != 1 {
		t.Fatalf("%d configurations, %v", len(inputs), err)
	}
	for _, doc := range inputs[0].Documents {
		text := strings.NewReplacer("/var/log/nginx/", folder+"/", "/etc/nginx/tls/portal", folder+"/portal", "/run/nginx.pid", folder+"/nginx.pid", "user www-data;", "",
			"listen 443 ssl", "listen 127.0.0.1:8443", "listen 80", "listen 127.0.0.1:8080").Replace(doc.File.Text)
		path := filepath.Join(folder, strings.TrimPrefix(doc.File.Path, "/etc/nginx/"))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, filepath.Base(inputs[0].Main.File.Path))
}

// TestMendTrustline mends the portal's tree: the tool leaves one that nginx takes, on which no page waits any more, and a
// second run changes nothing.
func TestMendTrustline(t *testing.T) {
	folder := t.TempDir()
	conf := unpackDump(t, filepath.Join(nginxtest.Root(t), "fixtures", "trustline", "before.dump"), folder)
	check := func(args ...string) string {
		var out, errs bytes.Buffer
		Main(append([]string{"check", "--fail-on", "never", conf}, args...), strings.NewReader(""), &out, &errs)
		if errs.Len() > 0 {
			t.Errorf("check %v: %s", args, &errs)
		}
		return out.String()
	}
	portal := filepath.Join(folder, "conf.d", "portal.conf")
	before := readText(t, portal)
	if out := check("--fix"); !strings.Contains(out, "add nodelay [missing-nodelay]") {
		t.Errorf("not mended:\n%s", out)
	}
	after := readText(t, portal)
	if want := strings.Replace(before, "burst=10;", "burst=10 nodelay;", 1); after != want {
		t.Errorf("the file reads:\n%s", after)
	}
	if out := check("--enable", "missing-nodelay"); strings.Contains(out, "[missing-nodelay]") {
		t.Errorf("still found:\n%s", out)
	}
	check("--fix")
	if again := readText(t, portal); again != after {
		t.Errorf("a second run changes it to:\n%s", again)
	}
	nginxtest.Binary(t)
	certify(t, filepath.Join(folder, "portal"))
	if v := nginxtest.Check(t, folder, conf); !v.Accepted {
		t.Errorf("after --fix: %s", v.Output)
	}
	check("--fix", "--unsafe-fixes")
	if v := nginxtest.Check(t, folder, conf); !v.Accepted {
		t.Errorf("after --unsafe-fixes: %s", v.Output)
	}
	if out := check("--enable", "missing-nodelay,burst-below-fan,default-reject-status"); !strings.Contains(out, "nothing found") {
		t.Errorf("after --unsafe-fixes:\n%s", out)
	}
}

// certify makes a certificate and its key.
func certify(t *testing.T, path string) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"portal.trustline.example"}}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, public, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name, kind string
		data       []byte
	}{{path + ".crt", "CERTIFICATE", cert}, {path + ".key", "PRIVATE KEY", private}} {
		if err := os.WriteFile(f.name, pem.EncodeToMemory(&pem.Block{Type: f.kind, Bytes: f.data}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
