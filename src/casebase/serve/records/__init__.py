"""The stored records of a model at a desk: pages, filters, search, sort and counts, at a million records."""
