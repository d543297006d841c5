// SPDX-License-Identifier: MIT
// panes.ts: the machine after the row of the cursor: registers, open calls, memory, source.  A value
// is a link to the record that wrote it last.

import { ask, Cpu, Frame, Memory, Source, State } from './api';
import { button, element, grouped } from './dom';

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

export class RegisterPane extends Pane {
  constructor() { super('registers', 'Registers'); }

  protected async make(place: Place, state: State): Promise<(Node | string)[]> {
    const cpu = this.cpuOf(place, state);
    if (!cpu) return [];
    const head = element('p', {}, cpu.name ? `${cpu.name} ` : '', element('code', {}, cpu.pc ?? ''),
      cpu.function ? ` ${cpu.function}` : '');
    const items = cpu.registers.map((register) => element('div', { class: 'register' },
      element('span', { class: 'name' }, register.name),
      register.writer === undefined ? element('code', {}, register.value)
        : this.link(register.value, register.writer, `written by record ${register.writer}: go there`,
          register.changed ? 'changed' : '')));
    return [head, element('div', { class: 'registers-grid' }, ...items)];
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

export class MemoryPane extends Pane {
  readonly input: HTMLInputElement;
  onWatch: (address: string) => void = () => undefined;

  constructor() {
    const input = element('input', {
      id: 'memory-address', size: '14', placeholder: 'address', 'aria-label': 'Address of the memory shown',
      spellcheck: 'false', autocomplete: 'off',
    });
    super('memory', 'Memory', input);
    this.input = input;
    input.addEventListener('change', () => this.onWatch(input.value.trim()));
  }

  protected async make(place: Place): Promise<(Node | string)[]> {
    const address = this.input.value.trim();
    if (!address) return [element('p', { class: 'quiet' }, 'Type an address, in hexadecimal, or a symbol.')];
    const memory = await ask<Memory>('memory', { trace: place.side, at: place.record, address, size: 256 });
    const writer = new Map<number, number>();
    for (const [from, count, record] of memory.writers)
      for (let i = from; i < from + count; i++) writer.set(i, record);
    const first = BigInt(memory.address);
    const lines: HTMLElement[] = [];
    for (let line = 0; line * 32 < memory.bytes.length; line++)
      lines.push(this.line(first + BigInt(line * 16), memory.bytes.slice(line * 32, line * 32 + 32), line * 16, writer,
        place.record));
    return [element('div', { class: 'dump' }, ...lines)];
  }

  // A line: bytes with one writer are one link.
  private line(address: bigint, bytes: string, offset: number, writer: Map<number, number>, now: number): HTMLElement {
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
        : this.link(words, record, `written by record ${record}: go there`, now - record < 8 ? 'changed' : ''), ' ');
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
        element('p', { class: 'quiet' }, 'The file is not there: see --source.')];
    this.file = source.file;
    const lines = source.lines.map((words, i) => element('div',
      source.first + i === source.line ? { class: 'here', 'aria-current': 'true' } : {},
      element('span', { class: 'number' }, String(source.first + i)), ' ', words || ' '));
    queueMicrotask(() => requestAnimationFrame(() => {
      const here = this.body.querySelector<HTMLElement>('.here');
      if (here) this.body.scrollTop = here.offsetTop - this.body.offsetTop - this.body.clientHeight / 3;
    }));
    return [element('p', { title: this.file }, `${source.file.replace(/.*\//, '')}:${source.line}`),
      element('div', { class: 'code' }, ...lines)];
  }
}

export function placeText(state: State): string {
  const parts = [];
  if (state.line) parts.push(`line ${grouped(state.line)}`);
  if (state.record !== undefined) parts.push(`record ${grouped(state.record)}`);
  if (state.time) parts.push(`time ${grouped(state.time)} ${state.time_unit ?? ''}`);
  return parts.join(', ');
}
