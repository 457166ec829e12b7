"""Performance tables. Run all with ``make bench``; figures are ratios inside one run, machines are noisy."""
