// A program small enough to be an image of its own. As `pod pause` it holds the namespaces of a Pod; in tests it is the
// workload: `pod serve` answers what it is asked for, `pod show FILE…` prints files, `pod fail` fails.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	verb := ""
	if len(os.Args) > 1 {
		verb = os.Args[1]
	}
	switch verb {
	case "serve":
		serve()
	case "show":
		show(os.Args[2:])
	case "fail":
		log.Fatal("told to fail")
	default:
		pause()
	}
}

// show prints the content of files.
func show(files []string) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		os.Stdout.Write(text)
	}
}

// pause waits to be told to end, and takes over processes whose parents have ended, as the first process of a Pod has to.
func pause() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

// serve listens on port 8080, and with TLS on 8443 where /tls holds a certificate.
func serve() {
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	http.HandleFunc("/namespaces", namespaces)
	http.HandleFunc("/memory", memory)
	http.HandleFunc("/exit", func(http.ResponseWriter, *http.Request) { log.Fatal("told to exit") })
	http.HandleFunc("/deny", deny)
	go func() {
		if _, err := os.Stat("/tls/tls.crt"); err == nil {
			log.Fatal(http.ListenAndServeTLS(":8443", "/tls/tls.crt", "/tls/tls.key", nil))
		}
	}()
	log.Print("serving")
	log.Fatal(http.ListenAndServe(":8080", nil))
}

// namespaces asks the API server, by the address and with the token that every Pod is given.
func namespaces(w http.ResponseWriter, _ *http.Request) {
	const account = "/var/run/secrets/kubernetes.io/serviceaccount/"
	authority, err := os.ReadFile(account + "ca.crt")
	token, tokenErr := os.ReadFile(account + "token")
	if err != nil || tokenErr != nil {
		http.Error(w, fmt.Sprint(err, tokenErr), http.StatusInternalServerError)
		return
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	url := fmt.Sprintf("https://%s:%s/api/v1/namespaces", os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	request, _ := http.NewRequest(http.MethodGet, url, nil)
	request.Header.Set("Authorization", "Bearer "+string(token))
	answer, err := client.Do(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	w.WriteHeader(answer.StatusCode)
	io.Copy(w, answer.Body)
}

var held [][]byte

// memory takes 16 MiB and keeps it.
func memory(w http.ResponseWriter, _ *http.Request) {
	block := make([]byte, 16<<20)
	for i := range block {
		block[i] = 1
	}
	held = append(held, block)
	fmt.Fprintln(w, len(held))
}

// deny is a validating webhook that lets nothing pass.
func deny(w http.ResponseWriter, r *http.Request) {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": review.APIVersion,
		"kind":       review.Kind,
		"response": map[string]any{
			"uid":     review.Request.UID,
			"allowed": false,
			"status":  map[string]string{"message": "denied by a Pod behind a Service"},
		},
	})
}
