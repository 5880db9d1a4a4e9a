"""The extension modules; all other metadata is in pyproject.toml.

DECADE_SANITIZE=1 builds them with AddressSanitizer, UndefinedBehaviorSanitizer and Cython's bounds
checks, to be run by the same tests.
"""

import os
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

sanitize = os.environ.get("DECADE_SANITIZE") == "1"
flags = ["-O3", "-std=c11", "-fno-math-errno"]
if sanitize:
    checks = "-fsanitize=address,undefined"
    flags = ["-O1", "-g", "-std=c11", checks, "-fno-sanitize-recover=all"]

setup(
    ext_modules=cythonize(
        Extension(
            "decade_ext.search",
            ["decade_ext/search.pyx"],
            depends=glob("decade_ext/*.pxd"),
            extra_compile_args=flags,
            extra_link_args=[checks] if sanitize else [],
        ),
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
