package fronts

import (
	"cmp"
	"slices"
)

// A Kind is a sort of proxy: what it makes of the headers in which a client's address is handed on, if nobody told it
// otherwise. Where it connects from is known of a Front alone.
type Kind struct {
	ID      string   // "alb"
	Name    string   // for people: "AWS application balancer"
	Headers []Header // that it writes; every other one it hands on as it came. The best one first
	Speaks  bool     // it tells who connected to it in the PROXY protocol
	Makers  []string // commands whose output lists its networks begin so: "aws ec2"; nil where none does
	About   string   // what is taken for granted, as a clause; "" for nothing
	Source  string   // the page that says so
}

// xForwardedFor is the header to which most proxies add.
const xForwardedFor = "X-Forwarded-For"

var (
	appends  = []Header{{Name: xForwardedFor, Adds: 1}}
	replaces = []Header{{Name: xForwardedFor}, {Name: "X-Real-IP"}}
	ownKinds = []Kind{
		{
			ID: "akamai", Name: "Akamai", Headers: []Header{{Name: xForwardedFor, Adds: 1}, {Name: "True-Client-IP", Open: true}},
			About:  "True-Client-IP is sent only where the property says so",
			Source: "https://techdocs.akamai.com/property-mgr/docs/origin-server",
		},
		{ID: "alb", Name: "AWS application balancer", Headers: appends, Makers: []string{"aws ec2", "aws elb"}, About: "routing.http.xff_header_processing.mode is append, as it is at first", Source: "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/x-forwarded-headers.html"},
		{ID: "apache", Name: "Apache", Headers: appends, About: "ProxyAddHeaders is on, as it is at first", Source: "https://httpd.apache.org/docs/2.4/mod/mod_proxy.html#proxyaddheaders"},
		{ID: "appgateway", Name: "Azure application gateway", Headers: appends, Makers: []string{"az network vnet"}, Source: "https://learn.microsoft.com/en-us/azure/application-gateway/how-application-gateway-works"},
		{ID: "caddy", Name: "Caddy", Headers: replaces[:1], About: "trusted_proxies of Caddy is not set", Source: "https://caddyserver.com/docs/caddyfile/directives/reverse_proxy#defaults"},
		{ID: "cloudfront", Name: "CloudFront", Headers: appends, Makers: []string{"ip-ranges.json", "aws ec2 get-managed"}, Source: "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/RequestAndResponseBehaviorCustomOrigin.html"},
		{ID: "elb", Name: "AWS classic balancer", Headers: appends, Makers: []string{"aws ec2", "aws elb"}, About: "its listener speaks HTTP", Source: "https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/x-forwarded-headers.html"},
		{ID: "envoy", Name: "Envoy", Headers: appends, About: "use_remote_address is on", Source: "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-for"},
		{
			ID: "frontdoor", Name: "Azure Front Door", Headers: []Header{{Name: "X-Azure-SocketIP"}, {Name: xForwardedFor, Adds: 1}, {Name: "X-Azure-ClientIP", Open: true}},
			Makers: []string{"az network list-service-tags"}, Source: "https://learn.microsoft.com/en-us/azure/frontdoor/front-door-http-headers-protocol",
		},
		{ID: "google-regional", Name: "Google Cloud regional balancer", Headers: []Header{{Name: xForwardedFor, Adds: 2}}, Makers: []string{"gcloud"}, Source: "https://cloud.google.com/load-balancing/docs/https#x-forwarded-for_header"},
		{ID: "haproxy", Name: "HAProxy", Headers: appends, About: "it has option forwardfor", Source: "https://docs.haproxy.org/2.8/configuration.html#4.2-option%20forwardfor"},
		{ID: "ingress-nginx", Name: "ingress-nginx", Headers: replaces, Makers: []string{"kubectl"}, About: "use-forwarded-headers is false, as it is at first", Source: "https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/#use-forwarded-headers"},
		{
			ID: "nginx", Name: "nginx", Headers: []Header{{Name: xForwardedFor, Adds: 1}, {Name: "X-Real-IP"}},
			About:  "it sets X-Forwarded-For to $proxy_add_x_forwarded_for and X-Real-IP to $remote_addr; without these it hands on what the client sent",
			Source: "https://nginx.org/en/docs/http/ngx_http_proxy_module.html#var_proxy_add_x_forwarded_for",
		},
		{
			ID: "nlb", Name: "AWS network balancer", Speaks: true, Makers: []string{"aws ec2", "aws elb"},
			About:  "its target group has the PROXY protocol on; one that keeps the clients' addresses is no hop, and is left out",
			Source: "https://docs.aws.amazon.com/elasticloadbalancing/latest/network/edit-target-group-attributes.html#proxy-protocol",
		},
		{ID: "traefik", Name: "Traefik", Headers: replaces, About: "its entry point trusts nobody's forwarded headers, as at first", Source: "https://doc.traefik.io/traefik/routing/entrypoints/#forwarded-headers"},
		{ID: "varnish", Name: "Varnish", Headers: appends, Source: "https://varnish-cache.org/docs/trunk/users-guide/vcl-built-in-subs.html"},
	}
)

// Kinds returns the kinds of proxies that are known, in the order of their names: those that publish their networks, and
// those whose networks lie in an account or a house of one's own.
func Kinds() []Kind {
	all := slices.Clone(ownKinds)
	for _, f := range BuiltIn().Fronts {
		k := Kind{ID: f.ID, Name: f.Name, Headers: f.Headers, Source: f.Source}
		if f.ID == "google" {
			k.Makers = []string{"gcloud"}
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Kind) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// KindOf returns the kind of an ID; ok is false where there is none.
func KindOf(id string) (kind Kind, ok bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.ID == id })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}
