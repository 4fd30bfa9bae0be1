package config

import (
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// nginx takes locations that are nested thousands deep, and so it is read here.
func TestDeepLocationsByNginx(t *testing.T) {
	const n = 3_000
	text := head + "server { listen 127.0.0.1:18801;" + strings.Repeat("location / {\n", n) + "deny x;" + strings.Repeat("}", n) + "} }\n"
	if diff := compare(t, nginxtest.Binary(t), text); diff != "" {
		t.Error(diff)
	}
	if diff := compare(t, nginxtest.Binary(t), strings.Replace(text, "deny x;", "deny all;", 1)); diff != "" {
		t.Error(diff)
	}
}
