"""The extension modules; all other metadata is in pyproject.toml.

DECADE_SANITIZE=1 builds them with AddressSanitizer, UndefinedBehaviorSanitizer and Cython's bounds
checks, to be run by the same tests. Otherwise there is no debug information: it takes a sixth
of the time to compile.
"""

import os
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

sanitize = os.environ.get("DECADE_SANITIZE") == "1"
flags = ["-O3", "-g0", "-std=c11", "-fno-math-errno"]
if sanitize:
    checks = "-fsanitize=address,undefined"
    flags = ["-O1", "-g", "-std=c11", checks, "-fno-sanitize-recover=all"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"decade_ext.{name}",
                [f"decade_ext/{name}.pyx"],
                depends=glob("decade_ext/*.pxd") + glob("decade_ext/*.h"),
                extra_compile_args=flags,
                extra_link_args=[checks] if sanitize else [],
            )
            for name in ("policy", "search", "shuffle", "text")
        ],
        compiler_directives={
            "language_level": "3",
            "boundscheck": sanitize,
            "wraparound": False,
            "initializedcheck": sanitize,
            "cdivision": True,
            "freethreading_compatible": False,
            "auto_pickle": False,
            "autotestdict": False,
        },
    )
)
