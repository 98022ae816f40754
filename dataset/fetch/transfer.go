package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// transfer brings one file.
type transfer struct {
	file     remoteFile
	opt      Options
	progress *progress
	to       string // path of the finished file
}

// permanent is a fault that another try does not mend.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// run brings the file, unless it is there.
func (t *transfer) run(ctx context.Context) error {
	if err := makeParent(t.to); err != nil {
		return err
	}
	for {
		if t.present() {
			t.progress.at(t.file.path, t.file.bytes)
			return nil
		}
		part, err := lockPart(ctx, t.to+".part")
		if errors.Is(err, errPartGone) {
			continue // another process has just finished the file, or given up
		}
		if err != nil {
			return fmt.Errorf("dataset: fetch: %w", err)
		}
		if err := t.locked(ctx, part); err != nil {
			release(part, errors.Is(err, errHash))
			return err
		}
		return nil
	}
}

// present reports whether the finished file is there and right.
func (t *transfer) present() bool {
	sum, err := hashFile(t.to)
	return err == nil && sum == t.file.sha256
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// locked downloads into the partial file, which this process alone holds, and
// gives it its final name.
func (t *transfer) locked(ctx context.Context, part *os.File) error {
	fi, err := part.Stat()
	if err != nil {
		return fmt.Errorf("dataset: fetch: %w", err)
	}
	resumed := fi.Size() > 0
	err = t.complete(ctx, part)
	if errors.Is(err, errHash) && resumed {
		// What an earlier fetch left may be of another file or damaged.
		if err = part.Truncate(0); err == nil {
			err = t.complete(ctx, part)
		}
	}
	if err != nil {
		return fmt.Errorf("dataset: fetch %s: %w", t.file.set, err)
	}
	if err := part.Sync(); err != nil {
		return fmt.Errorf("dataset: fetch: %w", err)
	}
	if err := publish(part, t.to); err != nil {
		return fmt.Errorf("dataset: fetch: %w", err)
	}
	return nil
}

// complete downloads, with further tries, and checks the hash.
func (t *transfer) complete(ctx context.Context, part *os.File) error {
	pause := t.opt.Pause
	for try := 1; ; try++ {
		err := t.attempt(ctx, part)
		if err == nil {
			return t.checkHash(part)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if p := (permanent{}); errors.As(err, &p) || try == t.opt.Tries {
			return fmt.Errorf("%s: %w; without a network, put this file at %s by hand", t.file.address(t.opt.Address), err, t.to)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause *= 2
	}
}

var errHash = errors.New("wrong hash")

func (t *transfer) checkHash(part *os.File) error {
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, part); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != t.file.sha256 {
		return fmt.Errorf("%s: %w: SHA-256 is %s, want %s; the file was removed", t.file.address(t.opt.Address), errHash, sum, t.file.sha256)
	}
	return nil
}

// attempt asks for what is missing of the file once and appends what comes.
func (t *transfer) attempt(ctx context.Context, part *os.File) error {
	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > t.file.bytes {
		have = 0
	}
	if have == t.file.bytes {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, from, err := t.request(ctx, have)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := part.Truncate(from); err != nil {
		return err
	}
	if _, err := part.Seek(from, io.SeekStart); err != nil {
		return err
	}
	stall := time.AfterFunc(t.opt.Stall, func() { cancel(fmt.Errorf("nothing came for %v", t.opt.Stall)) })
	defer stall.Stop()
	n, err := io.Copy(part, &watched{t: t, body: body, stall: stall, at: from})
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case from+n > t.file.bytes:
		return permanent{fmt.Errorf("it is longer than the %d bytes it should have", t.file.bytes)}
	case from+n < t.file.bytes:
		return fmt.Errorf("it ended after %d of %d bytes: %w", from+n, t.file.bytes, io.ErrUnexpectedEOF)
	}
	return nil
}

// watched reads a body, one byte more than it should have at most, and reports
// progress.
type watched struct {
	t     *transfer
	body  io.Reader
	stall *time.Timer
	at    int64
}

func (w *watched) Read(p []byte) (int, error) {
	left := w.t.file.bytes + 1 - w.at
	if left <= 0 {
		return 0, io.EOF
	}
	n, err := w.body.Read(p[:min(int64(len(p)), left)])
	if n > 0 {
		w.stall.Reset(w.t.opt.Stall)
		w.at += int64(n)
		w.t.progress.at(w.t.file.path, min(w.at, w.t.file.bytes))
	}
	return n, err
}

// request asks for the file from a byte on, and returns the answer's body and
// the byte it starts at: 0 where the server does not resume.
func (t *transfer) request(ctx context.Context, have int64) (io.ReadCloser, int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.file.address(t.opt.Address), nil)
	if err != nil {
		return nil, 0, permanent{err}
	}
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := t.opt.Client.Do(req)
	if err != nil {
		if bad := (*url.Error)(nil); errors.As(err, &bad) {
			err = bad.Err // the address is named once already
		}
		return nil, 0, err
	}
	switch {
	case resp.StatusCode == http.StatusOK:
		return resp.Body, 0, nil
	case resp.StatusCode == http.StatusPartialContent:
		var from int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &from); err == nil && from == have {
			return resp.Body, have, nil
		}
	}
	resp.Body.Close()
	err = fmt.Errorf("the server answers %s", resp.Status)
	if c := resp.StatusCode; c >= 400 && c < 500 && c != http.StatusTooManyRequests && c != http.StatusRequestTimeout && c != http.StatusRequestedRangeNotSatisfiable {
		err = permanent{err}
	}
	return nil, 0, err
}
