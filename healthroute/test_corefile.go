package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/coredns/caddy/caddyfile"
	"golang.org/x/tools/txtar"
)

// corefileAndFiles reads a Corefile and the files that it names, relative to its directory: what it imports, zone files, certificates.
func corefileAndFiles(conf string) ([]txtar.File, error) {
	text, err := os.ReadFile(conf)
	if err != nil {
		return nil, usageError(err.Error())
	}
	files := []txtar.File{{Name: "Corefile", Data: text}}
	dir := filepath.Dir(conf)
	add := func(name string) {
		name = filepath.ToSlash(filepath.Clean(name))
		if !fs.ValidPath(name) || hasFile(files, name) {
			return
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return // a word that is no file
		}
		if data, err := os.ReadFile(path); err == nil {
			files = append(files, txtar.File{Name: name, Data: data})
		}
	}
	blocks, err := caddyfile.Parse(conf, bytes.NewReader(text), nil)
	if err != nil {
		return files, nil // what is wrong with it shows when it is played
	}
	for _, b := range blocks {
		for _, tokens := range b.Tokens {
			for _, token := range tokens {
				add(token.Text)
				if imported, err := filepath.Rel(dir, token.File); err == nil && token.File != "" {
					add(imported)
				}
			}
		}
	}
	return files, nil
}

func hasFile(files []txtar.File, name string) bool {
	return slices.ContainsFunc(files, func(f txtar.File) bool { return f.Name == name })
}

// withCorefile adds a Corefile and its files to an archive that has none.
func withCorefile(text []byte, files []txtar.File) []byte {
	archive := txtar.Parse(text)
	if len(files) == 0 || hasFile(archive.Files, "Corefile") {
		return text
	}
	for _, f := range files {
		if !hasFile(archive.Files, f.Name) {
			archive.Files = append(archive.Files, f)
		}
	}
	return txtar.Format(archive)
}
