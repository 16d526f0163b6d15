"""Look up the objects that the relations of scenes name, scene by scene.

Cost: O(sum over scenes of (objects + relations) x objects): scenes have tens of objects, so no table is made.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def places_in_scenes(
    object_ids: NDArray[np.int64],
    n_objects: NDArray[np.int64],
    ends: NDArray[np.int64],
    n_relations: NDArray[np.int64],
    places: NDArray[np.int64],
    odd: NDArray[np.bool_],
) -> None:
    """Find the place of each end of a relation among the objects of its scene.

    Args:
        object_ids: Ids of all objects, scene by scene.
        n_objects: Objects of each scene; shape (n_scenes,).
        ends: The two object ids of each relation; shape (n_relations, 2).
        n_relations: Relations of each scene; shape (n_scenes,).
        places: Room for the places in the scene; shape (n_relations, 2).
        odd: Set for scenes in which an id stands twice, or a relation names an absent object or one object twice.
    """
    first = 0
    relation = 0
    for scene in range(len(n_objects)):
        last = first + n_objects[scene]
        for i in range(first, last):
            for j in range(first, i):
                if object_ids[i] == object_ids[j]:
                    odd[scene] = True
        for r in range(relation, relation + n_relations[scene]):
            for side in range(2):
                places[r, side] = -1
                for i in range(first, last):
                    if object_ids[i] == ends[r, side]:
                        places[r, side] = i - first
                        break
                if places[r, side] < 0:
                    odd[scene] = True
            if places[r, 0] == places[r, 1]:
                odd[scene] = True
        first = last
        relation += n_relations[scene]
