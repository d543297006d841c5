// SPDX-License-Identifier: MIT
// pipeline.ts: which instruction was in which stage when, in step with the rows: as a log states it,
// or as a machine would run the part around the cursor, with another one below it.

import { ask, Pipeline, PipelineRow } from './api';
import { colors } from './colors';
import { button, element, grouped } from './dom';

// In the order of the bits of enum spoor_pipeline_why.
const WHY = ['waits for the value of a load', 'is mispredicted', 'misses in the instruction cache', 'misses in the data cache',
  'is squashed and fetched again'];
const TWIN = '(other trace)';
const ROW = 18, NAMES = 230, AXIS = 18, EDGE = 30; // pixels; rows from the end at which others are asked for

// The last row that begins at a record or before it; -1: none.
function rowAt(rows: PipelineRow[], record: number): number {
  let found = -1, latest = -1;
  rows.forEach((row, i) => {
    if (row.record === undefined || row.record > record || row.record < latest) return;
    if (row.record > latest) found = i;
    latest = row.record;
  });
  return found;
}

export class PipelineView {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly legend = element('ul', { class: 'stages', 'aria-label': 'Stages' });
  private readonly note = element('p', { class: 'note', role: 'status' });
  private readonly flushed = element('input', { type: 'checkbox', id: 'flushed', checked: true });
  private readonly find = element('input', { id: 'pipeline-find', size: '14', placeholder: 'text, address, number', spellcheck: 'false' });
  private readonly presets = [element('select', { id: 'machine' }), element('select', { id: 'other-machine' })];
  private readonly settings = ['', 'other-'].map((which) => element('input', {
    id: `${which}settings`, size: '16', placeholder: 'rob=64 width=2', spellcheck: 'false', autocomplete: 'off' }));
  private readonly machines: HTMLElement;
  private readonly others: HTMLElement;
  // What is tried most: of the machine that runs this part.
  private readonly knobs = (['rob', 'width', 'levels'] as const).map((name) => element('input', { id: name, spellcheck: 'false',
    autocomplete: 'off', ...(name === 'levels' ? { size: '30' } : { type: 'number', min: '1', max: '9999' }) }));
  private anchor: [number, number] | undefined; // of the other trace: rows that correspond, by number
  // Where the other trace is at a record; undefined: there is one trace.
  twin: ((side: number, record: number) => Promise<{ side: number; record: number }>) | undefined;
  marks: () => { letter: string; side: number; record: number }[] = () => [];
  answer: Pipeline | undefined;
  other: Pipeline | undefined; // a second machine
  private of = ''; // what the answer is of
  private record = 0; // of the cursor
  private top = 0;
  private zoom = 10; // pixels of a cycle
  private alone = false; // of a document: all rows are there, a row's record is its number
  private readonly details = element('table', { class: 'details' });
  private left = 0; // cycles to the right of where the first row begins
  private asked = 0;
  private drawn = false;
  onChoose: (record: number) => void = () => undefined;

  constructor() {
    const control = (title: string, ...parts: HTMLElement[]) => element('label', { title }, ...parts);
    this.canvas = element('canvas', { tabindex: '0', role: 'img', class: 'pipeline',
      'aria-label': 'Instructions by cycle; arrows choose, plus and minus zoom' });
    this.machines = element('span', { hidden: true },
      control('the machine that runs this part', element('span', {}, 'Machine '), this.presets[0]), ' ',
      control('entries of its reorder buffer', element('span', {}, 'ROB '), this.knobs[0]), ' ',
      control('micro-ops in a cycle', element('span', {}, 'width '), this.knobs[1]), ' ',
      control('NAME:SIZE,WAYS,BLOCK of each, the first levels first', element('span', {}, 'caches '), this.knobs[2]), ' ',
      control('parameters of spoor pipe that it has otherwise', element('span', {}, 'with '), this.settings[0]));
    this.others = element('span', { hidden: true },
      control('another machine, or the other trace, drawn below each row', element('span', {}, 'against '), this.presets[1]), ' ',
      control('parameters that this one has otherwise', element('span', {}, 'with '), this.settings[1]));
    this.root = element('section', { id: 'pipeline', class: 'pipeline-view', 'aria-label': 'Pipeline' },
      element('div', { class: 'controls' }, this.machines, this.others,
        button('+', 'Larger (+)', () => this.scale(1.5)), button('\u2212', 'Smaller (\u2212)', () => this.scale(1 / 1.5)),
        element('label', {}, this.flushed, ' squashed'), element('label', {}, element('span', {}, 'Find '), this.find)),
      this.legend, this.canvas, this.note);
    this.flushed.addEventListener('change', () => this.later());
    this.find.addEventListener('change', () => this.search());
    this.presets[0].addEventListener('change', () => { for (const knob of this.knobs) knob.value = ''; });
    for (const one of [...this.presets, ...this.settings, ...this.knobs])
      one.addEventListener('change', () => { this.of = ''; void this.show(this.side, this.record, this.cpu); });
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.ctrlKey) this.scale(Math.exp(-event.deltaY / 300));
      else if (event.shiftKey) this.pan((event.deltaY || event.deltaX) / this.zoom);
      else this.scroll(Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / 30)));
    }, { passive: false });
    let drag: { x: number; y: number; left: number; top: number; moved: boolean } | undefined;
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, y: event.offsetY, left: this.left, top: this.top, moved: false };
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!drag) { this.tell(event.offsetX, event.offsetY); return; }
      drag.moved ||= Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 4;
      if (!drag.moved) return;
      this.left = drag.left + (drag.x - event.offsetX) / this.zoom;
      this.scroll(drag.top + Math.round((drag.y - event.offsetY) / ROW) - this.top);
    });
    this.canvas.addEventListener('pointercancel', () => { drag = undefined; });
    this.canvas.addEventListener('pointerup', (event) => {
      const row = this.rows()[this.rowAt(event.offsetY)];
      if (drag && !drag.moved && row?.record !== undefined) this.onChoose(row.record);
      drag = undefined;
    });
    this.canvas.addEventListener('keydown', (event) => {
      const steps: Record<string, () => void> = {
        ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), '+': () => this.scale(1.5), '-': () => this.scale(1 / 1.5),
        '=': () => this.scale(1.5), ArrowLeft: () => this.pan(-40 / this.zoom), ArrowRight: () => this.pan(40 / this.zoom),
        PageDown: () => this.scroll(this.height()), PageUp: () => this.scroll(-this.height()),
        ...(this.alone ? { j: () => this.step(1), k: () => this.step(-1),
          Home: () => this.onChoose(this.rows()[0].number), End: () => this.onChoose(this.rows()[this.rows().length - 1].number) } : {}),
      };
      if (!steps[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      steps[event.key]();
    });
    new ResizeObserver(() => this.later()).observe(this.canvas);
  }

  private side = 0;
  private cpu = 0;

  // Shows all rows, without a trace; `against`: those of a log, at the machine's cycles.
  showAlone(answer: Pipeline, against?: Pipeline): void {
    this.root.removeAttribute('id');
    this.root.append(this.details);
    for (const row of answer.rows) row.record = row.number;
    Object.assign(this, { alone: true, answer, other: against });
    this.onChoose = (record) => {
      this.record = record;
      this.reveal(this.at(record));
      this.describe();
    };
    this.canvas.style.setProperty('--rows', String(Math.min(40, answer.rows.length)));
    this.drawLegend();
    if (!answer.rows.length) return;
    this.onChoose(answer.rows[0].number);
    requestAnimationFrame(() => { // the rows in sight have their cycles in sight, too: a miss may lie between them
      const last = answer.rows[Math.min(answer.rows.length, this.height()) - 1];
      this.zoom = Math.max(2, Math.min(this.zoom, (this.canvas.clientWidth - NAMES) / (last.end - answer.rows[0].begin + 4)));
      this.later();
    });
  }

  // The chosen row, in words.
  private describe(): void {
    const row = this.rows()[this.at(this.record)], { answer, other } = this;
    if (!row || !answer) return;
    const line = (name: string, value: string) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value));
    const cycles = (of: Pipeline, one: PipelineRow) => {
      const lines: HTMLElement[] = [];
      for (let i = 0; i < one.stages.length; i += 4) {
        const [stage, lane, from, to] = one.stages.slice(i, i + 4), long = to - from;
        lines.push(line(of.stages[stage][0], `cycle ${grouped(from)}${long > 1 ? ` to ${grouped(to - 1)}, ${grouped(long)} cycles` : ''}${lane ? `, lane ${lane}` : ''}`));
      }
      return lines;
    };
    const log = row.squashed ? undefined : other?.rows.find((one) => one.number === row.number);
    const notes = (row.notes ?? '').split(/\n|\\n/).filter((one) => one);
    this.details.replaceChildren(element('caption', {}, 'The chosen row'), element('tbody', {},
      line('number', grouped(row.number)), ...(row.pc ? [line('pc', row.pc)] : []), line('instruction', row.text ?? ''),
      ...(row.function || row.source ? [line('source', `${row.function ?? ''} ${row.source ?? ''}`.trim())] : []),
      ...(row.address ? [line('address', row.address)] : []), ...cycles(answer, row),
      ...(row.waits ? [line('waits for', row.waits.map(grouped).join(', '))] : []),
      ...WHY.filter((_, bit) => ((row.why ?? 0) >> bit) & 1).map((words) => line('', words)),
      ...notes.map((words, i) => line(i ? '' : 'notes', words)),
      ...(log ? [line('log', `${(log.text ?? '').replace(/^log /, '')}${log.apart ? ': further than is tolerated' : ''}`), ...cycles(other!, log)] : [])));
  }

  // Shows the instruction of a record; asks for those around it where they are not there.
  async show(side: number, record: number, cpu = 0): Promise<void> {
    this.record = record;
    const knob = (i: number) => this.knobs[i].value.trim();
    const words = (which: number) => ({ preset: this.presets[which].value,
      set: [...(which ? [] : [0, 1].filter(knob).map((i) => `${this.knobs[i].id}=${knob(i)}`)), this.settings[which].value.trim()].join(' ').trim(),
      levels: which ? '' : knob(2) });
    const of = JSON.stringify([side, cpu, words(0), words(1)]), here = this.at(record);
    const far = here < EDGE && this.answer?.rows[0]?.record !== undefined && this.answer.rows[0].number > 0
      || here >= this.rows().length - EDGE;
    if (this.of === of && here >= 0 && (!far || this.centered === record)) return this.reveal(here);
    const number = ++this.asked;
    try {
      const question = (which: number) => ask<Pipeline>('pipeline', { trace: side, at: record, ...words(which) });
      const answer = await question(0), twin = words(1).preset === TWIN && this.twin ? await this.twin(side, record) : undefined;
      const other = twin ? await ask<Pipeline>('pipeline', { trace: twin.side, at: twin.record, ...(answer.simulated ? words(0) : {}) })
        : words(1).preset ? await question(1) : undefined;
      if (number !== this.asked) return;
      Object.assign(this, { answer, other, side, cpu, centered: record, anchor: undefined });
      if (twin) this.anchor = [answer.rows[this.at(record)]?.number, other!.rows[rowAt(other!.rows, twin.record)]?.number];
      this.fillMachines(answer);
      this.of = JSON.stringify([side, cpu, words(0), words(1)]);
      this.drawLegend();
      this.left = 0;
      this.top = 0;
      this.reveal(Math.max(0, this.at(record)), true);
      this.tellMachines();
    } catch (error) {
      if (number !== this.asked) return;
      this.note.textContent = (error as Error).message;
      this.note.classList.add('wrong');
    }
  }
  private centered = -1;

  private fillMachines(answer: Pipeline): void {
    const { presets, machine } = answer;
    this.machines.hidden = !presets;
    this.others.hidden = !presets && !this.twin;
    this.settings[1].parentElement!.hidden = !presets;
    if (machine) this.knobs.forEach((knob, i) => { knob.placeholder = String([machine.rob ?? '', machine.width, machine.levels][i]); });
    if (this.presets[1].options.length) return;
    this.presets[0].append(...(presets ?? []).map((name) => element('option', {}, name)));
    this.presets[1].append(element('option', { value: '' }, 'none'), ...(this.twin ? [element('option', { value: TWIN }, 'the other trace')] : []),
      ...(presets ?? []).map((name) => element('option', {}, name)));
  }

  private tellMachines(): void {
    const one = (answer: Pipeline) => `${grouped(answer.micro_ops!)} micro-ops in ${grouped(answer.cycles!)} cycles, `
      + `${(answer.micro_ops! / Math.max(1, answer.cycles!)).toFixed(2)} a cycle`;
    const { answer, other } = this;
    this.note.classList.remove('wrong');
    this.note.textContent = this.anchor ? this.tellTwin() : !answer?.simulated ? '' : `Simulated, records ${grouped(answer.from!)} to ${grouped(answer.to! - 1)}, `
      + `${answer.from ? 'with caches and predictors empty at their beginning' : 'from the beginning of the trace'}: ${one(answer)}`
      + (other ? `; the other machine: ${one(other)}, ${(answer.cycles! / Math.max(1, other.cycles!)).toFixed(2)} times as fast` : '') + '.';
  }

  // Over the rows that both traces have here.
  private tellTwin(): string {
    const pairs = this.paired(), rows = this.rows().filter((row) => pairs.has(row.number));
    const cycles = (all: PipelineRow[]) => all.length ? all[all.length - 1].end - all[0].begin : 0;
    const own = cycles(rows), theirs = cycles(rows.map((row) => pairs.get(row.number)!));
    return rows.length ? `${grouped(rows.length)} instructions of both: ${grouped(own)} cycles here, ${grouped(theirs)} in the other trace.`
      : 'The other trace has none of these instructions.';
  }

  // The row below each row: of another machine that of the same number; of another trace, counted from
  // where both correspond, without what is squashed.
  private paired(): Map<number, PipelineRow> {
    const theirs = (this.other?.rows ?? []).filter((row) => !row.squashed), anchor = this.anchor;
    if (!anchor) return new Map(theirs.map((row) => [row.number, row]));
    const own = (this.answer?.rows ?? []).filter((row) => !row.squashed), found = new Map<number, PipelineRow>();
    const near = theirs.findIndex((row) => row.number === anchor[1]) - own.findIndex((row) => row.number === anchor[0]);
    let apart = near, most = -1; // the nearest at which most addresses agree: where both are at a record is a row at most apart
    for (const step of [0, -1, 1, -2, 2, -3, 3]) {
      const agree = own.filter((row, i) => row.pc !== undefined && theirs[i + near + step]?.pc === row.pc).length;
      if (agree > most) [most, apart] = [agree, near + step];
    }
    own.forEach((row, i) => { if (theirs[i + apart]) found.set(row.number, theirs[i + apart]); });
    return found;
  }

  // ---- rows ----

  private rows(): PipelineRow[] {
    const all = this.answer?.rows ?? [];
    return this.flushed.checked ? all : all.filter((row) => !row.squashed);
  }
  private height(): number { return Math.max(1, Math.floor((this.canvas.clientHeight - AXIS) / ROW)); }
  private rowAt(y: number): number { return y < AXIS ? -1 : this.top + Math.floor((y - AXIS) / ROW); }
  // The row of a record: the last one that begins at it or before it; -1: none.
  private at(record: number): number {
    return rowAt(this.rows(), record);
  }
  private reveal(row: number, middle = false): void {
    const height = this.height();
    if (middle || row < this.top || row >= this.top + height) this.top = Math.max(0, row - Math.floor(height / 3));
    this.later();
  }
  private step(rows: number): void {
    const all = this.rows();
    const here = this.at(this.record), now = all[here]?.record ?? 0; // several rows may have one record
    for (let at = here + rows; at >= 0 && at < all.length; at += rows) {
      const record = all[at].record;
      if (record !== undefined && (rows > 0 ? record > this.record : record < now)) return this.onChoose(record);
    }
  }
  private scroll(rows: number): void {
    this.top = Math.max(0, Math.min(Math.max(0, this.rows().length - this.height()), this.top + rows));
    this.later();
  }
  private pan(cycles: number): void {
    this.left += cycles;
    this.later();
  }
  private scale(factor: number): void {
    this.zoom = Math.max(0.25, Math.min(60, this.zoom * factor));
    this.later();
  }
  private search(): void {
    const words = this.find.value.trim().toLowerCase(), all = this.rows(), from = this.at(this.record);
    if (!words) return;
    const has = (row: PipelineRow) => row.record !== undefined && (String(row.number) === words
      || (row.pc ?? '').includes(words) || (row.text ?? '').toLowerCase().includes(words));
    const found = [...all.slice(from + 1), ...all.slice(0, Math.max(0, from))].find(has);
    this.note.textContent = found ? '' : `${this.find.value}: not among the ${all.length} instructions that are here`;
    if (found) this.onChoose(found.record!);
  }

  // ---- drawing ----

  private color(of: Pipeline, stage: number): string {
    return colors().stages[of.stages[stage][1]] ?? colors().quiet;
  }

  private drawLegend(): void {
    const all = new Map([this.answer!, ...(this.other ? [this.other] : [])].flatMap((of) =>
      of.stages.map(([name], i): [string, string] => [name, this.color(of, i)])));
    this.legend.replaceChildren(...[...all].map(([name, color]) => {
      const mark = element('span', { class: 'swatch' });
      mark.style.setProperty('background', color);
      return element('li', {}, mark, name);
    }));
  }

  private tell(x: number, y: number): void {
    const row = this.rows()[this.rowAt(y)];
    if (!row || !this.answer) return;
    const cycle = this.cycleAt(x), stages: string[] = [];
    for (let i = 0; i < row.stages.length; i += 4)
      if (x < NAMES || (row.stages[i + 2] <= cycle && cycle < Math.max(row.stages[i + 3], row.stages[i + 2] + 1)))
        stages.push(`${this.answer.stages[row.stages[i]][0]} ${grouped(row.stages[i + 2])} to ${grouped(row.stages[i + 3])}`);
    this.canvas.title = `${row.number}: ${row.pc ?? ''} ${row.text ?? ''}${row.squashed ? ' (squashed)' : row.open ? ' (does not end here)' : ''}\n`
      + `cycles ${grouped(row.begin)} to ${grouped(row.end)}\n${stages.join('\n')}${row.notes ? `\n${row.notes}` : ''}`;
  }

  private origin(): number { return (this.rows()[this.top]?.begin ?? 0) - 2 + this.left; }
  private cycleAt(x: number): number { return this.origin() + (x - NAMES) / this.zoom; }

  redraw(): void { this.later(); }
  private later(): void {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      this.draw();
    });
  }

  private draw(): void {
    const canvas = this.canvas, ratio = devicePixelRatio || 1, width = canvas.clientWidth, tall = canvas.clientHeight;
    if (!width || !this.answer) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(tall * ratio);
    const context = canvas.getContext('2d')!, paint = colors(), rows = this.rows(), origin = this.origin(), here = this.at(this.record);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, tall);
    context.font = '12px ui-monospace, "DejaVu Sans Mono", monospace';
    context.textBaseline = 'middle';
    const narrow = width < 500 ? 110 : NAMES, x = (cycle: number) => narrow + (cycle - origin) * this.zoom;
    const exact = 90 / this.zoom, unit = 10 ** Math.floor(Math.log10(exact)), tick = [1, 2, 5, 10].find((one) => one * unit >= exact)! * unit;
    for (let cycle = Math.ceil(origin / Math.max(1, tick)) * Math.max(1, tick); x(cycle) < width; cycle += Math.max(1, tick)) {
      if (cycle < 0) continue;
      context.fillStyle = paint.line;
      context.fillRect(x(cycle), AXIS - 4, 1, tall);
      context.fillStyle = paint.quiet;
      context.fillText(grouped(cycle), x(cycle) + 2, AXIS / 2);
    }
    const shift = this.other ? this.shift() : 0, others = this.paired();
    const flags = new Map(this.marks().filter((mark) => mark.side === this.side).map((mark) => [this.at(mark.record), mark.letter]));
    for (let i = this.top; i < Math.min(rows.length, this.top + this.height() + 1); i++) {
      const row = rows[i], y = AXIS + (i - this.top) * ROW;
      if (i === here) {
        context.fillStyle = paint.chosen;
        context.fillRect(0, y, width, ROW);
      }
      context.save();
      context.beginPath();
      context.rect(narrow, y, width - narrow, ROW);
      context.clip();
      const other = row.squashed ? undefined : others.get(row.number);
      this.bar(context, this.answer, row, x, y + 2, other ? 7 : ROW - 4, 0);
      if (other) this.bar(context, this.other!, other, x, y + 10, 6, shift);
      context.restore();
      context.save();
      context.beginPath();
      context.rect(0, y, narrow - 6, ROW);
      context.clip();
      context.fillStyle = row.squashed ? paint.quiet : other?.apart ? paint.alarm : paint.text;
      const pc = (row.pc ?? String(row.number)).replace(/^0x/, ''), words = (row.text ?? '').trim();
      const bare = words.replace(new RegExp(`^(0x)?0*${pc}:?\\s+`), ''); // labels of logs begin with the pc
      const apart = this.alone && other?.text ? `${other.text.replace(/.* /, '')} ` : ''; // from the log
      context.fillText(`${flags.has(i) ? `\u2691${flags.get(i)} ` : ''}${apart}${pc} ${bare}`, 4, y + ROW / 2);
      context.restore();
    }
    this.drawProducers(context, rows, here, narrow, x);
    canvas.dataset.rows = String(rows.length);
    canvas.dataset.chosen = String(this.record);
  }

  // Lines to the chosen row from those that it waits for.
  private drawProducers(context: CanvasRenderingContext2D, rows: PipelineRow[], here: number, narrow: number, x: (cycle: number) => number): void {
    const row = rows[here], middle = (i: number) => AXIS + (i - this.top) * ROW + ROW / 2;
    if (!row?.waits) return;
    let begins = row.begin; // of the third stage, in which most machines execute
    for (let i = 0; i < row.stages.length; i += 4) if (row.stages[i] < 3) begins = row.stages[i + 2];
    context.strokeStyle = colors().alarm;
    context.lineWidth = 1.5;
    for (const number of row.waits) {
      const from = rows.findIndex((one) => one.number === number && !one.squashed);
      if (from < 0) continue;
      context.beginPath();
      context.moveTo(Math.max(narrow, x(rows[from].end)), middle(from));
      context.lineTo(Math.max(narrow, x(begins)), middle(here));
      context.stroke();
    }
  }

  // The cycles from the other machine to this one, where the first row that both have begins.
  private shift(): number {
    if (this.alone) return 0;
    const others = this.paired();
    const first = this.rows().slice(this.top).find((row) => !row.squashed && others.has(row.number));
    return first ? first.begin - others.get(first.number)!.begin : 0;
  }

  private bar(context: CanvasRenderingContext2D, of: Pipeline, row: PipelineRow, x: (cycle: number) => number, y: number, tall: number,
    shift: number): void {
    let lanes = 1;
    for (let i = 1; i < row.stages.length; i += 4) lanes = Math.max(lanes, row.stages[i] + 1);
    context.globalAlpha = row.squashed ? 0.35 : 1;
    for (let i = 0; i < row.stages.length; i += 4) {
      const [stage, lane, begin, end] = row.stages.slice(i, i + 4);
      const from = x(begin + shift), wide = Math.max(end > begin ? 1 : 0, (end - begin) * this.zoom - (this.zoom > 4 ? 1 : 0));
      if (!wide || from + wide < 0 || from > this.canvas.clientWidth) continue;
      context.fillStyle = this.color(of, stage);
      context.fillRect(from, y + lane * tall / lanes, wide, tall / lanes);
      const name = of.stages[stage][0];
      if (tall >= 12 && lanes === 1 && name.length < 9 && context.measureText(name).width + 4 < wide) {
        context.fillStyle = colors().background;
        context.fillText(name, from + 2, y + tall / 2 + 1);
      }
    }
    context.globalAlpha = 1;
  }
}
