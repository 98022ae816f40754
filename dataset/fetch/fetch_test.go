package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/source"
	"github.com/weft-gnn/weft/internal/place"
)

// remote is a file of a set that only tests have.
func remote(content []byte) remoteFile {
	sum := sha256.Sum256(content)
	return remoteFile{set: "toy", path: "toys/toy.bin", bytes: int64(len(content)), sha256: hex.EncodeToString(sum[:]), repository: "owner/repo", commit: "c0ffee", source: "data/toy.bin"}
}

var toy = bytes.Repeat([]byte("0123456789abcdef"), 4096)

// fetchToy fetches the toy set from a server into dir.
func fetchToy(ctx context.Context, dir, address string, change func(*Options)) error {
	opt := Options{Dir: dir, Address: address, Pause: time.Millisecond}
	if change != nil {
		change(&opt)
	}
	_, err := fetchAll(ctx, []remoteFile{remote(toy)}, opt.withDefaults())
	return err
}

// wantToy checks that the toy is in dir, and no partial file.
func wantToy(t *testing.T, dir string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "toys", "toy.bin"))
	if err != nil || !bytes.Equal(got, toy) {
		t.Errorf("%d bytes, %v; want the file's %d", len(got), err, len(toy))
	}
	names, _ := filepath.Glob(filepath.Join(dir, "toys", "*.part*"))
	if len(names) > 0 {
		t.Errorf("left over: %v", names)
	}
}

// serve starts a server that answers request number i, from 0, with answer.
func serve(t *testing.T, answer func(i int, w http.ResponseWriter, r *http.Request)) (address string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(int(requests.Add(1))-1, w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// whole serves the toy as a server should, ranges included.
func whole(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(toy))
}

// cut sends the first n bytes of the toy and drops the connection.
func cut(w http.ResponseWriter, n int) {
	w.Header().Set("Content-Length", fmt.Sprint(len(toy)))
	w.Write(toy[:n])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func TestFetchWhole(t *testing.T) {
	address, requests := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/owner/repo/c0ffee/data/toy.bin" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		whole(w, r)
	})
	dir := t.TempDir()
	var last Progress
	watch := func(o *Options) { o.Progress = func(p Progress) { last = p } }
	if err := fetchToy(context.Background(), dir, address, watch); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
	if want := (Progress{"toys/toy.bin", int64(len(toy)), int64(len(toy))}); last != want {
		t.Errorf("last progress %+v, want %+v", last, want)
	}
	if err := fetchToy(context.Background(), dir, address, nil); err != nil || requests.Load() != 1 {
		t.Errorf("%d requests, %v: a file that is there is fetched again", requests.Load(), err)
	}
	// A file that was changed is replaced.
	if err := os.WriteFile(filepath.Join(dir, "toys", "toy.bin"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fetchToy(context.Background(), dir, address, nil); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
}

func TestFetchResumesAfterACut(t *testing.T) {
	var asked []string
	address, _ := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Range"))
		if i == 0 {
			cut(w, 10_000)
		}
		whole(w, r)
	})
	dir := t.TempDir()
	if err := fetchToy(context.Background(), dir, address, nil); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
	if len(asked) != 2 || asked[0] != "" || asked[1] != "bytes=10000-" {
		t.Errorf("asked for %q, want the rest from byte 10000", asked)
	}
}

func TestFetchResumesWhatAnEarlierOneLeft(t *testing.T) {
	address, _ := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		if i == 0 {
			cut(w, 20_000)
		}
		if i == 1 && r.Header.Get("Range") != "bytes=20000-" {
			t.Errorf("asked for %q", r.Header.Get("Range"))
		}
		whole(w, r)
	})
	dir := t.TempDir()
	if err := fetchToy(context.Background(), dir, address, func(o *Options) { o.Tries = 1 }); err == nil {
		t.Fatal("no error after a cut and one try")
	}
	if err := fetchToy(context.Background(), dir, address, nil); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
}

func TestFetchFromAServerThatIgnoresRanges(t *testing.T) {
	address, _ := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		if i == 0 {
			cut(w, 10_000)
		}
		w.Write(toy)
	})
	dir := t.TempDir()
	if err := fetchToy(context.Background(), dir, address, nil); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
}

func TestFetchStartsOverAfterABadPart(t *testing.T) {
	address, requests := serve(t, func(i int, w http.ResponseWriter, r *http.Request) { whole(w, r) })
	for name, left := range map[string][]byte{
		"of another file": bytes.Repeat([]byte("x"), 1000),
		"too long":        bytes.Repeat([]byte("x"), len(toy)+1),
		"as long":         bytes.Repeat([]byte("x"), len(toy)),
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, "toys"), 0o700)
		if err := os.WriteFile(filepath.Join(dir, "toys", "toy.bin.part"), left, 0o600); err != nil {
			t.Fatal(err)
		}
		requests.Store(0)
		if err := fetchToy(context.Background(), dir, address, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantToy(t, dir)
	}
}

func TestFetchWrongHash(t *testing.T) {
	wrong := bytes.ToUpper(toy)
	address, requests := serve(t, func(i int, w http.ResponseWriter, r *http.Request) { w.Write(wrong) })
	dir := t.TempDir()
	err := fetchToy(context.Background(), dir, address, nil)
	sum := sha256.Sum256(wrong)
	datatest.WantError(t, err, "toy", address, "SHA-256 is "+hex.EncodeToString(sum[:]), "want "+remote(toy).sha256)
	if left, _ := filepath.Glob(filepath.Join(dir, "toys", "*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if requests.Load() != 1 {
		t.Errorf("%d requests for a file that will not change", requests.Load())
	}
}

func TestFetchFaultsOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name     string
		answer   func(i int, w http.ResponseWriter, r *http.Request)
		requests int32
		want     string // "" for success
	}{
		{"not found", func(i int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, 1, "404"},
		{"always busy", func(i int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, 4, "503"},
		{"busy twice", func(i int, w http.ResponseWriter, r *http.Request) {
			if i < 2 {
				w.WriteHeader(503)
				return
			}
			whole(w, r)
		}, 3, ""},
		{"too long", func(i int, w http.ResponseWriter, r *http.Request) { w.Write(append(toy, 1)) }, 1, "longer than the 65536 bytes"},
		{"too short", func(i int, w http.ResponseWriter, r *http.Request) { w.Write(toy[:9]) }, 4, "9 of 65536 bytes"},
		{"wrong range", func(i int, w http.ResponseWriter, r *http.Request) {
			if i == 0 {
				cut(w, 10)
			}
			w.Header().Set("Content-Range", "bytes 5-9/65536")
			w.WriteHeader(206)
			w.Write(toy[5:])
		}, 4, "206"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, requests := serve(t, c.answer)
			dir := t.TempDir()
			err := fetchToy(context.Background(), dir, address, nil)
			if requests.Load() != c.requests {
				t.Errorf("%d requests, want %d", requests.Load(), c.requests)
			}
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				wantToy(t, dir)
				return
			}
			datatest.WantError(t, err, c.want, address+"/owner/repo/c0ffee/data/toy.bin", filepath.Join(dir, "toys", "toy.bin")+" by hand")
		})
	}
}

func TestFetchWithoutNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close() // nobody listens there now
	dir := t.TempDir()
	err = fetchToy(context.Background(), dir, address, nil)
	datatest.WantError(t, err, address+"/owner/repo/c0ffee/data/toy.bin", "refused", filepath.Join(dir, "toys", "toy.bin"))
	if strings.Count(err.Error(), address) != 1 {
		t.Errorf("the address is named more than once: %v", err)
	}
}

func TestFetchStalled(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	address, _ := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		if i == 0 {
			w.Write(toy[:100])
			w.(http.Flusher).Flush()
			select {
			case <-hang:
			case <-r.Context().Done():
			}
			return
		}
		whole(w, r)
	})
	dir := t.TempDir()
	if err := fetchToy(context.Background(), dir, address, func(o *Options) { o.Stall = 50 * time.Millisecond }); err != nil {
		t.Fatal(err)
	}
	wantToy(t, dir)
}

func TestFetchCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	address, _ := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		w.Write(toy[:100])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	err := fetchToy(ctx, t.TempDir(), address, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestFetchTwiceAtOnce(t *testing.T) {
	address, requests := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		whole(w, r)
	})
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := fetchToy(context.Background(), dir, address, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantToy(t, dir)
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests by 8 fetches of one file", n)
	}
}

func TestFetchNames(t *testing.T) {
	_, err := Set(context.Background(), "tu/MUTGA", Options{Dir: t.TempDir()})
	datatest.WantError(t, err, `"tu/MUTGA"`, `did you mean "tu/MUTAG"`, "cora")
	_, err = Set(context.Background(), "cora", Options{})
	datatest.WantError(t, err, "no folder")
	for _, bad := range []string{"h\na\tb", "h\na\t../b\t1\t" + strings.Repeat("0", 64) + "\tr\tc\ts", "h\na\tb\tx\t" + strings.Repeat("0", 64) + "\tr\tc\ts"} {
		if _, err := parseCatalogue(bad); err == nil {
			t.Errorf("catalogue %q was accepted", bad)
		}
	}
}

// TestFetchedSetsOpen fetches every set of the catalogue from a server that has
// the real files, and opens it by its name.
func TestFetchedSetsOpen(t *testing.T) {
	root := ""
	data, cached := place.Folders(os.Getenv)
	for _, dir := range append(data, cached) {
		if _, err := os.Stat(filepath.Join(dir, "planetoid")); err == nil {
			root = dir
		}
	}
	if root == "" {
		t.Skip("needs data set cora: set WEFT_DATA or run weft data fetch cora")
	}
	byAddress := make(map[string]string)
	for _, f := range catalogue() {
		byAddress[f.address("")] = filepath.Join(root, filepath.FromSlash(f.path))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, byAddress[r.URL.Path])
	}))
	defer s.Close()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			if _, err := Set(context.Background(), name, Options{Dir: cache, Address: s.URL, Tries: 1}); err != nil {
				t.Fatal(err)
			}
			d, err := source.Open(context.Background(), name, dataset.Options{CacheDir: cache})
			if err != nil {
				t.Fatal(err)
			}
			if d.Graph.Counts.Arcs == 0 {
				t.Error("no arcs")
			}
		})
	}
}
