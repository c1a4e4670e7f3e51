"""Libraries that are loaded in front of those of a process, and do one thing otherwise."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def preloaded(folder, name):
    """The environment of a process with a library of this folder, which is compiled once."""
    library = folder / f"{name}.so"
    if not library.exists():
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / f"{name}.c", "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


class BrokenLibrary:
    """A libcrypto that verifies nothing while it is broken. Given to a process in the place of a clock."""

    def __init__(self, folder):
        self.file = folder / "broken"
        self.environment = preloaded(folder, "broken") | {"BROKEN": str(self.file)}

    def breaks(self):
        self.file.touch()

    def is_mended(self):
        self.file.unlink()
