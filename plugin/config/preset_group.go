package config

// What a preset says of groups (spec, section 0). "" is none, as everywhere.

// DefaultMax is the number of records in a multivalue answer of a group that names none.
func (p Preset) DefaultMax() int {
	if p == PresetTrafficManager {
		return 2
	}
	return DefaultMax
}

// maxRange are the numbers of records in a multivalue answer that may be asked for (T-107).
func (p Preset) maxRange() (low, high int) {
	switch p {
	case PresetRoute53:
		return 8, 8
	case PresetTrafficManager:
		return 1, 10
	}
	return 1, 100
}

// weightRange are the weights of a weighted group (T-036).
func (p Preset) weightRange() (low, high int) {
	switch p {
	case PresetRoute53:
		return 0, 255
	case PresetTrafficManager:
		return 1, 1000
	}
	return 0, 65535
}

// priorityRange are the numbers of a priority group.
func (p Preset) priorityRange() (low, high int) {
	if p == PresetTrafficManager {
		return 1, 1000
	}
	return 0, 65535
}

// hasTiers reports whether records of one priority are a tier that answers together, and no fault (T-068).
func (p Preset) hasTiers() bool { return p != PresetRoute53 && p != PresetTrafficManager }

// WeightRequired reports whether each record of a weighted group must name its weight.
func (p Preset) WeightRequired() bool { return p == PresetRoute53 }

// RefusesHostBits reports whether a prefix must be written with its network address; elsewhere it is masked (T-167).
func (p Preset) RefusesHostBits() bool { return p == PresetTrafficManager }
