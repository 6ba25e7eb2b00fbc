"""How fast `kenaz lsp` answers on a program: python3 bench/lsp.py KENAZ [PROGRAM] [ROUNDS]

After each edit of one letter somewhere in the program, it asks for a hover and a completion there and waits for the
diagnostics, and prints the median and the 95th percentile of the times in milliseconds. That of the first hover after an
edit includes the check of the whole program; that of diagnostics includes the pause of 120 ms that the server makes.
"""

import json
import random
import subprocess
import sys
import time


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.told = []
        self.ask("initialize", {"processId": None, "capabilities": {}})
        self.tell("initialized", {})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while (message := self.read()).get("id") != self.last or "method" in message:
            self.told.append(message)
        if "error" in message:
            raise SystemExit(message["error"])
        return message["result"]

    def diagnostics(self, version):
        while True:
            message = self.told.pop(0) if self.told else self.read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["version"] == version:
                return message["params"]["diagnostics"]


def main():
    program = sys.argv[2] if len(sys.argv) > 2 else "bench/programs/1300.fut"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    lines = open(program).read().split("\n")
    server = Server(sys.argv[1])
    uri = "file:///bench.fut"
    document = {"uri": uri, "languageId": "futhark", "version": 1, "text": "\n".join(lines)}
    server.tell("textDocument/didOpen", {"textDocument": document})
    server.diagnostics(1)
    chance = random.Random(1)
    names = ["hover after an edit", "hover", "completion", "semantic tokens", "inlay hints", "diagnostics"]
    times = {name: [] for name in names}
    bodies = [i for i, line in enumerate(lines) if line.startswith("  ") and line.rstrip()]
    for version in range(2, rounds + 2):
        line = chance.choice(bodies)
        column = len(lines[line])
        # Every second edit leaves the program broken until the next.
        new = " +" if version % 2 == 0 else " "
        at = {"line": line, "character": column}
        change = {"range": {"start": at, "end": at}, "text": new}
        start = time.perf_counter()
        server.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
        )
        here = {"textDocument": {"uri": uri}, "position": {"line": line, "character": max(column - 2, 0)}}

        def timed(name, method, params):
            begin = time.perf_counter()
            server.ask(method, params)
            times[name].append(time.perf_counter() - begin)

        timed("hover after an edit", "textDocument/hover", here)
        timed("hover", "textDocument/hover", here)
        timed("completion", "textDocument/completion", {**here, "position": {"line": line, "character": column + len(new)}})
        timed("semantic tokens", "textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
        timed("inlay hints", "textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": everything})
        server.diagnostics(version)
        times["diagnostics"].append(time.perf_counter() - start)
        # Back to the program as it was.
        version_back = 1_000_000 + version
        end = {"line": line, "character": column + len(new)}
        server.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version_back},
                "contentChanges": [{"range": {"start": at, "end": end}, "text": ""}],
            },
        )
        server.diagnostics(version_back)
    for name, all_times in times.items():
        all_times.sort()
        shown = [1000 * all_times[int(part * (len(all_times) - 1))] for part in (0.5, 0.95)]
        print(f"{name:20} p50 {shown[0]:7.1f} ms   p95 {shown[1]:7.1f} ms")


main()
