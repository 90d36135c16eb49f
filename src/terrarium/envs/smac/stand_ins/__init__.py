"""Packages named `smac` and `smacv2` that hold our environments.

`terrarium run-smac` puts this folder first on the path of a program: what it imports from SMAC, it
finds here. So nothing else may lie here, and a module of SMAC that is missing is one that we do not
stand in for.
"""
