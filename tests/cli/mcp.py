#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcp.py SPOOR ROOT: a client of `spoor mcp`: every tool, its parts, and hostile requests; prints TAP.

The answers are compared with those of the same verbs with --json on the command line.  Then the
protocol's own client, from npm, asks the same; where it cannot be fetched, these lines are skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SPOOR, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
A64, UOP = "sort-aarch64.tarmac.xz", "sort.uop.xz"
# arguments of a call, and the same words of a command
CALLS = {
    "info": ({"trace": A64}, [A64]),
    "print": ({"trace": A64, "where": "pc = 0x4005d4", "limit": 40}, ["--where=pc = 0x4005d4", "--limit=40", A64]),
    "state": ({"trace": A64, "at": "record:500"}, ["--at=record:500", A64]),
    "who": ({"trace": A64, "subject": "x0", "all": True, "next": False}, ["--all", A64, "x0"]),
    "slice": ({"trace": A64, "subject": "sp"}, [A64, "sp"]),
    "why": ({"trace": A64}, [A64]),
    "stack": ({"trace": A64}, [A64]),
    "calls": ({"trace": A64}, [A64]),
    "profile": ({"trace": A64}, [A64]),
    "annotate": ({"trace": A64}, [A64]),
    "coverage": ({"trace": A64}, [A64]),
    "mix": ({"trace": A64}, [A64]),
    "exceptions": ({"trace": A64}, [A64]),
    "values": ({"trace": A64, "predictor": ["stride"]}, ["--predictor=stride", A64]),
    "strings": ({"trace": A64, "min-length": 6}, ["--min-length=6", A64]),
    "check": ({"trace": UOP}, [UOP]),
    "diff": ({"left": A64, "right": A64}, [A64, A64]),
    "cache": ({"trace": A64}, [A64]),
    "tlb": ({"trace": A64}, [A64]),
    "branch": ({"trace": UOP}, [UOP]),
    "pipe": ({"trace": UOP}, [UOP]),
    "sql": ({"trace": A64, "query": "select count(*) as n from insn"}, [A64, "select count(*) as n from insn"]),
}
WRONG_PARAMS, NO_METHOD, NOT_A_REQUEST, NOT_JSON = -32602, -32601, -32600, -32700
count = 0


def result(good, name, *remarks):
    global count
    count += 1
    print("ok" if good else "not ok", count, "-", name)
    for remark in () if good else remarks:
        print("#", str(remark)[:600])


class Client:
    """A server and what it said."""

    def __init__(self, folder, *operands):
        self.server = subprocess.Popen([SPOOR, "mcp", *operands], cwd=folder, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.number = 0

    def write(self, line):
        self.server.stdin.write(line if isinstance(line, bytes) else line.encode() + b"\n")
        self.server.stdin.flush()

    def read(self):
        return json.loads(self.server.stdout.readline())

    def send(self, method, **params):
        self.number += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        return self.number

    def ask(self, method, **params):
        number = self.send(method, **params)
        answer = self.read()
        assert answer["id"] == number, answer
        return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def end(self):
        self.server.stdin.close()
        rest = self.server.stdout.read()
        return self.server.wait(timeout=60), rest


def command(folder, verb, words):
    run = subprocess.run([SPOOR, verb, "--json", *words], cwd=folder, check=False, capture_output=True,
                         stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout.decode()


def main():
    print("TAP version 13")
    base = Path(tempfile.mkdtemp())
    try:
        folder = base / "traces"
        folder.mkdir()
        for name in (A64, UOP):
            shutil.copy(ROOT / "examples" / name, folder)
        shutil.copy(ROOT / "examples" / A64, base / "outside.xz")
        (folder / "link.xz").symlink_to(base / "outside.xz")
        os.environ["XDG_CACHE_HOME"] = str(base / "cache")
        tools(folder)
        parts(folder)
        hostile(folder)
        cancelled(folder)
        official(folder)
    finally:
        shutil.rmtree(base)
    print(f"1..{count}")


def tools(folder):
    client = Client(folder)
    begun = client.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                       clientInfo={"name": "test", "version": "0"})["result"]
    result(begun["protocolVersion"] == "2025-06-18" and begun["serverInfo"]["name"] == "spoor", "initialize", begun)
    client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    listed = client.ask("tools/list")["result"]["tools"]
    result({tool["name"] for tool in listed} == {"traces", *CALLS}, "every tool is listed", listed)
    for tool in listed:
        schema = json.dumps(tool)
        options = tool["inputSchema"].get("properties", {})
        # a call writes no file and loads no code
        result("output" not in options and "plugin" not in options and "$schema" not in schema
               and len(schema) < 40000, f"the schema of {tool['name']}", schema)
    traces = json.loads(client.call("traces")["result"]["content"][0]["text"])
    result({Path(trace).name for trace in traces} >= {A64, UOP}, "traces", traces)
    for name, (arguments, words) in CALLS.items():
        answer = client.call(name, max_bytes=1 << 20, **arguments)
        code, text = command(folder, name, words)
        told = answer.get("result", {}).get("structuredContent", {})
        result(told.get("exit_code") == code and told.get("result") == json.loads(text or "null")
               and (not text or answer["result"]["content"][0]["text"] == text) and not answer["result"]["isError"],
               f"{name} answers as --json does", answer, code, text)
    prompts = client.ask("prompts/list")["result"]["prompts"]
    for prompt in prompts:
        given = {argument["name"]: f"<{argument['name']}>" for argument in prompt["arguments"]}
        text = client.ask("prompts/get", name=prompt["name"], arguments=given)["result"]["messages"][0]["content"]["text"]
        result(all(value in text for value in given.values()) and "%s" not in text, f"prompt {prompt['name']}", text)
    # several at once are all answered
    numbers = {client.send("tools/call", name="info", arguments={"trace": A64}) for _ in range(12)}
    result({client.read()["id"] for _ in numbers} == numbers, "twelve calls at once")
    code, rest = client.end()
    result(code == 0 and not rest, "the end of standard input ends the server", code, rest)


def parts(folder):
    client = Client(folder)
    code, whole = command(folder, "profile", [A64])
    for size in (256, 777, 5000):
        joined, cursor, few = "", {}, True
        for _ in range(len(whole)):
            answer = client.call("profile", trace=A64, max_bytes=size, **cursor)["result"]
            told, text = answer["structuredContent"], answer["content"][0]["text"]
            few &= len(text.encode()) <= size and ("result" in told or told["part"] == text)
            few &= ("cursor" in told) != (told.get("exit_code") == code)
            joined += text
            if "cursor" not in told:
                break
            cursor = {"cursor": told["cursor"]}
        result(joined == whole and few, f"the parts of {size} bytes are the answer", joined)
        if size == 256:
            few = client.call("print", trace=A64, max_bytes=size)["result"]["structuredContent"]
            result("cursor" in few and "exit_code" not in few, "a long answer is cut and its verb ended", few)
    result(client.end()[0] == 0, "end")


def hostile(folder):
    client = Client(folder)
    refused = [
        ("a path above", WRONG_PARAMS, "info", {"trace": "../outside.xz"}),
        ("a path elsewhere", WRONG_PARAMS, "info", {"trace": "/etc/passwd"}),
        ("a link that leads out", WRONG_PARAMS, "info", {"trace": "link.xz"}),
        ("no file", WRONG_PARAMS, "info", {"trace": "none"}),
        ("standard input", WRONG_PARAMS, "info", {"trace": "-"}),
        ("no trace", WRONG_PARAMS, "info", {}),
        ("a trace that is a number", WRONG_PARAMS, "info", {"trace": 1}),
        ("an output", WRONG_PARAMS, "profile", {"trace": A64, "output": "x"}),
        ("a plot", WRONG_PARAMS, "profile", {"trace": A64, "plot": "x.svg"}),
        ("an image elsewhere", WRONG_PARAMS, "profile", {"trace": A64, "image": ["/bin/ls"]}),
        ("an image elsewhere at an address", WRONG_PARAMS, "profile", {"trace": A64, "image": ["/bin/ls@0"]}),
        ("a format that is a file", WRONG_PARAMS, "info", {"trace": A64, "from": "/etc/x.spoor-format"}),
        ("an option of another type", WRONG_PARAMS, "profile", {"trace": A64, "where": True}),
        ("a flag that is a word", WRONG_PARAMS, "who", {"trace": A64, "subject": "x0", "all": "yes"}),
        ("a wrong cursor", WRONG_PARAMS, "info", {"trace": A64, "cursor": "-1"}),
        ("a wrong size", WRONG_PARAMS, "info", {"trace": A64, "max_bytes": 1}),
        ("no tool", WRONG_PARAMS, "record", {"trace": A64}),
    ]
    for name, code, tool, arguments in refused:
        answer = client.call(tool, **arguments)
        result(answer.get("error", {}).get("code") == code and answer["error"]["message"], f"{name} is refused", answer)
    for query in ("attach '../outside.xz' as o", "create table t (x)", "select load_extension('x')"):
        answer = client.call("sql", trace=A64, query=query)["result"]
        result(answer["isError"] or answer["structuredContent"]["exit_code"] != 0, f"{query} is refused", answer)
    answer = client.call("who", trace=A64, subject="--output=x")
    result("structuredContent" not in answer["result"] and not (folder / "x").exists(), "a subject is no option", answer)
    lines = [("no JSON", b"{\n", NOT_JSON), ("deep", b"[" * 100000 + b"\n", NOT_JSON),
             ("a byte of no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', NOT_JSON),
             ("a list", b"[1]\n", NOT_A_REQUEST), ("an id that is an object", b'{"id":{},"method":"ping"}\n', NOT_A_REQUEST),
             ("a line of 3 MB", b'"' + b"x" * 3000000 + b'"\n', NOT_A_REQUEST),
             ("a method that is none", b'{"jsonrpc":"2.0","id":7,"method":"tools/none"}\n', NO_METHOD)]
    for name, line, code in lines:
        client.write(line)
        answer = client.read()
        result(answer["error"]["code"] == code, f"{name} is refused", answer)
    client.write(b'\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}\n')
    client.write(b'{"jsonrpc":"2.0","method":"notifications/none"}\n')
    result(client.ask("ping")["result"] == {}, "the server goes on")
    code, rest = client.end()
    result(code == 0 and not rest, "it ends in order", code, rest)
    ping = b'{"jsonrpc":"2.0","id":8,"method":"ping"}'
    for name, line, good in (("a last line without an end", ping, True), ("one of 3 MB", b" " * 3000000 + ping, False)):
        run = subprocess.run([SPOOR, "mcp"], cwd=folder, check=False, input=line, stdout=subprocess.PIPE)
        answers = [json.loads(answer) for answer in run.stdout.splitlines()]
        result(len(answers) == 1 and (answers[0].get("result") == {} if good else answers[0]["error"]["code"] == NOT_A_REQUEST),
               name, answers)
    run = subprocess.run([SPOOR, "mcp", "none"], cwd=folder, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    result(run.returncode == 2 and run.stderr, "a folder that is none is refused", run)


def cancelled(folder):
    """A call that would wait for ever for its trace: a fifo is no trace, so a long trace is made."""
    long = folder / "long.tarmac"
    text = subprocess.run(["xz", "-dc", ROOT / "examples" / A64], check=True, capture_output=True).stdout
    with long.open("wb") as out:
        for _ in range(40):
            out.write(text)
    client = Client(folder)
    number = client.send("tools/call", name="pipe", arguments={"trace": long.name},
                         _meta={"progressToken": "t"})
    told = client.read()
    progress = told.get("method") == "notifications/progress" and told["params"]["progressToken"] == "t"
    result(progress or told.get("id") == number, "a long call tells its progress", told)
    client.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}))
    ping = client.send("ping")
    answers = []
    while not answers or answers[-1].get("id") != ping:
        answers.append(client.read())
    code, rest = client.end()
    result(not progress or (number not in [answer.get("id") for answer in answers] and code == 0 and not rest),
           "a cancelled call is not answered", answers, code, rest)


def official_client():
    """The path of the script, beside the packages that it needs; None: they cannot be fetched here."""
    source = ROOT / "tests/cli/mcp_client"
    folder = Path(os.environ.get("MESON_BUILD_ROOT", tempfile.gettempdir())) / "mcp_client"
    if not shutil.which("node") or subprocess.run([ROOT / "scripts/make-page", "--packages", source, folder], check=False,
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return None
    shutil.copy(source / "client.mjs", folder)
    return folder / "client.mjs"


def official(folder):
    script = official_client()
    if not script:
        result(True, "the protocol's own client # SKIP cannot be fetched here")
        return
    calls = [{"name": name, "arguments": {"max_bytes": 1 << 20, **arguments}} for name, (arguments, _) in CALLS.items()]
    parts = [{"name": name, "arguments": {"max_bytes": 300, **CALLS[name][0]}} for name in ("print", "profile", "sql")]
    wrong = [{"name": "info", "arguments": {"trace": path}} for path in ("../outside.xz", "link.xz", "/etc/passwd")] + \
        [{"name": "record", "arguments": {}}, {"name": "info", "arguments": {"trace": A64, "none": 1}}]
    long = {"name": "pipe", "arguments": {"trace": "long.tarmac"}, "cancel": True}
    prompt = {"prompt": "what_is_slow", "arguments": {"trace": A64}}
    asked = [{"name": "traces", "arguments": {}}, *calls, *parts, *wrong, long, prompt]
    run = subprocess.run(["node", script, SPOOR], cwd=folder, check=False, capture_output=True, timeout=200,
                         input="".join(json.dumps(one) + "\n" for one in asked).encode())
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(asked) + 2:
        result(False, "the protocol's own client ends in order", answers[-1:], run.stderr.decode())
        return
    begun, traces, *answers = answers
    result(begun["server"]["name"] == "spoor" and {*begun["tools"]} == {"traces", *CALLS} and len(begun["prompts"]) == 3,
           "the protocol's own client lists tools and prompts", begun)
    result(A64 in traces["content"][0]["text"], "it lists traces", traces)
    for (name, (_, words)), answer in zip(CALLS.items(), answers):
        code, text = command(folder, name, words)
        told = answer.get("structuredContent", {})
        result(told.get("exit_code") == code and told.get("result") == json.loads(text or "null") and not answer["isError"],
               f"it calls {name}", answer)
    del answers[:len(CALLS)]
    for one, answer in zip(parts, answers):
        told = answer.get("structuredContent", {})
        result("cursor" in told or "result" in told, f"it reads a part of {one['name']}", answer)
    del answers[:len(parts)]
    for one, answer in zip(wrong, answers):
        result(answer.get("error") == WRONG_PARAMS, f"it is refused {one}", answer)
    cancelled_one, prompted, ended = answers[len(wrong):]
    result(cancelled_one.get("message") == "enough" or "enough" in cancelled_one.get("message", "") or
           not cancelled_one["progress"], "it cancels a call", cancelled_one)
    result(A64 in prompted["messages"][0]["content"]["text"], "it asks for a prompt", prompted)
    result(ended == {"ended": True} and run.returncode == 0, "it ends in order", ended, run.stderr.decode())


main()
sys.exit(0)
