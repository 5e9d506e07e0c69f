"""Side-by-side ratios against the peers found on the machine: `make bench`."""
