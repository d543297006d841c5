# SPDX-License-Identifier: MIT
"""perf_file.py: writes files perf.data with known content, for tests.

    recording = Recording([Attr(sample_type=IP | TID | TIME, name="cycles:u")])
    recording.sample(ip=0x1000, pid=1, tid=1, time=5)
    open("perf.data", "wb").write(recording.bytes())
"""
import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM, RAW, BRANCHES = (1 << i for i in range(12))
IDENTIFIER, AUX = 1 << 16, 1 << 20
ALL_IDS, EXCLUDE_KERNEL, EXCLUDE_HV = 1 << 18, 1 << 5, 1 << 6
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, AUX_RECORD, ITRACE_START, SWITCH, SWITCH_CPU = 1, 2, 3, 4, 7, 9, 10, 11, 12, 14, 15
ATTR, BUILD_ID, ROUND, AUXTRACE_INFO, AUXTRACE, AUXTRACE_ERROR, TIME_CONV, FEATURE, COMPRESSED, COMPRESSED2 = 64, 67, 68, 70, 71, 72, 79, 80, 81, 83
ID_ORDER = (TID, TIME, ID, STREAM, CPU, IDENTIFIER)  # at the end of a record that is no sample


def text(string):
    raw = string.encode() + b"\0"
    return raw + bytes(-len(raw) % 8)


class Attr:
    def __init__(self, sample_type, type=0, config=0, period=1, name="", flags=ALL_IDS | EXCLUDE_KERNEL | EXCLUDE_HV, branch_type=0):
        self.sample_type, self.type, self.config, self.period = sample_type, type, config, period
        self.name, self.flags, self.branch_type, self.ids = name, flags, branch_type, []

    def bytes(self):
        return struct.pack("<IIQQQQQIIQQQQIiQII", self.type, 112, self.config, self.period, self.sample_type, 0,
                           self.flags, 0, 0, 0, 0, self.branch_type, 0, 0, 0, 0, 0, 0)


class Recording:
    def __init__(self, attrs):
        self.attrs, self.records, self.build_ids = attrs, [], []
        for i, attr in enumerate(attrs):
            attr.ids = [100 + i]

    def put(self, type, body, misc=2, after=b""):
        assert len(body) % 8 == 0
        self.records.append(struct.pack("<IHH", type, misc, 8 + len(body)) + body + after)

    def id(self, pid=0, tid=0, time=0, cpu=0, attr=0):
        """What stands at the end of a record that is no sample."""
        of = {TID: struct.pack("<II", pid, tid), TIME: struct.pack("<Q", time), ID: struct.pack("<Q", self.attrs[attr].ids[0]),
              STREAM: struct.pack("<Q", 0), CPU: struct.pack("<II", cpu, 0), IDENTIFIER: struct.pack("<Q", self.attrs[attr].ids[0])}
        return b"".join(of[bit] for bit in ID_ORDER if self.attrs[0].sample_type & bit)

    def sample(self, attr=0, ip=0, pid=0, tid=0, time=0, addr=0, cpu=0, period=1, callers=(), branches=(), aux=b""):
        """branches: (from, to, flags), the newest first; flags as struct perf_branch_entry has them."""
        which = self.attrs[attr]
        kind, body = which.sample_type, b""
        if kind & IDENTIFIER:
            body += struct.pack("<Q", which.ids[0])
        if kind & IP:
            body += struct.pack("<Q", ip)
        if kind & TID:
            body += struct.pack("<II", pid, tid)
        if kind & TIME:
            body += struct.pack("<Q", time)
        if kind & ADDR:
            body += struct.pack("<Q", addr)
        if kind & ID:
            body += struct.pack("<Q", which.ids[0])
        if kind & CPU:
            body += struct.pack("<II", cpu, 0)
        if kind & PERIOD:
            body += struct.pack("<Q", period)
        if kind & CALLCHAIN:
            body += struct.pack("<Q", len(callers)) + b"".join(struct.pack("<Q", at) for at in callers)
        if kind & BRANCHES:
            body += struct.pack("<Q", len(branches)) + b"".join(struct.pack("<QQQ", *branch) for branch in branches)
        if kind & AUX:
            body += struct.pack("<Q", len(aux)) + aux
        self.put(SAMPLE, body)

    def comm(self, name, pid, tid, time=0, exec=False):
        self.put(COMM, struct.pack("<II", pid, tid) + text(name) + self.id(pid, tid, time), 2 | exec << 13)

    def mmap2(self, path, pid, start, size, offset, time=0, protection=5, tid=None):
        self.put(MMAP2, struct.pack("<IIQQQIIQQII", pid, pid if tid is None else tid, start, size, offset, 0, 0, 0, 0, protection, 2)
                 + text(path) + self.id(pid, pid, time))

    def fork(self, pid, parent, tid, parent_tid, time, type=FORK):
        self.put(type, struct.pack("<IIIIQ", pid, parent, tid, parent_tid, time) + self.id(pid, tid, time))

    def lost(self, count, time=0):
        self.put(LOST, struct.pack("<QQ", self.attrs[0].ids[0], count) + self.id(0, 0, time))

    def aux(self, offset, size, flags=0, **id):
        self.put(AUX_RECORD, struct.pack("<QQQ", offset, size, flags) + self.id(**id))

    def itrace_start(self, pid, tid, time, cpu=0):
        self.put(ITRACE_START, struct.pack("<II", pid, tid) + self.id(pid, tid, time, cpu))

    def switch(self, pid, tid, time, cpu=0, out=False):
        self.put(SWITCH, self.id(pid, tid, time, cpu), 2 | out << 13)

    def round(self):
        self.put(ROUND, b"")

    def time_conv(self, shift, mult, zero):
        self.put(TIME_CONV, struct.pack("<QQQ", shift, mult, zero))

    def auxtrace_info(self, type, words):
        self.put(AUXTRACE_INFO, struct.pack("<II", type, 0) + b"".join(struct.pack("<Q", word) for word in words))

    def auxtrace(self, data, offset=0, index=0, tid=0xFFFFFFFF, cpu=0xFFFFFFFF, reference=0):
        data += bytes(-len(data) % 8)
        self.put(AUXTRACE, struct.pack("<QQQIIII", len(data), offset, reference, index, tid, cpu, 0), 0, data)

    def auxtrace_error(self, message, tid, ip, time, cpu=0):
        self.put(AUXTRACE_ERROR, struct.pack("<IIiIIIQQ", 1, 5, cpu, tid, tid, 1, ip, time) + message.encode().ljust(64, b"\0"))

    def pipe(self, records=None):
        """The file as perf record writes it to a pipe."""
        out = b"PERFILE2" + struct.pack("<Q", 16)
        for attr in self.attrs:
            body = attr.bytes() + b"".join(struct.pack("<Q", id) for id in attr.ids)
            out += struct.pack("<IHH", ATTR, 0, 8 + len(body)) + body
        names = self.names()
        out += struct.pack("<IHHQ", FEATURE, 0, 16 + len(names), 12) + names
        return out + b"".join(records or self.records)

    def names(self):
        body = struct.pack("<II", len(self.attrs), 112)
        for attr in self.attrs:
            name = attr.name.encode() + b"\0"
            name += bytes(-len(name) % 64)
            body += attr.bytes() + struct.pack("<II", len(attr.ids), len(name)) + name + b"".join(struct.pack("<Q", id) for id in attr.ids)
        return body + bytes(-len(body) % 8)

    def bytes(self, records=None, data_size=None):
        """The file; `records` instead of its own; `data_size` instead of their size."""
        records = b"".join(self.records if records is None else records)
        ids_at, each = 104, 112 + 16
        ids = b"".join(struct.pack("<Q", id) for attr in self.attrs for id in attr.ids)
        attrs_at = ids_at + len(ids)
        attrs = b"".join(attr.bytes() + struct.pack("<QQ", ids_at + 8 * i, 8) for i, attr in enumerate(self.attrs))
        data_at = attrs_at + len(attrs)
        after = data_at + len(records)
        features = {}
        if self.build_ids:
            features[2] = b"".join(struct.pack("<IHHi20sI", 0, 2, 36 + len(text(path)), pid, bytes.fromhex(digits).ljust(20, b"\0"), 0)
                                   + text(path) for pid, digits, path in self.build_ids)
        if any(attr.name for attr in self.attrs):
            features[12] = self.names()
        table, contents, at = b"", b"", after + 16 * len(features)
        for bit in sorted(features):
            table += struct.pack("<QQ", at, len(features[bit]))
            contents += features[bit]
            at += len(features[bit])
        bits = sum(1 << bit for bit in features)
        header = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, each, attrs_at, len(attrs), data_at,
                                           len(records) if data_size is None else data_size, 0, 0)
        header += bits.to_bytes(32, "little")
        return header + ids + attrs + records + table + contents
