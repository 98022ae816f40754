package place

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestFolders(t *testing.T) {
	env := map[string]string{}
	home, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache folder")
	}
	check := func(data []string, cache string) {
		t.Helper()
		gotData, gotCache := Folders(func(name string) string { return env[name] })
		if len(gotData)+len(data) > 0 && !reflect.DeepEqual(gotData, data) || gotCache != cache {
			t.Errorf("with %v: %q and %q, want %q and %q", env, gotData, gotCache, data, cache)
		}
	}
	check(nil, filepath.Join(home, "weft"))
	env["WEFT_DATA"] = "a" + string(filepath.ListSeparator) + "b"
	check([]string{"a", "b"}, filepath.Join(home, "weft"))
	env["WEFT_CACHE"] = "c"
	check([]string{"a", "b"}, "c")
}
