// SPDX-License-Identifier: MIT
// api.ts: the questions that the server answers.  Addresses are relative, so they keep the token.

export interface Trace {
  name: string;
  format: string;
  records: number; // of a part: up to its end
  first?: number;  // of a part: where it begins
  total?: number;  // of a part: records of the trace
  bytes: number;
  time_unit: string;
  calls: boolean;
  cpus: string[];
  damage: string | null;
}
export interface Traces {
  version: string;
  images: boolean;
  big_endian: boolean;
  traces: Trace[];
}
// What a record of a row states.
export interface Part {
  kind: string;
  op?: string;
  disasm?: string;
  macro?: string;
  micro?: string;
  reg?: string;
  value?: string;
  addr?: string;
  pa?: string;
  size?: number;
  data?: string;
}
export interface Row {
  record: number;
  count: number;
  cpu: number;
  depth: number;
  time?: string;
  pc?: string;
  function?: string;
  symbol?: string; // the function that has the pc
  offset?: number; // of the pc in it
  line?: number;
  text: string;
  parts?: Part[];
  // in one list of two traces:
  mark?: 'left' | 'right'; // only this side has it, or has it so
  right?: number; // the record of the right side
  twin?: Row; // the row of the other side that says something else
}
// The records of both sides that a difference takes up.
export interface Differing {
  left: number;
  left_end: number;
  right: number;
  right_end: number;
  gap: boolean;
}
export interface Rows {
  rows: Row[];
  next: number;
  end: boolean;
}
export interface Register {
  name: string;
  value: string;
  writer?: number;
  changed?: boolean;
}
export interface Cpu {
  cpu: number;
  name: string;
  pc?: string;
  record?: number;
  function?: string;
  source?: string;
  text?: string;
  depth: number;
  registers: Register[];
}
export interface State {
  record?: number;
  cpu?: number;
  line?: number;
  time?: string;
  time_unit?: string;
  cpus: Cpu[];
}
export interface Frame {
  pc?: string; // none: the handler of an exception has not begun
  from?: string; // none: what it interrupted is not in the trace
  record: number;
  exception: boolean;
  function?: string;
  source?: string;
}
export interface Memory {
  address: string;
  bytes: string;
  writers: [number, number, number][];
}
export interface Source {
  file: string | null;
  line: number;
  first: number;
  lines: string[];
  function?: string;
  cut?: number; // lines of the file that the page has, of more
}
export interface Call {
  call: number;
  from: number;
  to: number;
  depth: number;
  pc?: string; // as of a Frame
  function?: string;
}
export interface Tile {
  from: number;
  to: number;
  pixel: number;
  shortest: number;
  rows: { cpu: number; depth: number; marks: number[] }[];
  functions: [string, string | null, boolean][];
}
export interface Accesses {
  from: number;
  to: number;
  segments: number[];
  touches?: number[];
}
// Something sought, or where to go on.
export interface Sought {
  record?: number;
  next?: number;
  end: boolean;
}
export interface Misses {
  from: number;
  to: number;
  cache: string;
  ended: boolean;
  counted: number;
  first: number;
  pixel: number;
  pixels: number[];
}
export interface Difference {
  left: number;
  right: number;
  class: string;
  root: boolean;
  number: number; // among all, from 0
  of?: number; // of a consequence: the number of its root, where one is known
  consequences?: number; // of a root: all of them
  gap: boolean;
  only_left?: number; // of a gap: instructions that only this side has
  only_right?: number;
  instruction?: string;
  fields: string[]; // what differs, in words
  rows?: [string, string, string][]; // a mark as of diff ("|" they differ, "<" ">" only one side), left, right
}
export interface Differences {
  ready: boolean;
  compared?: number;
  count: number;
  verdict?: string; // as diff names it
  parts?: boolean; // nothing is in common from the last difference on
  unlisted?: number; // further differences, the first of them at these records
  unlisted_left?: number;
  unlisted_right?: number;
  places: number[]; // of all that are listed, three numbers each: left, right, 1 for a root
  differences: Difference[]; // the first roots, and the first consequences of each
}
export interface Align {
  ready: boolean;
  other: number;
  difference?: Difference;
}
// An array of numbers, or one, as the program's debug information has it.
export interface Variable {
  count: number;
  size: number; // bytes of an element
  signed?: boolean;
  float?: boolean;
  type?: string;
}
// What words may name.
export interface Functions {
  address?: string;
  function?: string; // at the address
  source?: string;
  functions: [string, string][]; // address, name
}
// A function, line or branch, and what ran there.
export interface Hot {
  pc?: string;
  function?: string;
  source?: string;
}
export interface Overview {
  unit: string; // what is counted as instructions: "instruction", "branch" or "sample"
  instructions?: number;
  cpus?: number; // that ran some
  time?: string;
  calls?: number;
  function_count?: number;
  functions?: (Hot & { calls: number; inclusive: number; exclusive: number; exception: boolean })[];
  stacks?: [string, number][]; // addresses, the outermost first, separated by ";"
  names?: Record<string, string>; // of addresses
  counted?: number;
  lines?: (Hot & { pc: string; count: number; executions: number; text?: string })[];
  lines_lack?: 'counts' | 'debug' | 'image' | 'index'; // why there is no line of the source
  cpu_rows?: { cpu: string; instructions: number; time: string; calls: number; exceptions: number }[]; // of several
  exception_count?: number;
  exception_kinds?: (Hot & { cause: string; number?: number; count: number; returned: number; record?: number })[];
  exceptions_listed?: number; // the first ones, which alone the kinds and faults are of
  faults?: (Hot & { record: number; fault: string })[]; // the first ones
  fault_count?: number;
  gaps?: { count: number; uncounted: number; instructions: number }; // instructions not in the trace
  // of a report alone:
  ipc?: number; // of a simulated machine, or as the log of a pipeline states it:
  log?: { retired: number; squashed: number; cycles: number };
}
export interface Survey {
  read: number;
  ended: boolean;
  error?: string;
  found?: {
    finding_count: number;
    findings: { rule: string; severity: string; record: number; found: string; expected: string }[];
    rules: { rule: string; demand: string; findings: number }[];
    branch?: {
      predictors: { spec: string; mpki?: number | null }[];
      hardest?: (Hot & { pc: string; offset?: string; executions: number; taken_ratio: number; total_ratio: number })[];
    };
    caches?: { design: string; accesses: number; misses: number }[];
    memory_map?: { from: number; region: string; bytes: number; accesses: number }[];
  };
}
// A write in the flow of data.
export interface FlowNode {
  what: string;
  value?: string;
  stop?: string; // why it has no sources
  depth: number;
  record?: number;
  function?: string;
  text?: string;
  from: number[];
}
export interface Flow {
  nodes: FlowNode[];
  count: number;
}
export interface Loop {
  header: Hot & { pc: string };
  latch: string;
  from: number;
  to: number;
  count: number;
  here: number; // the number of the row's iteration, from 0
  first: number; // of the first one in the list
  cut?: boolean; // it began before what was searched
  unended?: boolean; // it ends after that
  iterations: [number, number, string, number][]; // record, instructions, time, number of the path
}
// The values written over a part of the trace.  A pixel: its first record after `from`, writes and,
// where they are known, the lowest, the highest and the last value.
export interface Values {
  before?: string | null; // null: it was written, by a value that is not known
  counts?: boolean; // records that an expression matches, without values
  from: number;
  pixel: number;
  values: [number, number, string?, string?, string?][];
  damage?: string; // of a waveform: a part of the signal could not be read
  next: number;
}
export interface Area {
  from: number;
  to: number;
  instructions?: number;
  time?: string;
  shortest: number;
  functions: (Hot & { pc: string; records: number; calls: number })[];
  names: Record<string, string>; // and stacks: as in an overview, with records
  stacks: [string, number][];
}
// An instruction and its stages, four numbers each: number of the stage, lane, first cycle, the one after.
export interface PipelineRow {
  number: number;
  record?: number;
  pc?: string;
  text?: string;
  notes?: string;
  begin: number;
  end: number;
  squashed?: boolean;
  open?: boolean; // its end is not in what was read
  stages: number[];
  waits?: number[]; // numbers of those that it waits for
  why?: number; // bits, of pipeline.ts
  address?: string; // of memory
  function?: string;
  source?: string;
  apart?: boolean; // of a log: further from the machine than is tolerated
}
export interface Pipeline {
  stages: [string, number][]; // name, colour
  rows: PipelineRow[];
  simulated?: boolean; // else a log states it
  from?: number; // the records that the machine ran
  to?: number;
  cycles?: number;
  micro_ops?: number;
  presets?: string[];
  machine?: { rob?: number; width: number; levels: string };
}
export interface Table {
  columns?: string[];
  rows?: (string | null)[][];
  more: boolean;
}

// What answers instead of a server.
let recorded: ((name: string, parameters: Record<string, Value>) => unknown) | undefined;
export function answerFrom(source: typeof recorded): void { recorded = source; }

type Value = string | number | boolean | undefined;

async function answer<T>(name: string, init: RequestInit): Promise<T> {
  let reply: Response;
  try {
    reply = await fetch(name, init);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new Error('the server does not answer: spoor serve has ended');
  }
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.error ?? reply.statusText);
  return found as T;
}

export function ask<T>(name: string, parameters: Record<string, Value> = {}, signal?: AbortSignal): Promise<T> {
  if (recorded) return new Promise((done) => done(recorded!(name, parameters) as T));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(key, String(value));
  return answer<T>(`api/${name}?${query}`, { signal });
}

// `id`: a number of the caller's choice, by which stopSql() ends the statement.
export function askSql(statement: string, id: number): Promise<Table> {
  return answer<Table>(`api/sql?id=${id}`, { method: 'POST', body: statement });
}
export function stopSql(id: number): Promise<object> {
  return answer<object>(`api/stop?id=${id}`, { method: 'POST' });
}
