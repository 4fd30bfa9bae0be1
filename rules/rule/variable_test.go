package rule_test

import (
	"testing"

	"github.com/ngxlimit/ngxlimit/rules/rule"
)

func TestVariableKinds(t *testing.T) {
	type kinds struct{ address, chain, chosen, credential, fresh, uri bool }
	for name, want := range map[string]kinds{
		"http_x_forwarded_for":          {address: true, chain: true},
		"http_x_original_forwarded_for": {address: true, chain: true},
		"http_forwarded":                {address: true, chain: true},
		"http_x_real_ip":                {address: true},
		"http_cf_connecting_ip":         {address: true},
		"http_cf_connecting_ipv6":       {address: true},
		"http_true_client_ip":           {address: true},
		"http_fastly_client_ip":         {address: true},
		"http_x_client_ip":              {address: true},
		"http_x_cluster_client_ip":      {address: true},
		"http_client_ip":                {address: true},
		"http_x_azure_clientip":         {address: true},
		"http_x_azure_socketip":         {address: true},
		"proxy_add_x_forwarded_for":     {address: true, chain: true},
		"http_x_forwarded_proto":        {chosen: true},
		"http_x_forwarded_host":         {chosen: true},
		"http_x_ship":                   {chosen: true},
		"http_x_api_key":                {chosen: true, credential: true},
		"http_authorization":            {chosen: true, credential: true},
		"cookie_session":                {chosen: true, credential: true},
		"cookie_lang":                   {chosen: true},
		"arg_token":                     {chosen: true, credential: true, uri: true},
		"arg_id":                        {chosen: true, uri: true},
		"http_user_agent":               {chosen: true},
		"http_host":                     {chosen: true},
		"remote_user":                   {chosen: true, credential: true},
		"request_uri":                   {uri: true},
		"args":                          {uri: true},
		"request_id":                    {fresh: true},
		"connection":                    {fresh: true},
		"remote_port":                   {fresh: true},
		"remote_addr":                   {},
		"binary_remote_addr":            {},
		"server_name":                   {},
		"host":                          {},
		"request_method":                {},
		"request_time":                  {}, // 0.000 for everybody when the limiters are asked
	} {
		got := kinds{rule.AddressHeader(name), rule.AddressHeader(name) && rule.Chain(name), rule.Chosen(name), rule.Chosen(name) && rule.Credential(name), rule.Fresh(name), rule.OfURI(name)}
		if got != want {
			t.Errorf("$%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestStanceOf(t *testing.T) {
	for name, want := range map[string]rule.Stance{
		"whitelist": rule.Friends, "is_whitelisted": rule.Friends, "trusted": rule.Friends, "office": rule.Friends, "internal_net": rule.Friends,
		"no_limit": rule.Friends, "limit_exempt": rule.Friends, "limit_whitelist": rule.Friends, "allowed_ip": rule.Friends,
		"blacklist": rule.Foes, "bad_bot": rule.Foes, "not_trusted": rule.Foes, "untrusted": rule.Foes, "bot_whitelist": rule.Foes,
		"limit": rule.Limits, "limited": rule.Limits, "rate_limit": rule.Limits, "limit_key": rule.Limits,
		"client": rule.Neutral, "": rule.Neutral, "group": rule.Neutral, "no_cache": rule.Neutral,
	} {
		if got := rule.StanceOf(name); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
}

func TestNamesTotal(t *testing.T) {
	for name, want := range map[string]bool{
		"total": true, "api_total": true, "all": true, "global-limit": true, "per_server": true, "ALL": true,
		"per_ip": false, "clients": false, "login": false, "allow": false, "": false,
	} {
		if got := rule.NamesTotal(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
