"""Programs with one deliberate fault each, a module a family."""

from . import bounds, groups, hopper, host, images, lifetime, races, unwritten, waiting, whole

FAMILIES = {
    "bounds": bounds.CASES,
    "host": host.CASES,
    "unwritten": unwritten.CASES,
    "races": races.CASES,
    "waiting": waiting.CASES,
    "whole": whole.CASES,
    "groups": groups.CASES,
    "lifetime": lifetime.CASES,
    "hopper": hopper.CASES,
    "images": images.CASES,
}
ALL = [case for cases in FAMILIES.values() for case in cases]
