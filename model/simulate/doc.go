// Package simulate runs traffic through the pipeline in time order: page loads whose requests wait for each other, many
// clients behind few addresses, or recorded requests at given times. It decides no request (model/pipeline does) and
// knows no file format (model/traffic does). The same options give the same result.
//
// Entry points: Run(tree, router, Options) gives a Result; NewPages(tree, router).Of(server, fan, clients, perAddress)
// gives the Page of a server, computed once for all servers that behave alike.
package simulate
