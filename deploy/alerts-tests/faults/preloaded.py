"""Preloaded libraries that replace one function of a process."""

import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def preloaded(folder, name):
    """Returns the environment of a process with a library of this folder, which is compiled once."""
    library = folder / f"{name}.so"
    if not library.exists():
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / f"{name}.c", "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


class BrokenLibrary:
    """A libcrypto that verifies nothing while it is broken. It is passed to a process in place of a clock."""

    def __init__(self, folder):
        self.file = folder / "broken"
        self.environment = preloaded(folder, "broken") | {"BROKEN": str(self.file)}

    def breaks(self):
        self.file.touch()

    def is_mended(self):
        self.file.unlink()
