package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/miekg/dns"
)

const askWord = "ask"

// costs are what queries cost, as who asks sees it.
type costs struct{ median, worst time.Duration } // worst of 99 in a hundred

// askServer lets another process ask the server, one query after the other.
func askServer(address string, groups, queries int) (costs, error) {
	self, err := os.Executable()
	if err != nil {
		return costs{}, err
	}
	out, err := exec.Command(self, askWord, address, strconv.Itoa(groups), strconv.Itoa(queries)).Output()
	if err != nil {
		return costs{}, fmt.Errorf("asking: %w", err)
	}
	var c costs
	_, err = fmt.Sscan(string(out), (*int64)(&c.median), (*int64)(&c.worst))
	return c, err
}

// ask is that process: ADDRESS GROUPS QUERIES.
func ask(args []string, out io.Writer) error {
	if len(args) != 3 {
		return errors.New("ask takes three arguments")
	}
	groups, _ := strconv.Atoi(args[1])
	queries, _ := strconv.Atoi(args[2])
	conn, err := dns.Dial("udp", args[0])
	if err != nil {
		return err
	}
	defer conn.Close()
	took := make([]time.Duration, 0, queries)
	for i := range queries {
		m := new(dns.Msg)
		m.SetQuestion(groupName(i%groups), dns.TypeA)
		began := time.Now()
		_ = conn.SetDeadline(began.Add(5 * time.Second))
		if err := conn.WriteMsg(m); err != nil {
			return err
		}
		r, err := conn.ReadMsg()
		if err != nil {
			return err
		}
		if len(r.Answer) == 0 {
			return fmt.Errorf("no answer for %s", m.Question[0].Name)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	fmt.Fprintln(out, int64(took[len(took)/2]), int64(took[len(took)*99/100]))
	return nil
}
