"""Contract tests for algorithms, networks, sharing rules and environments of your own.

Each `check_` function raises an AssertionError that says what does not hold; call them from a test.
The package's own parts are tested by the same functions.
"""

from terrarium.testing.algorithms import check_algorithm
from terrarium.testing.environments import check_environment
from terrarium.testing.networks import check_network
from terrarium.testing.sharing_rules import check_sharing_rule

__all__ = ["check_algorithm", "check_environment", "check_network", "check_sharing_rule"]
