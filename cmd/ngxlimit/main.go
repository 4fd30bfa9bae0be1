// Command ngxlimit audits the limits of an nginx configuration.
package main

func main() {}
