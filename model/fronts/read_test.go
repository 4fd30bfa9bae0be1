package fronts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// shown writes a list's networks in one line.
func shown(l *List) string {
	var all []string
	for _, n := range l.Networks {
		all = append(all, n.String())
	}
	return strings.Join(all, "; ")
}

// forms are texts of each kind that can be read, and what is read of them.
var forms = []struct{ name, text, made, want string }{
	{
		"subnets", `{"Subnets": [{"SubnetId": "subnet-a", "AvailabilityZone": "z-1a", "CidrBlock": "10.0.0.0/22",
			"Ipv6CidrBlockAssociationSet": [{"Ipv6CidrBlock": "2001:db8:a::/64", "Ipv6CidrBlockState": {"State": "associated"}}]},
			{"SubnetId": "subnet-b", "AvailabilityZone": "z-1b", "CidrBlock": "10.0.4.0/22"}]}`,
		"aws ec2 describe-subnets", "10.0.0.0/22 (subnet-a, z-1a); 2001:db8:a::/64 (subnet-a, z-1a); 10.0.4.0/22 (subnet-b, z-1b)",
	},
	{
		"subnets cut down by --query", `[{"SubnetId": "subnet-a", "CidrBlock": "10.0.0.0/22", "AvailabilityZone": "z-1a"}]`,
		"aws ec2 describe-subnets", "10.0.0.0/22 (subnet-a, z-1a)",
	},
	{
		"prefix list", `{"Entries": [{"Cidr": "13.124.199.0/24", "Description": "edge"}, {"Cidr": "130.176.0.0/18"}]}`,
		"aws ec2 get-managed-prefix-list-entries", "13.124.199.0/24 (edge); 130.176.0.0/18",
	},
	{
		"ip-ranges", `{"syncToken": "1", "createDate": "2026-11-20-21-15-01",
			"prefixes": [{"ip_prefix": "3.0.0.0/15", "service": "EC2"}, {"ip_prefix": "120.52.22.96/27", "service": "CLOUDFRONT_ORIGIN_FACING"}],
			"ipv6_prefixes": [{"ipv6_prefix": "2600:9000:5380::/41", "service": "CLOUDFRONT_ORIGIN_FACING"}]}`,
		"ip-ranges.json", "120.52.22.96/27; 2600:9000:5380::/41",
	},
	{
		"gcloud subnets", `[{"name": "web", "ipCidrRange": "10.1.0.0/20", "purpose": "PRIVATE", "region": "https://x/regions/europe-west3"},
			{"name": "proxies", "ipCidrRange": "10.129.0.0/23", "purpose": "REGIONAL_MANAGED_PROXY", "region": "https://x/regions/europe-west3"}]`,
		"gcloud compute networks subnets list", "10.129.0.0/23 (proxies, europe-west3)",
	},
	{
		"gcloud rules", `[{"kind": "compute#forwardingRule", "name": "web-rule", "IPAddress": "203.0.113.80"}]`,
		"gcloud compute forwarding-rules list", "203.0.113.80/32 (web-rule)",
	},
	{"az subnet", `{"name": "gateway", "addressPrefix": "10.2.0.0/24", "id": "/subscriptions/x"}`, "az network vnet subnet show", "10.2.0.0/24 (gateway)"},
	{
		"az subnets", `[{"name": "gateway", "addressPrefixes": ["10.2.0.0/24", "2001:db8:2::/64"]}, {"name": "other", "addressPrefix": "10.2.1.0/24"}]`,
		"az network vnet subnet list", "10.2.0.0/24 (gateway); 2001:db8:2::/64 (gateway); 10.2.1.0/24 (other)",
	},
	{
		"service tags", `{"changeNumber": 1, "cloud": "Public", "values": [{"name": "ActionGroup", "properties": {"addressPrefixes": ["13.66.60.119/32"]}},
			{"name": "AzureFrontDoor.Backend", "properties": {"addressPrefixes": ["4.232.98.112/29", "2603:1030::/59"]}}]}`,
		"az network list-service-tags", "4.232.98.112/29; 2603:1030::/59",
	},
	{
		"nodes", `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "n1"}, "spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"]},
			"status": {"addresses": [{"type": "InternalIP", "address": "192.168.1.11"}, {"type": "Hostname", "address": "n1"}]}}]}`,
		"kubectl get nodes", "10.244.0.0/24 (pods of n1); 192.168.1.11/32 (node n1)",
	},
	{"docker", `[{"Name": "proxy", "IPAM": {"Driver": "default", "Config": [{"Subnet": "172.19.0.0/16", "Gateway": "172.19.0.1"}]}}]`, "docker network inspect", "172.19.0.0/16 (proxy)"},
	{"cloudflare", `{"result": {"ipv4_cidrs": ["173.245.48.0/20"], "ipv6_cidrs": ["2400:cb00::/32"], "etag": "x"}, "success": true}`, "Cloudflare's list", "173.245.48.0/20; 2400:cb00::/32"},
	{"fastly", `{"addresses": ["23.235.32.0/20"], "ipv6_addresses": ["2a04:4e40::/32"]}`, "Fastly's list", "23.235.32.0/20; 2a04:4e40::/32"},
	{"addresses", `["203.0.113.1", "2001:db8::1"]`, "a list of networks", "203.0.113.1/32; 2001:db8::1/128"},
	{
		"plain", "\ufeff# nodes and pods\r\n10.244.0.0/16, 10.96.0.0/12\r\n192.168.1.11 # n1\n192.168.1.11\n\n",
		"a list of networks", "10.244.0.0/16; 10.96.0.0/12; 192.168.1.11/32",
	},
	{"pages", `[{"Subnets": [{"SubnetId": "s-a", "CidrBlock": "10.0.0.0/22"}]}, {"Subnets": [{"SubnetId": "s-b", "CidrBlock": "10.0.4.0/22"}]}]`, "aws ec2 describe-subnets", "10.0.0.0/22 (s-a); 10.0.4.0/22 (s-b)"},
	{"pages in a row", `{"Subnets": [{"SubnetId": "s-a", "CidrBlock": "10.0.0.0/22"}], "NextToken": null}` + "\n" + `{"Subnets": [{"SubnetId": "s-b", "CidrBlock": "10.0.4.0/22"}]}`, "aws ec2 describe-subnets", "10.0.0.0/22 (s-a); 10.0.4.0/22 (s-b)"},
	{"arrays of pages", `[[{"SubnetId": "s-a", "CidrBlock": "10.0.0.0/22"}], [], [{"SubnetId": "s-b", "CidrBlock": "10.0.4.0/22"}]]`, "aws ec2 describe-subnets", "10.0.0.0/22 (s-a); 10.0.4.0/22 (s-b)"},
	{"objects in a row", `{"SubnetId": "s-a", "CidrBlock": "10.0.0.0/22"}` + "\n" + `{"SubnetId": "s-b", "CidrBlock": "10.0.4.0/22"}`, "aws ec2 describe-subnets", "10.0.0.0/22 (s-a); 10.0.4.0/22 (s-b)"},
	{"texts in a row", "\"10.0.0.0/22\"\n\"10.0.4.0/22\"\n", "a list of networks", "10.0.0.0/22; 10.0.4.0/22"},
	{"rows", `[["10.0.0.0/22", "eu-central-1a"], ["subnet-b", "10.0.4.0/22"]]`, "a list of networks", "10.0.0.0/22 (eu-central-1a); 10.0.4.0/22 (subnet-b)"},
	{"rows of text", "subnet-0a1\t10.0.0.0/22\teu-central-1a\r\n10.0.4.0/22 eu-central-1b\n", "a list of networks", "10.0.0.0/22 (subnet-0a1, eu-central-1a); 10.0.4.0/22 (eu-central-1b)"},
	{"ip-ranges filtered", `{"prefixes": [{"ip_prefix": "120.52.22.96/27", "service": "CLOUDFRONT_ORIGIN_FACING"}]}`, "ip-ranges.json", "120.52.22.96/27"},
	{"ip-ranges cut out", `[{"ip_prefix": "120.52.22.96/27", "service": "CLOUDFRONT_ORIGIN_FACING"}, {"ip_prefix": "3.0.0.0/15", "service": "EC2"}]`, "ip-ranges.json", "120.52.22.96/27"},
	{"service tags by the API", `{"value": [{"name": "AzureFrontDoor.Backend", "properties": {"addressPrefixes": ["4.232.98.112/29"]}}]}`, "az network list-service-tags", "4.232.98.112/29"},
	{"one node", `{"kind": "Node", "metadata": {"name": "n1"}, "spec": {"podCIDR": "10.244.0.0/24"}}`, "kubectl get node", "10.244.0.0/24 (pods of n1)"},
	{"include", "set_real_ip_from 10.0.0.0/22;\nset_real_ip_from unix:;\n  set_real_ip_from 2001:db8::/32; # edge\n", "a list of networks", "10.0.0.0/22; 2001:db8::/32"},
}

func TestRead(t *testing.T) {
	for _, tt := range forms {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read("f", []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if f.List.Made != tt.made {
				t.Errorf("made of %q, want %q", f.List.Made, tt.made)
			}
			if got := shown(f.List); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for _, n := range f.List.Networks {
				if !f.List.Set().ContainsPrefix(n.Prefix) {
					t.Errorf("the set lacks %s", n)
				}
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", " \n", "it is empty"},
		{"comments", "# nothing\n", "holds no network"},
		{"no network", `{"Subnets": []}`, "aws ec2 describe-subnets holds no network"},
		{"a page", `{"Subnets": [{"CidrBlock": "10.0.0.0/22"}], "NextToken": "x"}`, "one page of several"},
		{"interfaces", `{"NetworkInterfaces": [{"PrivateIpAddress": "10.0.0.7"}]}`, `want "aws ec2 describe-subnets"`},
		{"targets", `{"TargetGroups": []}`, "what a balancer connects to"},
		{"vpcs", `{"Vpcs": [{"CidrBlock": "10.0.0.0/16"}]}`, "a VPC is more than its balancers"},
		{"vnet", `{"addressSpace": {"addressPrefixes": ["10.2.0.0/16"]}, "name": "v"}`, `want "az network vnet subnet show"`},
		{"gateway", `{"gatewayIPConfigurations": []}`, `want "az network vnet subnet show"`},
		{"google", `{"syncToken": "1", "creationTime": "x", "prefixes": [{"ipv4Prefix": "8.8.4.0/24"}]}`, "all of Google's addresses"},
		{"pods", `{"kind": "List", "items": [{"kind": "Pod"}]}`, `objects of the kind Pod: want "kubectl get nodes -o json"`},
		{"no edge", `{"createDate": "2026-11-20-21-15-01", "prefixes": [{"ip_prefix": "3.0.0.0/15", "service": "EC2"}], "ipv6_prefixes": []}`, "no entry of the service CLOUDFRONT_ORIGIN_FACING"},
		{"no tag", `{"values": [{"name": "Sql"}]}`, "no tag AzureFrontDoor.Backend"},
		{"unknown", `{"a": 1, "b": 2}`, `unknown JSON with the keys "a", "b": want the output of`},
		{"unknown array", `[{"a": 1}]`, `objects with the keys "a"`},
		{"numbers", `[1, 2]`, "unknown JSON"},
		{"broken", "\ufeff\n{\"Subnets\": [", "no JSON at line 2, column 14: it ends early"},
		{"broken in a line", "\n\n{\"Subnets\":\n [x]}", "no JSON at line 4, column 3: invalid character 'x'"},
		{"behind the end", "{\"Subnets\": []}\n x", "no JSON at line 2, column 2: invalid character 'x'"},
		{"nested", strings.Repeat("[", 20_000), "exceeded max depth"},
		{"type", `{"Subnets": [{"CidrBlock": 7}]}`, `in which "Subnets.CidrBlock" is of the type number: want the output of`},
		{"list in a list of lists", `[["10.0.0.0/22"], [[{"CidrBlock": "10.0.4.0/22"}], [["10.0.8.0/22"]]]]`, "a list that holds"},
		{"number beside lists", `[["10.0.0.0/22"], 5]`, `a list that holds "5"`},
		{"no keys", `[{}]`, "with the keys (none)"},
		{"subnet without network", `{"Subnets": [{"CidrBlock": "10.0.0.0/22"}, {"SubnetId": "subnet-b"}]}`, `entry 2, "subnet-b", has no network`},
		{"answers mixed", `[{"CidrBlock": "10.0.0.0/22"}, {"ipCidrRange": "10.0.4.0/22"}]`, "entry 2 has no network"},
		{"google's without network", `[{"ipCidrRange": "10.0.4.0/22"}, {"name": "b"}]`, `entry 2, "b", has no network`},
		{"azure's without network", `[{"addressPrefix": "10.0.4.0/22"}, {"name": "b"}]`, `entry 2, "b", has no network`},
		{"mask", "10.0.0.0/33\n", `line 1: "10.0.0.0/33" is no network: its mask is out of range`},
		{"no mask", "10.0.0.0/\n", `line 1: "10.0.0.0/" is no network: want an address or a CIDR`},
		{"dotted mask", "10.0.0.0/255.0.0.0\n", `"10.0.0.0/255.0.0.0" is no network: want an address or a CIDR`},
		{"port", "10.0.0.1:80\n", `"10.0.0.1:80" is no network: want an address`},
		{"range", "10.0.0.0-10.0.0.255\n", `"10.0.0.0-10.0.0.255" is no network: want an address`},
		{"UTF-16", "\xff\xfe{\x00", "it is in UTF-16"},
		{"long", strings.Repeat("x", 100_000), strings.Repeat("x", 80) + `"... is no network`},
		{"host", "10.0.0.0/22\nlb.example.com\n", `line 2: "lb.example.com" is a host name, which is not looked up here`},
		{"word", "balancer\n", `"balancer" is no network`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read("f", []byte(tt.text))
			if err == nil {
				t.Fatalf("read %s", shown(f.List))
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v does not say %q", err, tt.want)
			}
		})
	}
}

func TestLowBits(t *testing.T) {
	f, err := Read("f", []byte("10.0.1.7/22\n"))
	if err != nil {
		t.Fatal(err)
	}
	if shown(f.List) != "10.0.0.0/22" || len(f.List.Notes) != 1 || !strings.Contains(f.List.Notes[0], "10.0.0.0/22 is taken") {
		t.Errorf("%s %q", shown(f.List), f.List.Notes)
	}
}

func read(t *testing.T, name, text string) *File {
	t.Helper()
	f, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A balancer's description picks its subnets out of all.
func TestJoin(t *testing.T) {
	subnets := read(t, "subnets", `{"Subnets": [{"SubnetId": "subnet-a", "CidrBlock": "10.0.0.0/22"}, {"SubnetId": "subnet-b", "CidrBlock": "10.0.4.0/22"},
		{"SubnetId": "subnet-db", "CidrBlock": "10.0.64.0/22"}]}`)
	for _, balancer := range []string{
		`{"LoadBalancers": [{"AvailabilityZones": [{"ZoneName": "z-1a", "SubnetId": "subnet-a"}, {"ZoneName": "z-1b", "SubnetId": "subnet-b"}]}]}`,
		`[{"AZ": "z-1a", "SubnetId": "subnet-a"}, {"AZ": "z-1b", "SubnetId": "subnet-b"}]`,
		`{"LoadBalancerDescriptions": [{"Subnets": ["subnet-a", "subnet-b"]}]}`,
	} {
		lists, err := Join([]*File{subnets, read(t, "plain", "192.0.2.1"), read(t, "balancer", balancer)})
		if err != nil {
			t.Fatal(err)
		}
		if len(lists) != 2 || shown(lists[0]) != "10.0.0.0/22 (subnet-a); 10.0.4.0/22 (subnet-b)" || shown(lists[1]) != "192.0.2.1/32" {
			t.Errorf("%s: %d lists, %s", balancer, len(lists), shown(lists[0]))
		}
	}
	_, err := Join([]*File{subnets, read(t, "balancer", `[{"AZ": "z-1c", "SubnetId": "subnet-c"}]`)})
	if err == nil || !strings.Contains(err.Error(), "describe-subnets --subnet-ids subnet-c") {
		t.Errorf("a subnet that is nowhere: %v", err)
	}
}

// What a file says is no part of a command that an error tells people to run, unless it is a word.
func TestJoinNames(t *testing.T) {
	_, err := Join([]*File{read(t, "balancer", `[{"AZ": "z-1c", "SubnetId": "subnet-c; true"}]`)})
	if err == nil || !strings.Contains(err.Error(), `"subnet-c; true" is no name of a subnet`) {
		t.Errorf("a name that is none: %v", err)
	}
}

// Many subnets take no longer than they are long.
func TestJoinMany(t *testing.T) {
	const many = 90_000
	var subnets, names strings.Builder
	for i := range many {
		fmt.Fprintf(&subnets, `{"SubnetId": "subnet-%d", "CidrBlock": "10.%d.%d.%d"}`, i, i>>16, i>>8&255, i&255)
		fmt.Fprintf(&names, `{"AZ": "z", "SubnetId": "subnet-%d"}`, 2*i)
	}
	files := []*File{read(t, "subnets", subnets.String()), read(t, "balancer", names.String())}
	started := time.Now()
	_, err := Join(files)
	if err == nil || !strings.Contains(err.Error(), "subnet-90000 subnet-90002") || len(err.Error()) > 2000 {
		t.Errorf("%.300v", err)
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestDays(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-20-21-15-01": "2026-11-20", "2026-11-20T21:15:01Z": "2026-11-20", "2026-11-20": "2026-11-20", "20.11.2026 21:15": "", "": "",
	} {
		if got := dayOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	f := read(t, "f", forms[3].text)
	if f.List.AsOf != "2026-11-20" {
		t.Errorf("as of %q", f.List.AsOf)
	}
}

// A newer list keeps what is no longer listed as former, and a table is read as it was written.
func TestRenewed(t *testing.T) {
	cf := BuiltIn().Find("cloudflare")
	newer := read(t, "f", "173.245.48.0/20\n104.28.0.0/14\n2400:cb00::/32\n")
	renewed, err := cf.Renewed(newer.List, "2026-11-30")
	if err != nil {
		t.Fatal(err)
	}
	data, err := WriteTable([]*Front{renewed})
	if err != nil {
		t.Fatal(err)
	}
	all, err := ParseTable(data)
	if err != nil {
		t.Fatal(err)
	}
	table := BuiltIn().With(all)
	got := table.Find("cloudflare")
	if len(got.Networks) != 3 || got.AsOf != "2026-11-30" || len(table.Fronts) != len(BuiltIn().Fronts) || len(got.Headers) != len(cf.Headers) {
		t.Errorf("%+v", got)
	}
	if want := len(cf.Former) + len(cf.Networks) - 2; len(got.Former) != want {
		t.Errorf("%d former networks, want %d", len(got.Former), want)
	}
	if _, err := cf.Renewed(newer.List, "yesterday"); err == nil {
		t.Error("a day that is none is taken")
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range forms {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("f", data)
		if err != nil {
			return
		}
		for _, n := range file.List.Networks {
			if !n.Prefix.IsValid() || n.Prefix.Masked() != n.Prefix || !file.List.Set().ContainsPrefix(n.Prefix) {
				t.Errorf("%q: %v", data, n)
			}
		}
		if lists, err := Join([]*File{file}); err == nil && len(lists) == 0 && len(file.List.Networks) > 0 {
			t.Errorf("%q: networks are lost", data)
		}
	})
}
