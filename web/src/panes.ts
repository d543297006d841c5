// SPDX-License-Identifier: MIT
// panes.ts: the machine after the row of the cursor: registers, open calls, memory, source.  A value
// is a link to the record that wrote it last.

import { ask, Cpu, Frame, Memory, Register, Source, State, Variable } from './api';
import { colors } from './colors';
import { button, element, grouped } from './dom';
import { short } from './row';

export interface Place {
  side: number;
  record: number;
  cpu: number;
}

export abstract class Pane {
  readonly root: HTMLElement;
  protected readonly body: HTMLElement;
  private asked = 0;
  go: (record: number) => void = () => undefined;

  constructor(readonly name: string, title: string, ...head: HTMLElement[]) {
    this.body = element('div', { class: 'body', tabindex: '0', role: 'group', 'aria-label': title });
    this.root = element('section', { class: `pane ${name}`, id: `pane-${name}` },
      element('h2', {}, title, ...head), this.body);
  }
  get shown(): boolean { return !this.root.hidden; }
  set shown(value: boolean) { this.root.hidden = !value; }

  protected abstract make(place: Place, state: State): Promise<(Node | string)[]>;

  async update(place: Place, state: State): Promise<void> {
    if (!this.shown) return;
    const number = ++this.asked;
    let made: (Node | string)[];
    try {
      made = await this.make(place, state);
    } catch (error) {
      made = [element('p', { class: 'quiet' }, (error as Error).message)];
    }
    if (number === this.asked) this.body.replaceChildren(...made);
  }

  protected link(words: string, record: number, title: string, marked = ''): HTMLElement {
    return button(words, title, () => this.go(record), { class: `link ${marked}` });
  }
  protected cpuOf(place: Place, state: State): Cpu | undefined {
    return state.cpus.find((cpu) => cpu.cpu === place.cpu) ?? state.cpus[0];
  }
}

// The registers that are looked for first, by their names in several instruction sets.
const FIRST = ['sp', 'rsp', 'esp', 'x2', 'pc', 'rip', 'eip', 'lr', 'x30', 'r14', 'ra', 'x1', 'cpsr', 'nzcv', 'xpsr', 'eflags', 'rflags', 'flags'];
const RISCV = ['x1', 'x2']; // ra and sp, where there is no x30 that is a link register

function rankOf(name: string, arm: boolean): number {
  const at = arm && RISCV.includes(name) ? -1 : FIRST.indexOf(name);
  return at < 0 ? FIRST.length : at;
}

export class RegisterPane extends Pane {
  constructor() { super('registers', 'Registers'); }

  private item(register: Register, old: string | undefined): HTMLElement {
    const unknown = /^0x\?+$/.test(register.value), value = unknown ? '' : `0x${short(register.value)}`;
    const number = /\?/.test(value) || !value ? '' : String(BigInt(value));
    const title = [register.value, number, register.writer === undefined ? '' : `written by record ${register.writer}: go there`];
    const words = unknown ? (register.writer === undefined ? '?' : `record ${grouped(register.writer)}`) : value;
    return element('div', { class: 'register' }, element('span', { class: 'name' }, register.name),
      old === undefined ? null : element('span', { class: 'quiet' }, `0x${old} \u2192`),
      register.writer === undefined ? element('code', { title: title.join(' ') }, words)
        : this.link(words, register.writer, title.filter((one) => one).join(', '), register.changed ? 'changed' : ''),
      register.changed && number.length > 1 && number.length < 12 ? element('span', { class: 'quiet' }, grouped(number)) : null,
      register.changed && !unknown ? button('why?', `where ${register.name} comes from`,
        () => this.why(register.name), { class: 'link' }) : null);
  }

  why: (name: string) => void = () => undefined; // asks where the value of a register comes from

  protected async make(place: Place, state: State): Promise<(Node | string)[]> {
    const cpu = this.cpuOf(place, state);
    if (!cpu) return [];
    const olds = new Map<string, string>(), changed = cpu.registers.filter((register) => register.changed);
    if (changed.length && cpu.record) {
      const before = await ask<State>('state', { trace: place.side, at: cpu.record - 1, cpu: cpu.cpu });
      for (const register of before.cpus[0]?.registers ?? []) olds.set(register.name, short(register.value));
    }
    const arm = cpu.registers.some((register) => /^(x30|r14|lr|cpsr)$/i.test(register.name));
    const rank = (register: Register) => register.changed ? -1 : rankOf(register.name.toLowerCase(), arm);
    const zero = (register: Register) => /^0x0+$/.test(register.value) && rank(register) === FIRST.length;
    const sorted = cpu.registers.map((register, i) => ({ register, i })).sort((a, b) =>
      rank(a.register) - rank(b.register) || a.i - b.i).map(({ register }) => register);
    const old = (register: Register) => {
      const value = register.changed ? olds.get(register.name) : undefined;
      return value === short(register.value) ? undefined : value;
    };
    const grid = (all: Register[]) => element('div', { class: 'registers-grid' }, ...all.map((one) => this.item(one, old(one))));
    const zeros = sorted.filter(zero), open = this.body.querySelector('details')?.open;
    return [element('p', {}, cpu.name ? `${cpu.name} ` : '', element('code', {}, cpu.pc ?? ''),
      cpu.function ? ` ${cpu.function}` : ''),
    ...(changed.length ? [element('div', { class: 'changes' }, grid(changed))] : []),
    grid(sorted.filter((register) => !register.changed && !zero(register))),
    ...(zeros.length ? [element('details', { open }, element('summary', {}, `${zeros.length} zero`), grid(zeros))] : [])];
  }
}

export class StackPane extends Pane {
  constructor() { super('stack', 'Calls'); }

  protected async make(place: Place): Promise<(Node | string)[]> {
    const answer = await ask<{ depth: number; frames: Frame[] }>(
      'stack', { trace: place.side, at: place.record, cpu: place.cpu });
    if (!answer.frames.length) return [element('p', { class: 'quiet' }, 'No call is open.')];
    return [element('ol', {}, ...answer.frames.map((frame) => element('li', {},
      this.link(frame.function ?? frame.pc ?? '(handler)', frame.record, `called by record ${frame.record}: go there`),
      frame.exception ? ' exception' : '',
      ...(frame.from ? [frame.exception ? ' at ' : ' from ', element('code', {}, frame.from)] : []))))];
  }
}

// The shortest words that name a number of 32 bits.
function shortest(value: number): string {
  for (let digits = 1; digits < 9; digits++)
    if (Math.fround(Number(value.toPrecision(digits))) === value) return String(Number(value.toPrecision(digits)));
  return String(Number(value.toPrecision(9)));
}

export class MemoryPane extends Pane {
  readonly input: HTMLInputElement;
  onWatch: () => void = () => undefined;

  constructor() {
    const input = element('input', {
      id: 'memory-address', size: '14', placeholder: 'address, sp+16', 'aria-label': 'Address of the memory shown',
      spellcheck: 'false', autocomplete: 'off',
    });
    super('memory', 'Memory', input);
    this.input = input;
    input.addEventListener('change', () => this.onWatch());
  }

  bigEndian = false;
  private array: { place: Place; address: string } & Variable | undefined; // what is drawn as bars
  private scrubs = false; // a question for the bars is under way
  private wanted: number | undefined; // the record that is to be drawn next

  // Draws the array as it was at a record, while the pointer moves over the timeline; undefined: at
  // the cursor again.
  async scrub(record: number | undefined): Promise<void> {
    if (!this.array || !this.shown) return;
    this.wanted = record ?? this.array.place.record;
    if (this.scrubs) return;
    this.scrubs = true;
    try {
      while (this.wanted !== undefined) {
        const at = this.wanted;
        this.wanted = undefined;
        await this.drawBars(at);
      }
    } finally {
      this.scrubs = false;
    }
  }

  // The elements at a record; NaN where a byte is not known.
  private async elements(at: number): Promise<{ value: number; words: string }[]> {
    const { place, address, count, size, signed, float } = this.array!;
    const { bytes } = await ask<Memory>('memory', { trace: place.side, at, address, size: count * size });
    const values: { value: number; words: string }[] = [];
    for (let i = 0; i < count; i++) {
      const digits = bytes.slice(2 * i * size, 2 * (i + 1) * size), pairs = digits.match(/../g) ?? [];
      if (digits.includes('.') || pairs.length < size) {
        values.push({ value: NaN, words: '?' });
        continue;
      }
      const bits = BigInt(`0x${(this.bigEndian ? pairs : pairs.reverse()).join('')}`), view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, bits << BigInt(64 - 8 * size));
      if (float && (size === 4 || size === 8)) {
        const value = size === 8 ? view.getFloat64(0) : view.getFloat32(0);
        values.push({ value, words: size === 8 ? String(value) : shortest(value) });
      } else {
        const whole = signed ? BigInt.asIntN(8 * size, bits) : bits; // no number has all of 64 bits
        values.push({ value: Number(whole), words: grouped(String(whole)) });
      }
    }
    return values;
  }

  private async drawBars(at: number): Promise<void> {
    const canvas = this.body.querySelector('canvas'), note = this.body.querySelector('.note');
    const elements = await this.elements(at), values = elements.map((one) => one.value);
    if (!canvas || !note || !canvas.isConnected) return;
    const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio || 1;
    const known = values.filter((value) => !Number.isNaN(value)), lowest = Math.min(0, ...known), span = Math.max(lowest < 0 ? 0 : 1, ...known) - lowest || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors().series[0];
    values.forEach((value, i) => {
      if (Number.isNaN(value)) return;
      const wide = width / values.length, zero = height + lowest / span * (height - 2), tall = Math.abs(value) / span * (height - 2);
      context.fillRect(i * wide, value < 0 ? zero : zero - tall, Math.max(1, wide - (wide > 3 ? 1 : 0)), Math.max(1, tall));
    });
    canvas.dataset.values = values.map((value) => Number.isNaN(value) ? '?' : String(value)).join(' ');
    const wordsOf = (value: number) => elements.find((one) => one.value === value)!.words;
    note.textContent = `after record ${grouped(at)}: ${grouped(known.length)} of ${grouped(values.length)} known`
      + (known.length ? `, ${wordsOf(Math.min(...known))} to ${wordsOf(Math.max(...known))}` : '');
    const table = this.body.querySelector('.values');
    if (table) table.textContent = elements.map((one, i) => `${i % 8 ? '' : `${i ? '\n' : ''}[${i}]`} ${one.words}`).join('');
  }

  address = ''; // what the words in the box are, as it was shown last

  // An address, a symbol or, by the registers of the moment, such as "x22", "sp+16", "x0+8*x1".
  private resolve(words: string, cpu: Cpu | undefined): string {
    const registers = new Map(cpu?.registers.map((register) => [register.name.toLowerCase(), register.value]));
    if (!(words.toLowerCase().match(/[a-z_][\w.]*/g) ?? []).some((name) => registers.has(name))) return words;
    let sum = 0n;
    for (const [, sign, term] of words.replace(/\s/g, '').matchAll(/([+-]?)([^+-]+)/g)) {
      let product = 1n;
      for (const factor of term.split('*')) {
        const value = registers.get(factor.toLowerCase()) ?? factor;
        if (!/^(0x[0-9a-f]+|\d+)$/i.test(value)) throw new Error(`'${factor}' has no value here`);
        product *= BigInt(value);
      }
      sum += sign === '-' ? -product : product;
    }
    return `0x${BigInt.asUintN(64, sum).toString(16)}`;
  }

  protected async make(place: Place, state: State): Promise<(Node | string)[]> {
    const words = this.input.value.trim();
    this.address = '';
    if (!words)
      return [element('p', { class: 'quiet' }, 'Type an address, in hexadecimal, a symbol, a register, a sum such as sp+16, or an array: a name of the program, numbers[128], or numbers[128]:8 of 8 bytes each.')];
    const cpu = this.cpuOf(place, state), array = /^(.+)\[(\d+)\](?::([1248]))?$/.exec(words);
    const address = this.address = this.resolve(array ? array[1] : words, cpu);
    this.array = undefined;
    const variable = await this.variable(array ? array[1] : words);
    if (array || (variable && variable.count > 1)) {
      const size = Number(array?.[3] ?? variable?.size ?? 4), given = Number(array?.[2] ?? variable?.count);
      const count = Math.max(1, Math.min(given, Math.floor(4096 / size)));
      this.array = { ...(array?.[3] ? {} : variable), place, address, count, size };
      await this.elements(place.record); // refused words end here
      requestAnimationFrame(() => { this.drawBars(place.record).catch(() => undefined); });
      const open = this.body.querySelector('details')?.open;
      return [element('canvas', { class: 'picture bars', role: 'img', 'aria-label': `${count} elements of ${size} bytes` }),
        element('p', { class: 'note' }),
        element('details', { open }, element('summary', {}, `${count < given ? `the first ${grouped(count)} of ` : ''}${grouped(given)} of ${array?.[3] ? `${size} bytes` : variable?.type ?? `${size} bytes`}`),
          element('code', { class: 'values' }))];
    }
    const memory = await ask<Memory>('memory', { trace: place.side, at: place.record, address, size: 256 });
    const writer = new Map<number, number>();
    for (const [from, count, record] of memory.writers)
      for (let i = from; i < from + count; i++) writer.set(i, record);
    const first = BigInt(memory.address), lines: HTMLElement[] = [];
    const wide = this.body.clientWidth > 560 ? 16 : 8;
    for (let at = 0; at * 2 < memory.bytes.length; at += wide)
      lines.push(this.line(first + BigInt(at), memory.bytes.slice(2 * at, 2 * (at + wide)), at, writer,
        cpu?.record ?? place.record));
    return [...(address === words ? [] : [element('p', { class: 'quiet' }, `${words} is ${address}`)]),
      element('div', { class: 'dump' }, ...lines)];
  }

  // What the debug information says of a name; undefined: nothing.
  private async variable(name: string): Promise<Variable | undefined> {
    if (!/^[A-Za-z_]\w*$/.test(name) || this.address !== name) return undefined; // registers are no names
    try {
      return (await ask<{ variable?: Variable }>('address', { address: name })).variable;
    } catch {
      return undefined; // hexadecimal digits, or nothing: the question for memory says so
    }
  }

  // A line: bytes with one writer are one link.
  private line(address: bigint, bytes: string, offset: number, writer: Map<number, number>,
    since: number): HTMLElement {
    const made = element('div', {}, element('span', { class: 'number' }, address.toString(16).padStart(8, '0')), ' ');
    let letters = '';
    for (let i = 0; i * 2 < bytes.length;) {
      const record = writer.get(offset + i);
      let words = '';
      do {
        const byte = bytes.slice(2 * i, 2 * i + 2), code = parseInt(byte, 16);
        words += (words ? ' ' : '') + byte;
        letters += code >= 32 && code < 127 ? String.fromCharCode(code) : byte === '..' ? ' ' : '.';
        i++;
      } while (i * 2 < bytes.length && record !== undefined && writer.get(offset + i) === record);
      made.append(record === undefined ? element('code', {}, words)
        : this.link(words, record, `written by record ${record}: go there`, record >= since ? 'changed' : ''), ' ');
    }
    made.append(element('span', { class: 'letters' }, letters));
    return made;
  }
}

export class SourcePane extends Pane {
  private file = '';
  constructor() { super('source', 'Source'); }

  protected async make(place: Place, state: State): Promise<(Node | string)[]> {
    const pc = this.cpuOf(place, state)?.pc;
    if (!pc) return [element('p', { class: 'quiet' }, 'No instruction has run yet.')];
    const source = await ask<Source>('source', { trace: place.side, pc });
    if (!source.file)
      return [element('p', { class: 'quiet' }, 'No image states the line of this instruction: see --image.')];
    if (!source.lines.length)
      return [element('p', {}, `${source.file}:${source.line}`),
        element('p', { class: 'quiet' }, source.cut ? `This page has the first ${grouped(source.cut)} lines of the file.` : 'The file is not there: see --source.')];
    this.file = source.file;
    const lines = source.lines.map((words, i) => element('div',
      source.first + i === source.line ? { class: 'here', 'aria-current': 'true' } : {},
      element('span', { class: 'number' }, String(source.first + i)), ' ', words || ' '));
    queueMicrotask(() => requestAnimationFrame(() => {
      const here = this.body.querySelector<HTMLElement>('.here');
      if (here) this.body.scrollTop = here.offsetTop - this.body.offsetTop - this.body.clientHeight / 3;
    }));
    return [element('p', { title: this.file }, `${source.file.replace(/.*\//, '')}:${source.line}`),
      element('div', { class: 'code' }, ...lines),
      ...(source.cut ? [element('p', { class: 'quiet' }, `This page has the first ${grouped(source.cut)} lines of the file.`)] : [])];
  }
}

export function placeText(state: State): string {
  const parts = [];
  if (state.line) parts.push(`line ${grouped(state.line)}`);
  if (state.record !== undefined) parts.push(`record ${grouped(state.record)}`);
  if (state.time) parts.push(`time ${grouped(state.time)} ${state.time_unit ?? ''}`);
  return parts.join(', ');
}
