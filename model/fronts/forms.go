package fronts

import (
	"encoding/json"
	"net/netip"
	"strings"
)

// objectForms are the kinds of JSON that are one object. The first that fits is taken.
var objectForms = []form{
	{"aws ec2 describe-subnets", func(o object) bool { return o.has("Subnets") }, (*File).readSubnets},
	{"aws elbv2 describe-load-balancers", func(o object) bool { return o.has("LoadBalancers") || o.has("LoadBalancerDescriptions") }, (*File).readBalancers},
	{"aws ec2 get-managed-prefix-list-entries", func(o object) bool { return o.has("Entries") }, (*File).readPrefixList},
	{"ip-ranges.json", isIPRanges, (*File).readIPRanges},
	{"az network list-service-tags", func(o object) bool { return o.has("values") || o.has("value") }, (*File).readServiceTags},
	{"kubectl get nodes", func(o object) bool { return o.has("items", "kind") }, (*File).readNodes},
	{"kubectl get node", func(o object) bool { return o.has("kind", "metadata", "spec") }, around(`{"items":[`, `]}`, (*File).readNodes)},
	{"Cloudflare's list", func(o object) bool { return o.has("result") }, (*File).readCloudflare},
	{"Fastly's list", func(o object) bool { return o.has("addresses", "ipv6_addresses") }, (*File).readFastly},
	{"gcloud compute networks subnets describe", func(o object) bool { return o.has("ipCidrRange") }, one((*File).readGoogle)},
	{"az network vnet subnet show", func(o object) bool { return o.has("addressPrefix") || o.has("addressPrefixes") }, one((*File).readAzure)},
	{"aws ec2 describe-network-interfaces", func(o object) bool { return o.has("NetworkInterfaces") }, refuse(
		`these are the addresses that a balancer's nodes have now, and they change: want "aws ec2 describe-subnets" for its subnets`)},
	{"aws elbv2 describe-target-groups", func(o object) bool { return o.has("TargetGroups") }, refuse(
		`target groups are what a balancer connects to: want "aws elbv2 describe-load-balancers" and "aws ec2 describe-subnets"`)},
	{"aws ec2 describe-vpcs", func(o object) bool { return o.has("Vpcs") }, refuse(
		`a VPC is more than its balancers: want "aws ec2 describe-subnets" for their subnets`)},
	{"CloudFront's list of edge locations", func(o object) bool { return o.has("CLOUDFRONT_GLOBAL_IP_LIST") }, refuse(
		`these are the addresses that clients connect to: want AWS's ip-ranges.json, or "aws ec2 get-managed-prefix-list-entries", for those from which CloudFront connects`)},
	{"az network vnet show", func(o object) bool { return o.has("addressSpace") }, refuse(
		`a virtual network is more than its gateway: want "az network vnet subnet show" for the gateway's subnet`)},
	{"az network application-gateway show", func(o object) bool { return o.has("gatewayIPConfigurations") }, refuse(
		`it names the gateway's subnet without its network: want "az network vnet subnet show" for that subnet`)},
	{"Google's own addresses", func(o object) bool { return o.has("prefixes", "syncToken") }, refuse(
		`these are all of Google's addresses, not those from which its balancers connect: want the name google for these, or "gcloud compute networks subnets list"`)},
}

// BalancerAddresses is what a list is made from that holds no networks of nodes, but the addresses that balancers add to
// X-Forwarded-For behind the client's.
const BalancerAddresses = "gcloud compute forwarding-rules list"

// arrayForms are the kinds of JSON that are an array of objects, told by the first one.
var arrayForms = []form{
	{"aws ec2 describe-subnets", func(o object) bool { return o.has("CidrBlock") }, (*File).readSubnetArray},
	{"ip-ranges.json", func(o object) bool { return o.has("ip_prefix", "service") }, around(`{"prefixes":`, `}`, (*File).readIPRanges)},
	{"ip-ranges.json", func(o object) bool { return o.has("ipv6_prefix", "service") }, around(`{"ipv6_prefixes":`, `}`, (*File).readIPRanges)},
	{"aws elbv2 describe-load-balancers", func(o object) bool { return o.has("SubnetId") }, (*File).readZones},
	{"gcloud compute networks subnets list", func(o object) bool { return o.has("ipCidrRange") }, (*File).readGoogle},
	{BalancerAddresses, func(o object) bool { return o.has("IPAddress") }, (*File).readRules},
	{"az network vnet subnet list", func(o object) bool { return o.has("addressPrefix") || o.has("addressPrefixes") }, (*File).readAzure},
	{"docker network inspect", func(o object) bool { return o.has("IPAM") }, (*File).readDocker},
	{"az network vnet list", func(o object) bool { return o.has("addressSpace") }, refuse(
		`virtual networks are more than their gateways: want "az network vnet subnet list"`)},
}

// isIPRanges says whether an object is AWS's ip-ranges.json, or what a filter has left of it.
func isIPRanges(o object) bool {
	return (o.has("prefixes") || o.has("ipv6_prefixes")) && (o.has("createDate") || !o.has("syncToken"))
}

// around reads an array or an object as a part of another one.
func around(before, behind string, read func(*File, []byte) error) func(*File, []byte) error {
	return func(f *File, data []byte) error { return read(f, []byte(before+string(data)+behind)) }
}

// one reads an object as an array of one.
func one(read func(*File, []byte) error) func(*File, []byte) error { return around("[", "]", read) }

// readGoogle reads "gcloud compute networks subnets list": the subnets of proxies only, where there are such; regional and
// internal balancers connect from these.
func (f *File) readGoogle(data []byte) error {
	var all []struct {
		Name, Region, Purpose, IPCidrRange, IPv6CidrRange, ExternalIPv6Prefix, InternalIPv6Prefix string
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	proxies := func(purpose string) bool {
		return strings.HasSuffix(purpose, "_MANAGED_PROXY") || purpose == "INTERNAL_HTTPS_LOAD_BALANCER"
	}
	some := false
	for _, s := range all {
		some = some || proxies(s.Purpose)
	}
	for i, s := range all {
		if some && !proxies(s.Purpose) {
			continue
		}
		if s.IPCidrRange+s.IPv6CidrRange+s.ExternalIPv6Prefix+s.InternalIPv6Prefix == "" {
			return withoutNetwork(i, s.Name)
		}
		label := s.Name
		if region := s.Region[strings.LastIndexByte(s.Region, '/')+1:]; region != "" {
			label += ", " + region
		}
		for _, text := range []string{s.IPCidrRange, s.IPv6CidrRange, s.ExternalIPv6Prefix, s.InternalIPv6Prefix} {
			if text != "" {
				if err := f.List.addText(text, label); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readRules reads "gcloud compute forwarding-rules list": the balancers' own addresses, which they add to X-Forwarded-For
// behind the client's.
func (f *File) readRules(data []byte) error {
	var all []struct{ Name, IPAddress string }
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	for _, r := range all {
		if err := f.List.addText(r.IPAddress, r.Name); err != nil {
			return err
		}
	}
	return nil
}

// readAzure reads "az network vnet subnet list".
func (f *File) readAzure(data []byte) error {
	var all []struct {
		Name, AddressPrefix string
		AddressPrefixes     []string
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	for i, s := range all {
		texts := s.AddressPrefixes
		if s.AddressPrefix != "" {
			texts = append(texts, s.AddressPrefix)
		}
		if len(texts) == 0 {
			return withoutNetwork(i, s.Name)
		}
		if err := f.addAll(texts, s.Name); err != nil {
			return err
		}
	}
	return nil
}

// readServiceTags reads Azure's service tags, and takes the networks from which Front Door connects.
func (f *File) readServiceTags(data []byte) error {
	var file struct {
		Values, Value []struct {
			Name       string
			Properties struct{ AddressPrefixes []string }
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return jsonError(err)
	}
	const tag = "AzureFrontDoor.Backend"
	for _, v := range append(file.Values, file.Value...) {
		if v.Name == tag {
			return f.addAll(v.Properties.AddressPrefixes, "")
		}
	}
	return refuse("it has no tag "+tag+", from which Front Door connects")(f, nil)
}

// readNodes reads "kubectl get nodes -o json": the networks of the pods on each node, and the nodes' own addresses.
func (f *File) readNodes(data []byte) error {
	var list struct {
		Items []struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				PodCIDR  string
				PodCIDRs []string
			}
			Status struct {
				Addresses []struct{ Type, Address string }
			}
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return jsonError(err)
	}
	for _, n := range list.Items {
		if n.Kind != "" && n.Kind != "Node" {
			return refuse(`it lists objects of the kind `+n.Kind+`: want "kubectl get nodes -o json"`)(f, nil)
		}
		texts := n.Spec.PodCIDRs
		if len(texts) == 0 && n.Spec.PodCIDR != "" {
			texts = []string{n.Spec.PodCIDR}
		}
		if err := f.addAll(texts, "pods of "+n.Metadata.Name); err != nil {
			return err
		}
		for _, a := range n.Status.Addresses {
			if addr, err := netip.ParseAddr(a.Address); a.Type == "InternalIP" && err == nil {
				f.List.add(netip.PrefixFrom(addr, addr.BitLen()), "node "+n.Metadata.Name)
			}
		}
	}
	return nil
}

// readDocker reads "docker network inspect".
func (f *File) readDocker(data []byte) error {
	var all []struct {
		Name string
		IPAM struct{ Config []struct{ Subnet string } }
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	for _, n := range all {
		for _, c := range n.IPAM.Config {
			if err := f.List.addText(c.Subnet, n.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// readCloudflare reads the answer of Cloudflare's API (client/v4/ips).
func (f *File) readCloudflare(data []byte) error {
	var answer struct {
		Result struct {
			IPv4 []string `json:"ipv4_cidrs"`
			IPv6 []string `json:"ipv6_cidrs"`
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return jsonError(err)
	}
	f.id = "cloudflare"
	return f.addAll(append(answer.Result.IPv4, answer.Result.IPv6...), "")
}

// readFastly reads the answer of Fastly's API (public-ip-list).
func (f *File) readFastly(data []byte) error {
	var answer struct {
		Addresses []string
		IPv6      []string `json:"ipv6_addresses"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return jsonError(err)
	}
	f.id = "fastly"
	return f.addAll(append(answer.Addresses, answer.IPv6...), "")
}
