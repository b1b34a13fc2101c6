package state

import "fmt"

// InUse is the error of a file that another server holds.
type InUse struct {
	File string
	By   string // the process, if it says which: "process 123"
}

func (e *InUse) Error() string {
	by := ""
	if e.By != "" {
		by = ", " + e.By
	}
	return fmt.Sprintf("state file %s is in use by another server%s: expected a file of its own for each", e.File, by)
}

// lockName is what is locked for a file: not the file itself, in whose place another one is put at each write.
func lockName(file string) string { return file + ".lock" }
