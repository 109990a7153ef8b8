#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""validate-schema.py FILE...: checks every line of result files against doc/result-schema.json.

Prints the first violation of each file as FILE:LINE: WHERE: WHAT. Exit status: 0 all valid,
1 a violation, 2 bad usage, 77 where python3-jsonschema is missing.
"""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is missing; run make deps check", file=sys.stderr)
    sys.exit(77)

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "..", "doc", "result-schema.json")


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON number")


def refuse_duplicates(members):
    names = [name for name, _ in members]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'"{name}" stands twice in one object')
    return dict(members)


def cause(error):
    """The deepest error below a oneOf or allOf: the one that says what is wrong."""
    best = jsonschema.exceptions.best_match([error])
    return best or error


def where(error):
    text = ""
    for part in error.absolute_path:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text or "record"


def violation_of_line(validator, line):
    if not line.endswith(b"\n"):
        return "record: torn: no line end"
    try:
        record = json.loads(line.decode("utf-8"), parse_constant=refuse_constant,
                            object_pairs_hook=refuse_duplicates)
    except ValueError as problem:
        return f"record: no JSON: {problem}"
    errors = sorted(validator.iter_errors(record), key=lambda e: list(map(str, e.absolute_path)))
    if not errors:
        return None
    error = cause(errors[0])
    return f"{where(error)}: {error.message[:200]}"


def violation(validator, path):
    """First thing amiss in a file as (line, text), or None."""
    number = 0
    ended = False
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            text = violation_of_line(validator, line)
            if text:
                return number, text
            kind = json.loads(line)["record"]
            if (kind == "header") != (number == 1):
                return number, "record: the header is the first line, and no other"
            if ended and kind != "resume":
                return number, f"record: {kind} behind the end record"
            ended = kind == "end"
    if number == 0:
        return 1, "record: the file is empty"
    return None


def main(paths):
    if not paths or any(path.startswith("-") for path in paths):
        print(__doc__, file=sys.stderr)
        return 2
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    status = 0
    for path in paths:
        try:
            found = violation(validator, path)
        except OSError as problem:
            print(f"{path}: {problem.strerror}", file=sys.stderr)
            return 2
        if found:
            print(f"{path}:{found[0]}: {found[1]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
