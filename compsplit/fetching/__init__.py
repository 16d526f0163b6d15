"""Data sets from their publishers: which there are, how they come here, and whether all their records came.

``catalogue`` knows the data sets, ``download`` brings one file and goes on where it stopped, ``counts`` counts records
without holding a file, ``unpack`` opens an archive with care, ``folder`` puts these together for one folder on disk.
"""

from __future__ import annotations

from compsplit.fetching.catalogue import DATA_SETS, Count, DataSet, RemoteFile, data_set
from compsplit.fetching.counts import Counted, count
from compsplit.fetching.download import Watch
from compsplit.fetching.folder import Fetched, FetchedFile, fetch

__all__ = [
    "DATA_SETS",
    "Count",
    "Counted",
    "DataSet",
    "Fetched",
    "FetchedFile",
    "RemoteFile",
    "Watch",
    "count",
    "data_set",
    "fetch",
]
