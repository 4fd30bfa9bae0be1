package fronts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A subnet is what "aws ec2 describe-subnets" says of one, also where --query has cut it down.
type subnet struct {
	SubnetId, AvailabilityZone, CidrBlock, AZ, ZoneName string //nolint:revive // AWS's names
	Ipv6CidrBlockAssociationSet                         []association
}

type association struct{ Ipv6CidrBlock string } //nolint:revive // AWS's name

// withoutNetwork is about an entry of a list that tells no network: to leave it out would call the rest complete.
func withoutNetwork(i int, label string) error {
	if label == "" {
		return fmt.Errorf("entry %d has no network", i+1)
	}
	return fmt.Errorf("entry %d, %s, has no network", i+1, quoted(label))
}

func (s subnet) label() string {
	label := s.SubnetId
	for _, zone := range []string{s.AvailabilityZone, s.AZ, s.ZoneName} {
		if zone != "" {
			return label + ", " + zone
		}
	}
	return label
}

// errPage is about an answer that is not all of it.
var errPage = errors.New("it is one page of several: let the command run without --max-items")

func (f *File) readSubnets(data []byte) error {
	var answer struct {
		Subnets   []subnet
		NextToken string
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return jsonError(err)
	}
	if answer.NextToken != "" {
		return errPage
	}
	return f.addSubnets(answer.Subnets)
}

func (f *File) readSubnetArray(data []byte) error {
	var all []subnet
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	return f.addSubnets(all)
}

func (f *File) addSubnets(all []subnet) error {
	f.named = true
	for i, s := range all {
		if s.CidrBlock == "" && !slices.ContainsFunc(s.Ipv6CidrBlockAssociationSet, func(a association) bool { return a.Ipv6CidrBlock != "" }) {
			return withoutNetwork(i, s.label())
		}
		if s.CidrBlock != "" {
			if err := f.List.addText(s.CidrBlock, s.label()); err != nil {
				return err
			}
		}
		for _, six := range s.Ipv6CidrBlockAssociationSet {
			if six.Ipv6CidrBlock != "" {
				if err := f.List.addText(six.Ipv6CidrBlock, s.label()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readBalancers reads "aws elbv2 describe-load-balancers": the names of the subnets in which the balancers have nodes.
func (f *File) readBalancers(data []byte) error {
	var answer struct {
		LoadBalancers []struct {
			AvailabilityZones []subnet
		}
		LoadBalancerDescriptions []struct{ Subnets []string }
		NextMarker               string
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return jsonError(err)
	}
	if answer.NextMarker != "" {
		return errPage
	}
	for _, b := range answer.LoadBalancers {
		for _, z := range b.AvailabilityZones {
			f.addName(z.SubnetId)
		}
	}
	for _, b := range answer.LoadBalancerDescriptions { // of the classic ones: "aws elb"
		for _, s := range b.Subnets {
			f.addName(s)
		}
	}
	return nil
}

func (f *File) readZones(data []byte) error {
	var all []subnet
	if err := json.Unmarshal(data, &all); err != nil {
		return jsonError(err)
	}
	for _, s := range all {
		f.addName(s.SubnetId)
	}
	return nil
}

func (f *File) addName(subnet string) {
	if subnet != "" {
		f.subnets = append(f.subnets, subnet)
	}
}

// refuse returns what refuses the output of a command that is taken for another one.
func refuse(why string) func(*File, []byte) error {
	return func(*File, []byte) error { return errors.New(why) }
}

// readPrefixList reads "aws ec2 get-managed-prefix-list-entries".
func (f *File) readPrefixList(data []byte) error {
	var answer struct {
		Entries   []struct{ Cidr, Description string }
		NextToken string
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return jsonError(err)
	}
	if answer.NextToken != "" {
		return errPage
	}
	for _, e := range answer.Entries {
		if err := f.List.addText(e.Cidr, e.Description); err != nil {
			return err
		}
	}
	return nil
}

// originFacing is the service in ip-ranges.json from whose addresses CloudFront connects to origins.
const originFacing = "CLOUDFRONT_ORIGIN_FACING"

// readIPRanges reads AWS's ip-ranges.json, and takes the networks from which CloudFront connects.
func (f *File) readIPRanges(data []byte) error {
	var file struct {
		CreateDate string
		Prefixes   []struct {
			IPPrefix string `json:"ip_prefix"`
			Service  string
		}
		IPv6Prefixes []struct {
			IPv6Prefix string `json:"ipv6_prefix"`
			Service    string
		} `json:"ipv6_prefixes"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return jsonError(err)
	}
	f.List.AsOf = dayOf(file.CreateDate)
	for _, p := range file.Prefixes {
		if p.Service == originFacing {
			if err := f.List.addText(p.IPPrefix, ""); err != nil {
				return err
			}
		}
	}
	for _, p := range file.IPv6Prefixes {
		if p.Service == originFacing {
			if err := f.List.addText(p.IPv6Prefix, ""); err != nil {
				return err
			}
		}
	}
	if len(f.List.Networks) == 0 {
		return fmt.Errorf("it has no entry of the service %s, from which CloudFront connects to origins", originFacing)
	}
	return nil
}

// dayOf takes the day from a time in one of the forms of such files: "2026-02-11-03-04-05", "2026-02-11T03:04:05Z"; "" where
// there is none.
func dayOf(text string) string {
	const form = "2026-02-11"
	if len(text) < len(form) || strings.Trim(text[:len(form)], "0123456789-") != "" || text[4] != '-' || text[7] != '-' {
		return ""
	}
	return text[:len(form)]
}
