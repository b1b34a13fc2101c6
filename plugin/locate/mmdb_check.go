package locate

import (
	"errors"
	"fmt"

	"github.com/oschwald/maxminddb-golang/v2"
)

// check goes through all networks and reads from each record what clients will be asked for. The library's own check reads everything
// that is in a record, names in all languages too, which takes ten times as long, and refuses databases without a description, as those of
// CoreDNS's own tests are.
func (d *database) check() error {
	about := d.reader.Metadata
	if about.BinaryFormatMajorVersion != 2 || about.IPVersion != 4 && about.IPVersion != 6 {
		return fmt.Errorf("binary format %d with IP version %d: expected 2 with 4 or 6", about.BinaryFormatMajorVersion, about.IPVersion)
	}
	seen := map[uintptr]bool{}
	networks := uint(0)
	for record := range d.reader.Networks(maxminddb.IncludeNetworksWithoutData()) {
		// A tree has one leaf more than nodes. Where there are more, branches are shared, by intent or by damage, and there may be more
		// ways to leaves than can be gone in a lifetime. The library's check goes into each node once.
		if networks++; networks > about.NodeCount+1 {
			return d.reader.Verify()
		}
		if err := record.Err(); err != nil {
			return err
		}
		if !record.Found() || seen[record.Offset()] {
			continue
		}
		seen[record.Offset()] = true
		if err := d.readable(record); err != nil {
			return fmt.Errorf("record of %s: %w", record.Prefix(), err)
		}
	}
	return nil
}

// readable tells damage apart from records that only lack something or have something else in its place, about which nothing is known.
func (d *database) readable(record maxminddb.Result) error {
	var paths [][]any
	if d.places {
		paths = append(paths, pathContinent, pathCountry, pathSubdivision, pathLatitude, pathLongitude)
	}
	if d.asns {
		paths = append(paths, pathASN)
	}
	for _, path := range paths {
		var value any
		var damage maxminddb.InvalidDatabaseError
		if err := record.DecodePath(&value, path...); errors.As(err, &damage) {
			return err
		}
	}
	return nil
}
