// The registry of the project distribution, with the storage and the logins that tests use: `registry serve FILE`. The
// published program has the clients of three clouds and the exporters of traces too, which take minutes to compile.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	"github.com/sirupsen/logrus"

	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "serve" {
		log.Fatal("usage: registry serve FILE")
	}
	config, err := readConfiguration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(serve(config))
}

func readConfiguration(path string) (*configuration.Configuration, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return configuration.Parse(file)
}

// serve answers requests until the process is stopped.
func serve(config *configuration.Configuration) error {
	level, err := logrus.ParseLevel(string(config.Log.Level))
	if err != nil {
		return err
	}
	logrus.SetLevel(level)
	server := &http.Server{Addr: config.HTTP.Addr, Handler: handlers.NewApp(context.Background(), config)}
	if tls := config.HTTP.TLS; tls.Certificate != "" {
		return server.ListenAndServeTLS(tls.Certificate, tls.Key)
	}
	return server.ListenAndServe()
}
