"""Opens a zip archive that came from elsewhere, which may be hostile."""

from __future__ import annotations

import itertools
import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from compsplit.errors import BrokenFileError, FileError
from compsplit.files import new_folder

# JSON of records packs 5 to 30 times; zip at most about 1,032 times, and members that overlap without bound.
_MOST_EXPANSION = 200
_ALWAYS_FINE = 1 << 26


def checked_members(opened: zipfile.ZipFile, archive: Path) -> list[zipfile.ZipInfo]:
    """Return the files in an archive, in its order, after a look at their names and sizes.

    Raises:
        BrokenFileError: A name leads outside, is a link or comes twice, or the content is far larger than the archive.
    """
    members = [member for member in opened.infolist() if not member.is_dir()]
    for member in members:
        name = member.filename
        path = PurePosixPath(name.replace("\\", "/"))
        if not path.parts or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise BrokenFileError(archive.name, f'member "{name}" leads outside its folder; not opened')
        if stat.S_ISLNK(member.external_attr >> 16):
            raise BrokenFileError(archive.name, f'member "{name}" is a link; not opened')
    names = sorted(member.filename for member in members)
    twice = next((one for one, other in itertools.pairwise(names) if one == other), None)
    if twice is not None:
        raise BrokenFileError(archive.name, f'member "{twice}" is there twice; not opened')
    n_bytes, packed = sum(member.file_size for member in members), archive.stat().st_size
    if n_bytes > max(_ALWAYS_FINE, _MOST_EXPANSION * packed):
        raise BrokenFileError(
            archive.name,
            f"{packed:,} bytes that say they unpack to {n_bytes:,}, more than {_MOST_EXPANSION} times as many; "
            "taken for a zip bomb and not opened",
        )
    return members


def unpack(archive: Path, *, force: bool = False) -> Path:
    """Unpack an archive that ``count`` has read whole into a folder beside it, and return that folder.

    Its name is the archive's without ``.zip`` or ``.json.zip``. The folder appears when all of it is there.
    One that already holds the same files is left as it is.

    Raises:
        BrokenFileError: The archive is hostile.
        FileError: The disk has not that much room.
        OutputExistsError: The folder holds something else, and ``force`` is not given.
    """
    folder = archive.with_name(archive.name.removesuffix(".zip").removesuffix(".json"))
    with zipfile.ZipFile(archive) as opened:
        members = checked_members(opened, archive)
        if not force and folder.exists() and _holds(folder, members):
            return folder
        with new_folder(folder, force) as aside:
            needed, room = sum(member.file_size for member in members), shutil.disk_usage(aside).free
            if needed > room:
                raise FileError(str(folder), f"unpacking needs {needed:,} bytes, the disk has {room:,} free")
            for member in members:
                opened.extract(member, aside)
    return folder


def _holds(folder: Path, members: list[zipfile.ZipInfo]) -> bool:
    there = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return there == {member.filename: member.file_size for member in members}
