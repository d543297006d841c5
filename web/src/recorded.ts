// SPDX-License-Identifier: MIT
// recorded.ts: answers from within the page, which `spoor serve --export` wrote: those of the
// server to each question about a part of a trace.

import { Align, Call, Differing, Differences, Frame, Functions, Memory, Pipeline, Row, Rows, Source, State, Tile, Traces } from './api';

// A series: a record, and its answer as JSON, whole or as the pieces that differ from the answer
// before (number, piece, ...); where an answer is missing, it is the one before.
type Series = (number | string | (number | string)[])[];
type Parameters = Record<string, string | number | boolean | undefined>;
interface Part {
  from: number;
  to: number;
  rows: Rows[];
  timeline: Tile[];
  [key: string]: unknown;
}
export interface Data {
  traces: [Traces];
  differences?: [Differences];
  differing?: [{ differing: Differing[] }];
  parts: Part[]; // of one trace, or of two that are compared
}

const LINE = 64;

function lacks(what: string): never {
  throw new Error(`this page has a part of the trace: ${what} needs spoor serve and the trace`);
}

// The answers of a series, by the record from which each holds.
class Answers {
  private readonly places: number[] = []; // of records in `series`
  private last = { at: -1, text: '' };

  constructor(private readonly series: Series) {
    for (let i = 0; i < series.length; i += 2) this.places.push(i);
  }

  // The answer at a record; undefined: none so early.
  at<T>(record: number): T | undefined {
    let low = 0, high = this.places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.series[this.places[middle]]) <= record) low = middle + 1;
      else high = middle;
    }
    if (!low) return undefined;
    const answer = JSON.parse(this.text(low - 1)) as T & { error?: string };
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  private text(number: number): string {
    let at = number;
    while (typeof this.series[2 * at + 1] !== 'string' && at !== this.last.at) at--;
    let text = at === this.last.at ? this.last.text : String(this.series[2 * at + 1]);
    for (at++; at <= number; at++) {
      const changes = this.series[2 * at + 1] as (number | string)[], pieces = text.split(/(?!^)(?=\{)/);
      for (let i = 0; i < changes.length; i += 2) pieces[Number(changes[i])] = String(changes[i + 1]);
      text = pieces.join('');
    }
    this.last = { at: number, text };
    return text;
  }
}

export class Recorded {
  private readonly parts: RecordedPart[];

  constructor(private readonly data: Data) { this.parts = data.parts.map((part) => new RecordedPart(part)); }

  // The answer to a question; throws where the page has none.
  answer(name: string, parameters: Parameters): unknown {
    if (name === 'traces') return this.traces();
    if (name === 'differences') return this.data.differences?.[0] ?? lacks('a comparison');
    if (name === 'differing')
      return { differing: (this.data.differing?.[0].differing ?? []).filter((one) => one.left < Number(parameters.to) && one.left_end >= Number(parameters.from)) };
    return this.parts[Number(parameters.trace ?? 0)].answer(name, parameters);
  }

  private traces(): Traces {
    const [answer] = this.data.traces;
    return { ...answer, traces: answer.traces.map((trace, i) =>
      ({ ...trace, total: trace.records, first: this.data.parts[i].from, records: this.data.parts[i].to })) };
  }
}

class RecordedPart {
  private readonly rows: Row[];
  private readonly kept = new Map<string, Answers>();

  constructor(private readonly data: Part) {
    const { from, to } = data;
    this.rows = data.rows.flatMap((one) => one.rows).filter((row) => row.record >= from && row.record < to);
  }

  answer(name: string, parameters: Parameters): unknown {
    const at = Number(parameters.at), cpu = Number(parameters.cpu ?? 0);
    switch (name) {
      case 'overview': case 'survey': return this.one(name);
      case 'rows': return this.someRows(parameters);
      case 'state': return this.state(at, parameters.cpu);
      case 'stack': return this.series(`stack ${cpu}`).at<{ frames: Frame[] }>(this.rowEnd(at)) ?? this.outside(at);
      case 'call': return this.series(`call ${cpu}`).at<Call>(this.rowEnd(at)) ?? this.outside(at);
      case 'writer': return this.writer(at, cpu, String(parameters.register));
      case 'memory': return this.memory(at, String(parameters.address), Number(parameters.size));
      case 'source': return this.source(String(parameters.pc));
      case 'event': return this.event(`event ${parameters.kind} ${cpu}`, at, Number(parameters.back) > 0);
      case 'place': return { record: this.place(String(parameters.words)) };
      case 'functions': return this.functions(String(parameters.words));
      case 'address': return { address: this.functions(String(parameters.address)).address ?? lacks('this address') };
      case 'times': return { times: String(parameters.at).split(',').map((one) => this.rowAt(Number(one))?.time ?? null) };
      case 'align': return this.series('align').at<Align>(this.rowEnd(at)) ?? this.outside(at);
      case 'pipeline': return this.pipeline(at, parameters);
      case 'timeline': return this.tile(Number(parameters.from), Number(parameters.to));
      default: return lacks(({ why: 'where a value comes from', values: 'a track', misses: 'simulating a cache', touch: 'the next access',
        accesses: 'when memory is accessed', loop: 'a loop', area: 'counting an area' } as Record<string, string>)[name] ?? name);
    }
  }

  private outside(record: number): never {
    throw new Error(`this page has records ${this.data.from} to ${this.data.to - 1}: ${record} is not there`);
  }
  private series(key: string): Answers {
    const kept = this.kept.get(key) ?? new Answers((this.data[key] ?? []) as Series);
    this.kept.set(key, kept);
    return kept;
  }
  private one(name: string): unknown {
    const [answer] = this.data[name] as { error?: string }[];
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  // ---- rows ----

  private rowAt(record: number): Row | undefined {
    return this.rows.find((row) => record >= row.record && record < row.record + row.count);
  }
  private rowEnd(record: number): number {
    const row = this.rowAt(record);
    return row ? row.record + row.count - 1 : record;
  }

  private someRows(parameters: Parameters): Rows {
    const { where, text, depth, cpu } = parameters, count = Number(parameters.count);
    const folds = String(parameters.fold ?? '').split(',').filter((one) => one).map((one) => one.split('-').map(Number));
    const pc = /^\s*pc\s*==?\s*(0x[0-9a-f]+)\s*$/i.exec(String(where ?? ''));
    if (where && !pc) lacks('an expression');
    const shown = this.rows.filter((row) => (!pc || (row.pc !== undefined && BigInt(row.pc) === BigInt(pc[1])))
      && (!text || row.text.includes(String(text))) && (depth === undefined || depth === '' || row.depth <= Number(depth))
      && (cpu === undefined || row.cpu === Number(cpu)) && !folds.some(([from, to]) => row.record >= from && row.record < to));
    if (parameters.before !== undefined) {
      const before = shown.filter((row) => row.record + row.count <= Math.max(Number(parameters.before), this.data.from));
      const rows = before.slice(-count);
      return { rows, next: rows[0]?.record ?? this.data.from, end: rows.length === before.length };
    }
    const at = Number(parameters.at), after = shown.filter((row) => row.record + row.count > at), rows = after.slice(0, count);
    const last = rows[rows.length - 1], end = rows.length === after.length;
    return { rows, next: end ? this.data.to : last.record + last.count, end };
  }

  private place(words: string): number {
    const given = /^(?:(record|line|time|pc):)?(0x[0-9a-f]+|\d+)(?:#(\d+))?$/i.exec(words);
    if (words === 'end') return this.data.to - 1;
    if (!given) lacks(`'${words}'`);
    const [, kind, number, visit] = given;
    const row = kind === 'record' ? this.rowAt(Number(number))
      : kind === 'line' ? this.rows.find((one) => one.line === Number(number))
        : kind === 'pc' ? this.rows.filter((one) => one.pc !== undefined && BigInt(one.pc) === BigInt(/^0x/i.test(number) ? number : `0x${number}`))[Number(visit ?? 1) - 1]
          : [...this.rows].reverse().find((one) => one.time !== undefined && BigInt(one.time) === BigInt(number));
    return row ? row.record + row.count - 1 : lacks(`'${words}'`);
  }

  // ---- the machine ----

  private state(at: number, cpu: unknown): State {
    const state = this.series('state').at<State>(this.rowEnd(at)) ?? this.outside(at);
    return cpu === undefined ? state : { ...state, cpus: state.cpus.filter((one) => one.cpu === Number(cpu)) };
  }

  // The answer that has the instructions around a record.
  private pipeline(at: number, { preset, set, levels }: Parameters): Pipeline {
    if (preset || set || levels) lacks('another machine');
    const row = this.rows.findIndex((one) => at < one.record + one.count), near = this.rows[Math.min(this.rows.length - 1, row + 90)];
    const answer = this.series('pipeline').at<Pipeline>(row < 0 ? at : near.record + near.count - 1) ?? this.outside(at);
    return { ...answer, presets: undefined };
  }

  private writer(at: number, cpu: number, name: string): { record: number | null } {
    const found = this.state(at, cpu).cpus[0]?.registers.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return found ? { record: found.writer ?? null } : lacks(`the writer of ${name}`);
  }

  private memory(at: number, words: string, size: number): Memory {
    const address = this.functions(words).address;
    if (address === undefined) lacks(`the address '${words}'`);
    const from = BigInt(address), writers: [number, number, number][] = [];
    let bytes = '';
    for (let line = from - from % BigInt(LINE); line < from + BigInt(size); line += BigInt(LINE)) {
      const answer = this.series(`memory 0x${line.toString(16)}`).at<Memory>(this.rowEnd(at));
      if (!answer) break; // what is not in the page is not said to be unknown
      const skip = Math.max(0, Number(from - line)), left = Math.max(0, Math.min(LINE, Number(from + BigInt(size) - line)));
      bytes += answer.bytes.slice(2 * skip, 2 * left);
      for (const [begin, count, record] of answer.writers) {
        const low = Math.max(begin, skip), high = Math.min(begin + count, left);
        if (high > low) writers.push([low + Number(line - from), high - low, record]);
      }
    }
    if (!bytes) lacks('memory that it does not access');
    return { address, bytes, writers };
  }

  private source(pc: string): Source {
    const [source] = (this.data[`source ${pc}`] ?? [undefined]) as [Source | undefined];
    if (!source) lacks('this source');
    const lines = (this.data[`file ${source.file}`] ?? []) as string[];
    return { ...source, lines: lines.slice(source.first - 1, source.first + 199), cut: this.data[`cut ${source.file}`] ? lines.length : undefined };
  }

  private event(key: string, at: number, back: boolean): { record?: number; end: boolean; next?: number } {
    const all = (this.data[key] ?? []) as number[];
    const record = back ? [...all].reverse().find((one) => one < at) : all.find((one) => one > at);
    return record === undefined ? { end: true } : { record, end: false };
  }

  // ---- names ----

  private functions(words: string): Functions {
    const names = new Map<string, string>();
    for (const row of this.rows) if (row.function && row.pc) names.set(row.pc, row.function);
    const wanted = words.toLowerCase();
    const like = (name: string) => { // its letters in this order
      let at = 0;
      for (const letter of name.toLowerCase()) if (letter === wanted[at]) at++;
      return at === wanted.length;
    };
    const all = [...names], exact = all.find(([, name]) => name === words);
    const address = exact?.[0] ?? (/^(0x)?[0-9a-f]+$/i.test(words) ? `0x${BigInt(/^0x/i.test(words) ? words : `0x${words}`).toString(16)}` : undefined);
    const row = this.rows.find((one) => one.pc === address);
    return { address, function: row?.symbol ? `${row.symbol}${row.offset ? `+0x${row.offset.toString(16)}` : ''}` : undefined,
      functions: all.filter(([, name]) => like(name)).slice(0, 20) };
  }

  // ---- the timeline ----

  private whole: { rows: Map<string, { cpu: number; depth: number; marks: [number, number, number][] }>; names: Tile['functions']; shortest: number } | undefined;

  private tile(from: number, to: number): Tile {
    if (!this.whole) {
      this.whole = { rows: new Map(), names: [], shortest: 0 };
      const known = new Map<string, number>(), { rows, names } = this.whole;
      for (const tile of this.data.timeline) {
        this.whole.shortest = Math.max(this.whole.shortest, tile.shortest);
        for (const row of tile.rows) {
          const key = `${row.cpu} ${row.depth}`, one = rows.get(key) ?? { cpu: row.cpu, depth: row.depth, marks: [] };
          rows.set(key, one);
          for (let i = 0; i < row.marks.length; i += 3) {
            const begin = tile.from + row.marks[i], end = begin + row.marks[i + 1], given = tile.functions[row.marks[i + 2]];
            let name = -1;
            if (given) {
              name = known.get(String(given)) ?? names.push(given) - 1;
              known.set(String(given), name);
            }
            const last = one.marks[one.marks.length - 1];
            if (last && last[1] === begin && last[2] === name && begin === tile.from) last[1] = end; // the tile cut it
            else one.marks.push([begin, end, name]);
          }
        }
      }
    }
    const rows = [...this.whole.rows.values()].sort((a, b) => a.cpu - b.cpu || a.depth - b.depth).map((row) => ({ cpu: row.cpu, depth: row.depth,
      marks: row.marks.filter(([begin, end]) => end > from && begin < to)
        .flatMap(([begin, end, name]) => [Math.max(begin, from) - from, Math.min(end, to) - Math.max(begin, from), name]) }));
    return { from, to, pixel: 1, shortest: this.whole.shortest, rows: rows.filter((row) => row.marks.length), functions: this.whole.names };
  }
}
