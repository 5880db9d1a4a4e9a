"""The compiled search; what Python may call of it is in ``search.pyi``."""

from pkgutil import extend_path

# Started in a checkout, Python finds the sources here before the installed package: they must not
# hide its compiled modules.
__path__ = extend_path(__path__, __name__)
