package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// Where nginx takes load_module and where not. "@" stands for the folder of the modules, "&" for another
// name of it.
var moduleCases = []string{
	`load_module @/ndk_http_module.so; events {} http { }`,
	`load_module @/ndk_http_module.so; load_module @/ngx_http_lua_module.so; events {} http { }`,
	`events {} load_module @/ndk_http_module.so; http { }`,
	`http { } load_module @/ndk_http_module.so; events {}`,
	`http { load_module @/ndk_http_module.so; } events {}`,
	`worker_priority 0; load_module @/ndk_http_module.so; worker_processes 1; events {} http { }`,
	`load_module @/ndk_http_module.so; load_module @/ndk_http_module.so; events {}`,
	`load_module @/ndk_http_module.so; load_module &/ndk_http_module.so; events {}`,
	`load_module @/ndk_http_module.so; events {} load_module @/ndk_http_module.so;`,
	`load_module @/ndk_http_module.so x; events {}`,
	`load_module @/ndk_http_module.so { } events {}`,
	`load_module; events {}`,
	`events {} events {} load_module @/ndk_http_module.so;`,
}

func TestModulesAgainstNginx(t *testing.T) {
	binary := nginxtest.Binary(t)
	const packaged = "/usr/lib/nginx/modules"
	for _, name := range []string{"ndk_http_module.so", "ngx_http_lua_module.so"} {
		if _, err := os.Stat(filepath.Join(packaged, name)); err != nil {
			t.Skip("nginx's Lua module is not installed")
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(packaged, link); err != nil {
		t.Fatal(err)
	}
	for _, text := range moduleCases {
		text = "pid nginx.pid; error_log error.log;\n" + strings.NewReplacer("@", packaged, "&", link).Replace(text)
		if diff := compare(t, binary, text); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}
