// Serves a catalog to the catalog-operator of OLM v0: `olm-catalog ADDRESS FILE`. FILE is JSON:
// {"packages": [api.Package…], "bundles": [api.Bundle…]}, each in the JSON form of protocol buffers. It is read again
// for each call, so that a test may add a version. OLM calls ListBundles and GetPackage only; all other calls are
// answered as unimplemented.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"os"

	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

type catalog struct {
	api.UnimplementedRegistryServer
	file string
}

type content struct {
	Packages []json.RawMessage `json:"packages"`
	Bundles  []json.RawMessage `json:"bundles"`
}

func (c catalog) read() (content, error) {
	var found content
	text, err := os.ReadFile(c.file)
	if err != nil {
		return found, status.Error(codes.Unavailable, err.Error())
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return found, status.Error(codes.Internal, err.Error())
	}
	return found, nil
}

func parse[M proto.Message](text json.RawMessage, into M) (M, error) {
	err := protojson.UnmarshalOptions{DiscardUnknown: false}.Unmarshal(text, into)
	return into, err
}

func (c catalog) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	found, err := c.read()
	if err != nil {
		return err
	}
	for _, text := range found.Bundles {
		bundle, err := parse(text, &api.Bundle{})
		if err != nil {
			return status.Error(codes.Internal, err.Error())
		}
		if err := stream.Send(bundle); err != nil {
			return err
		}
	}
	return nil
}

func (c catalog) GetPackage(_ context.Context, request *api.GetPackageRequest) (*api.Package, error) {
	found, err := c.read()
	if err != nil {
		return nil, err
	}
	for _, text := range found.Packages {
		one, err := parse(text, &api.Package{})
		if err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		if one.Name == request.Name {
			return one, nil
		}
	}
	return nil, status.Errorf(codes.NotFound, "no package %s", request.Name)
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: olm-catalog ADDRESS FILE")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	api.RegisterRegistryServer(server, catalog{file: os.Args[2]})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	log.Fatal(server.Serve(listener))
}
