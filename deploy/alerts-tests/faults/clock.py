"""Clocks that are set for some processes only, so that a fault of hours takes seconds."""

import mmap
import struct

from preloaded import preloaded

HOUR = 3600
DAY = 24 * HOUR


class Clock:
    """The machine's clocks with an offset in seconds, which can be changed while processes use them."""

    def __init__(self, folder, name, seconds=0):
        file = folder / f"{name}.clock"
        file.write_bytes(bytes(16))
        with open(file, "r+b") as opened:
            self.memory = mmap.mmap(opened.fileno(), 16)
        self.passed = 0
        self.set(seconds)
        # The environment of a process with these clocks.
        self.environment = preloaded(folder, "clock") | {"CLOCK_SHIFT": str(file)}

    def set(self, seconds):
        """Sets the wall clock, as an operator would: monotonic clocks are unaffected."""
        self.seconds = int(seconds)
        self.memory[0:16] = struct.pack("=qq", self.seconds, self.passed)

    def go_by(self, seconds):
        """Advances all clocks."""
        self.passed += int(seconds)
        self.set(self.seconds + seconds)
