package rule_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestGuessable(t *testing.T) {
	for _, uri := range []string{
		"/login", "/users/sign_in", "/api/v1/auth/login/", "/wp-login.php", "/oauth/token", "/users/password/reset", "/password/forgot",
		"/account/recover", "/passwords/edit", "/2fa/verify", "/admin/login_check", "/ForgotPassword.aspx",
	} {
		if !rule.Guessable(uri) {
			t.Errorf("%s is not taken for a place to guess at", uri)
		}
	}
	for _, uri := range []string{"/", "/reset", "/cart/reset", "/account/new", "/account/edit", "/new", "/blog/passwords", "/login/help", "/tokens/list", "reset"} {
		if rule.Guessable(uri) {
			t.Errorf("%s is taken for a place to guess at", uri)
		}
	}
}
