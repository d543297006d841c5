#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kanata.py FILE: check a Kanata log of version 0004 by Konata's rules, and print its counts.

The grammar: tab-separated commands; "C=" once, then "C" with a delta of at least 1, so time only goes
forward; ids from 0, each begun once by "I"; "L", "S", "E", "W" and "R" only of ids that are begun and
have not ended; stages begin and end once in turn; "R" with type 0 (retired, with its number in order)
or 1 (flushed).
"""
import sys


def check(lines):
    state = {"ids": 0, "retired": 0, "flushed": 0, "cycles": 0}
    stage, started = {}, False

    def alive(word):
        assert int(word) in stage, f"id {word} is not alive"
        return int(word)

    assert lines[0] == "Kanata\t0004", "expected the header 'Kanata\\t0004'"
    for number, line in enumerate(lines[1:], 2):
        word, *fields = line.split("\t")
        try:
            if word == "C=":
                assert not started and len(fields) == 1 and int(fields[0]) >= 0
                started = True
                continue
            assert started, "a command before C="
            if word == "C":
                assert len(fields) == 1 and int(fields[0]) >= 1, "time goes forward"
                state["cycles"] += int(fields[0])
            elif word == "I":
                assert len(fields) == 3 and int(fields[0]) == state["ids"], "ids in order, from 0"
                stage[state["ids"]] = None
                state["ids"] += 1
            elif word == "L":
                assert len(fields) == 3 and fields[1] in "01" and fields[2]
                alive(fields[0])
            elif word == "S":
                assert len(fields) == 3 and fields[1] == "0" and fields[2]
                assert stage[alive(fields[0])] != fields[2], "the stage has begun already"
                stage[int(fields[0])] = fields[2]
            elif word == "E":
                assert len(fields) == 3 and stage[alive(fields[0])] == fields[2]
                stage[int(fields[0])] = None
            elif word == "W":
                assert len(fields) == 3
                alive(fields[0])
            elif word == "R":
                assert len(fields) == 3 and fields[2] in "01"
                del stage[alive(fields[0])]
                if fields[2] == "0":
                    assert int(fields[1]) == state["retired"], "retired in order"
                state["retired" if fields[2] == "0" else "flushed"] += 1
            else:
                assert False, f"no command is called {word}"
        except (AssertionError, ValueError) as error:
            sys.exit(f"{number}: {line!r}: {error or 'not as the grammar has it'}")
    assert not stage, f"never ended: {sorted(stage)[:5]}"
    return state


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("\n"), "the last line has no end"
    for key, value in check(text[:-1].split("\n")).items():
        print(key, value)
