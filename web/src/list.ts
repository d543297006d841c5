// SPDX-License-Identifier: MIT
// list.ts: the rows of a trace, without end: rows around the cursor are there, others are asked for
// when the cursor comes near.

import { ask, Call, Row, Rows, State, Trace } from './api';
import { element, grouped } from './dom';
import { markBetween } from './marked';
import { columns, short } from './row';

const ASKED = 120, NEAR = 60, KEPT = 1500;

export interface Fold {
  call: number;
  from: number;
  to: number;
  label: string;
}

export class List {
  readonly root: HTMLElement;
  readonly box: HTMLElement;
  private readonly bar: HTMLElement;
  private readonly thumb: HTMLElement;
  rows: Row[] = [];
  cursor = 0; // in rows
  private top = 0;
  folds: Fold[] = [];
  differs = new Map<number, string>(); // records that differ from the other trace: "root" or "consequence"
  depth: number | undefined;
  where = ''; // only rows that this expression accepts
  text = '';  // only rows with this text
  cpu: number | undefined;
  onMove: () => void = () => undefined;
  onError: (words: string) => void = () => undefined;
  onLink: (kind: string, to: string, row: Row) => void = () => undefined;
  onFold: () => void = () => undefined;
  merge: ((rows: Row[], ended: boolean) => Promise<Row[]>) | undefined; // adds the rows of the other trace
  private ended = false; // the last row of the trace is there
  private begun = false; // the first
  private after = 0; // where to go on
  private before = 0; // where to go on backwards
  private generation = 0;
  private bringing = false; // rows of a place are asked for, in whose stead those that are there go
  private going: Promise<void> = Promise.resolve(); // ends when they are there
  private filling: Promise<void> | undefined; // more rows are asked for
  raw = false; // lines as the trace has them, instead of columns
  private olds = new Map<number, (string | undefined)[]>(); // by record: registers before it
  private annotates = 0;
  private annotated = '';
  private column = 0;
  private made = new Map<number, { key: string; shown: HTMLElement }>(); // what is on the screen, by record

  constructor(readonly side: number, readonly trace: Trace) {
    this.box = element('div', {
      class: 'rows', role: 'listbox', tabindex: '0', 'aria-label': `Rows of trace ${side + 1}, ${trace.name}`, id: `rows${side}`,
    });
    this.thumb = element('div', { class: 'thumb' });
    this.bar = element('div', { class: 'bar', 'aria-hidden': 'true' }, this.thumb);
    this.root = element('section', { class: 'list', 'aria-label': `Trace ${side + 1}: ${trace.name}` },
      element('h2', {}, trace.name), element('div', { class: 'frame' }, this.box, this.bar));
    this.box.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.scroll(Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / 30)));
    }, { passive: false });
    this.box.addEventListener('click', (event) => this.clicked(event));
    this.bar.addEventListener('pointerdown', (event) => this.dragged(event));
    this.bar.addEventListener('pointermove', (event) => { if (event.buttons) this.dragged(event); });
    let touch = 0;
    this.box.addEventListener('touchstart', (event) => { touch = event.touches[0].clientY; }, { passive: true });
    this.box.addEventListener('touchmove', (event) => {
      const rows = Math.trunc((touch - event.touches[0].clientY) / 18);
      if (rows) { touch = event.touches[0].clientY; this.scroll(rows); }
    }, { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  // ---- what is there ----

  current(): Row | undefined { return this.rows[this.cursor]; }
  // True if rows are left out that no call hides.
  filters(): boolean { return this.where !== '' || this.text !== '' || this.cpu !== undefined; }

  private parameters(): Record<string, string | number | undefined> {
    return {
      trace: this.side, parts: 1, depth: this.depth, where: this.where, text: this.text, cpu: this.cpu,
      fold: this.folds.map((fold) => `${fold.from}-${fold.to}`).join(',') || undefined,
    };
  }

  // Goes to the row of a record; where a call hides it, to the row of the call, and where a filter
  // does, to the next one that is shown.  `anew`: other rows are hidden now.
  go(record: number, anew = false): Promise<void> {
    this.going = this.bring(record, anew);
    return this.going;
  }

  // The same, without a word to onMove: it is the other list whose cursor moved.
  follow(record: number): Promise<void> {
    this.going = this.bring(record, false, true);
    return this.going;
  }

  // Ends when no rows of a place are asked for.  What moves the cursor waits for it: it would move in
  // rows that go away.
  async arrived(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.going;) await (last = this.going);
  }

  // Keeps the rows that are there.
  abandon(): void {
    this.generation++;
    this.bringing = false;
  }

  private async bring(record: number, anew: boolean, quiet = false): Promise<void> {
    const at = this.rows.findIndex((row) => record >= row.record && record < row.record + row.count);
    if (at >= 0 && !anew && !this.bringing) {
      this.cursor = at;
      this.show(true, quiet);
      return;
    }
    const generation = ++this.generation;
    this.bringing = true;
    try {
      const answer = await this.forwards(record, generation);
      const before = await ask<Rows>('rows', { ...this.parameters(), before: record, count: ASKED });
      if (generation !== this.generation) return;
      const first = answer.rows[0], hidden = !first || record < first.record, all = [...before.rows, ...answer.rows];
      const chosen = all[Math.max(0, Math.min(before.rows.length - Number(hidden && !this.filters()), all.length - 1))];
      const rows = await this.merged(all, before, answer);
      if (generation !== this.generation) return;
      this.bringing = false;
      this.rows = rows;
      this.begun = before.end;
      this.ended = answer.end;
      this.before = before.next;
      this.after = answer.next;
      this.cursor = Math.max(0, this.rows.findIndex((row) => row.record === chosen?.record && row.mark !== 'right'));
      const height = this.height(), last = this.ended ? this.rows.length - height : this.cursor;
      this.top = Math.max(0, Math.min(last, this.cursor - Math.floor(height / 3)));
      this.made.clear();
      this.show(false, quiet);
    } catch (error) {
      this.onError((error as Error).message);
    } finally {
      if (generation === this.generation) this.bringing = false;
    }
  }

  // Rows with those of the other trace, in whole instructions: what is left of one at the front or
  // the back is asked for again.
  private async merged(rows: Row[], front: Rows | undefined, back: Rows | undefined): Promise<Row[]> {
    if (!this.merge) return rows;
    const heads = rows.flatMap((row, i) => row.pc === undefined ? [] : [i]), last = heads[heads.length - 1];
    const cutsFront = heads.length > 1 && front?.end === false, cutsBack = heads.length > 1 && back?.end === false;
    if (cutsFront) front!.next = rows[heads[0]].record;
    if (cutsBack) back!.next = rows[last].record;
    return this.merge(rows.slice(cutsFront ? heads[0] : 0, cutsBack ? last : rows.length), back?.end === true);
  }

  // The nearest number of rows, from one on, before which an instruction begins.
  private whole(number: number, step: number): number {
    const apart = (row: Row) => row.pc !== undefined && row.mark === undefined;
    while (this.merge && number > 0 && number < this.rows.length && !apart(this.rows[number])) number += step;
    return number;
  }

  // Rows from a record on; a filter may need several questions until one row is found.
  private async forwards(record: number, generation: number): Promise<Rows> {
    let answer = await ask<Rows>('rows', { ...this.parameters(), at: record, count: ASKED });
    while (!answer.rows.length && !answer.end && generation === this.generation) {
      this.onError(`searching: record ${grouped(answer.next)} of ${grouped(this.trace.records)}`);
      answer = await ask<Rows>('rows', { ...this.parameters(), at: answer.next, count: ASKED });
    }
    return answer;
  }

  // Asks for rows where the screen nears the end of those that are there.
  private fill(): void {
    this.filling ??= this.extend().then((more) => {
      this.filling = undefined;
      if (more) this.fill();
    });
  }

  // One answer of rows after or before those that are there.  False: none are needed.
  private async extend(): Promise<boolean> {
    if (this.bringing || !this.rows.length) return false;
    const generation = this.generation;
    const down = !this.ended && this.top + this.height() + NEAR > this.rows.length;
    const up = !down && !this.begun && this.top < NEAR;
    if (!down && !up) return false;
    try {
      const answer = await ask<Rows>('rows', {
        ...this.parameters(), count: ASKED, ...(down ? { at: this.after } : { before: this.before }),
      });
      const rows = await this.merged(answer.rows, down ? undefined : answer, down ? answer : undefined);
      if (generation !== this.generation) return true;
      if (down) this.append(rows, answer); else this.prepend(rows, answer);
      this.draw();
      return true;
    } catch (error) {
      this.onError((error as Error).message);
      return false;
    }
  }

  private append(rows: Row[], answer: Rows): void {
    this.rows.push(...rows);
    this.ended = answer.end;
    this.after = answer.next;
    const surplus = this.whole(Math.min(this.rows.length - KEPT, this.top - NEAR), -1);
    if (surplus <= 0) return;
    this.rows.splice(0, surplus);
    this.top -= surplus;
    this.cursor = Math.max(0, this.cursor - surplus);
    this.begun = false;
    this.before = this.rows[0].record;
  }

  private prepend(rows: Row[], answer: Rows): void {
    this.rows.unshift(...rows);
    this.begun = answer.end;
    this.before = answer.next;
    this.top += rows.length;
    this.cursor += rows.length;
    const kept = this.whole(Math.max(KEPT, this.top + this.height() + NEAR), 1);
    if (this.rows.length <= kept) return;
    this.rows.length = kept;
    const last = this.rows[kept - 1];
    this.after = last.record + last.count;
    this.ended = false;
  }

  // Shows the rows anew, because others are hidden now.
  async refresh(record?: number): Promise<void> {
    await this.go(record ?? this.current()?.record ?? 0, true);
  }

  // ---- moving ----

  height(): number {
    const size = parseFloat(getComputedStyle(this.box).lineHeight) || 18;
    return Math.max(3, Math.floor(this.box.clientHeight / size));
  }

  // Moves the cursor; where rows on its way are not there yet, once they are.
  async move(rows: number): Promise<void> {
    const generation = this.generation;
    for (let left = rows; this.rows.length && generation === this.generation;) {
      const from = this.cursor, there = this.rows.length;
      this.cursor = Math.max(0, Math.min(there - 1, from + left));
      left -= this.cursor - from;
      this.show(true);
      if (!left || !this.filling) return;
      await this.filling;
      if (this.rows.length === there) return; // a filter may let none through for long
    }
  }

  scroll(rows: number): void {
    const height = this.height();
    this.top = Math.max(0, Math.min(Math.max(0, this.rows.length - height), this.top + rows));
    this.draw();
    this.fill();
  }

  moveOnScreen(share: number): void {
    this.cursor = Math.min(this.rows.length - 1, this.top + Math.round((this.height() - 1) * share));
    this.show(true);
  }

  placeRow(share: number): void {
    this.top = Math.max(0, this.cursor - Math.round((this.height() - 1) * share));
    this.draw();
  }

  moveColumns(columns: number): void {
    this.column = Math.max(0, this.column + columns);
    this.draw();
  }

  private show(scrolls: boolean, quiet = false): void {
    const height = this.height();
    if (scrolls && this.cursor < this.top) this.top = this.cursor;
    if (scrolls && this.cursor >= this.top + height) this.top = this.cursor - height + 1;
    this.draw();
    if (!quiet) this.onMove();
    this.fill();
  }

  private clicked(event: MouseEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-at]');
    if (!row || getSelection()?.isCollapsed === false) return; // the text of rows can be selected
    this.cursor = Number(row.dataset.at);
    this.show(false);
    const target = event.target as HTMLElement, link = target.closest<HTMLElement>('[data-go]');
    if (target.closest('.folded')) void this.unfold();
    else if (link && this.current()?.mark !== 'right') this.onLink(link.dataset.go!, link.dataset.to!, this.current()!);
  }

  private dragged(event: PointerEvent): void {
    const area = this.bar.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientY - area.top) / area.height));
    const first = this.trace.first ?? 0;
    void this.go(Math.min(this.trace.records - 1, first + Math.round(share * (this.trace.records - first))));
  }

  // ---- folding ----

  foldHere(): Fold | undefined {
    const row = this.current();
    return row && this.folds.find((fold) => fold.call >= row.record && fold.call < row.record + row.count);
  }

  async fold(): Promise<void> {
    const row = this.current();
    if (!row) return;
    const call = await ask<Call>('call', { trace: this.side, at: row.record, cpu: row.cpu });
    const label = call.function ?? call.pc ?? '(handler)';
    this.folds = this.folds.filter((fold) => fold.from < call.from || fold.to > call.to);
    this.folds.push({ call: call.call, from: call.from, to: call.to, label });
    this.onFold();
    await this.refresh(call.call);
  }

  // Shows what the row's mark hides: a folded call, or calls that are deeper than `depth`.
  async unfold(): Promise<void> {
    const fold = this.foldHere(), row = this.current();
    if (fold) this.folds = this.folds.filter((other) => other !== fold);
    else if (row && this.depth !== undefined && this.hidden(this.cursor)) this.depth = row.depth + 1;
    else throw new Error('no call is folded here');
    this.onFold();
    await this.refresh();
  }

  // Records between a row and the next one that is shown, which calls hide.
  private hidden(at: number): number {
    const row = this.rows[at], next = this.rows[at + 1];
    if (row.mark === 'right' || this.filters() || (!this.folds.length && this.depth === undefined)) return 0;
    const end = next ? next.record : this.ended ? this.trace.records : this.after;
    return Math.max(0, end - row.record - row.count);
  }

  async unfoldAll(): Promise<void> {
    this.folds = [];
    this.depth = undefined;
    this.onFold();
    await this.refresh();
  }

  // ---- drawing ----

  private rowElement(row: Row, hidden: number, fold: Fold | undefined): HTMLElement {
    const right = row.mark === 'right', olds = row.twin || right ? [] : this.olds.get(row.record) ?? [];
    const number = `${right ? '+' : row.mark ? '\u2212' : ''}${grouped(row.line ?? row.right ?? row.record)}`;
    const indent = element('span', { class: `depth depth${row.depth % 6}`, title: `depth ${row.depth}` }, '\u00a0'.repeat(Math.min(row.depth, 24)));
    const mark = hidden ? element('span', { class: 'folded', title: 'show them (zo)' },
      `\u25b8 ${fold ? `${fold.label}: ` : ''}${grouped(hidden)} records `) : null;
    return element('div', { class: 'row', role: 'option', id: `row${this.side}-${right ? `right${row.right}` : row.record}`, 'data-record': String(row.record) },
      element('span', { class: 'number' }, number),
      ...(this.raw ? [indent, mark, row.function ? element('b', {}, `${row.function}: `) : null,
        element('span', { class: row.pc ? 'text' : 'text effect' }, row.text.slice(this.column))]
        : columns(row, indent, mark, olds, this.trace.time_unit !== '')));
  }

  // An element stays while its row is the same, so that text which is selected stays selected.
  private shownRow(row: Row, at: number): HTMLElement {
    const hidden = this.hidden(at);
    const fold = this.folds.find((one) => one.call >= row.record && one.call < row.record + row.count);
    const key = `${row.count} ${row.mark} ${this.column} ${hidden} ${fold?.label} ${this.raw} ${this.olds.get(row.record)?.join()}`;
    const name = row.right === undefined ? row.record : -1 - row.right;
    let one = this.made.get(name);
    if (one?.key !== key) {
      one = { key, shown: this.rowElement(row, hidden, fold) };
      if (row.mark) one.shown.classList.add(`only-${row.mark}`);
      if (row.twin) markBetween(one.shown, this.rowElement(row.twin, 0, undefined));
    }
    this.made.set(name, one);
    const chosen = at === this.cursor;
    one.shown.classList.toggle('chosen', chosen);
    for (const kind of ['root', 'consequence']) one.shown.classList.toggle(kind, row.mark !== 'right' && this.differs.get(row.record) === kind);
    one.shown.setAttribute('aria-selected', String(chosen));
    one.shown.dataset.at = String(at);
    return one.shown;
  }

  setRaw(raw: boolean): void {
    this.raw = raw;
    this.draw();
  }

  // Adds to the rows on the screen what their registers had before: the state before the first one,
  // and what each row changes.  Where rows are left out, it is not known.
  private annotate(): void {
    window.clearTimeout(this.annotates);
    const rows = this.rows.slice(this.top, this.top + this.height());
    if (this.raw || !rows.some((row) => row.parts?.some((part) => part.kind === 'reg'))) return;
    const name = `${rows[0].record} ${rows.length} ${this.generation}`;
    if (name === this.annotated) return;
    this.annotates = window.setTimeout(() => { this.loadOlds(rows, name).catch(() => undefined); }, 60);
  }

  private async loadOlds(rows: Row[], name: string): Promise<void> {
    const known = new Map<string, string>();
    if (rows[0].record > 0) {
      const state = await ask<State>('state', { trace: this.side, at: rows[0].record - 1 });
      for (const cpu of state.cpus)
        for (const register of cpu.registers) known.set(`${cpu.cpu} ${register.name.toLowerCase()}`, short(register.value));
    }
    this.annotated = name;
    if (this.olds.size > 4 * KEPT) this.olds.clear();
    let next = rows[0].record;
    for (const row of rows) {
      if (row.mark === 'right') continue;
      if (row.record !== next) known.clear();
      next = row.record + row.count;
      this.olds.set(row.record, (row.parts ?? []).map((part) => {
        if (part.kind !== 'reg' || part.reg === undefined) return undefined;
        const key = `${row.cpu} ${part.reg.toLowerCase()}`, old = known.get(key);
        if (part.value === undefined) known.delete(key);
        else known.set(key, short(part.value));
        return old;
      }));
    }
    this.draw();
  }

  draw(): void {
    const height = this.height();
    const rows = this.rows.slice(this.top, this.top + height);
    const shown = rows.map((row, i) => this.shownRow(row, this.top + i)), there = this.box.children;
    if (this.made.size > 4 * KEPT) this.made.clear();
    if (there.length !== shown.length || shown.some((one, i) => one !== there[i])) this.box.replaceChildren(...shown);
    const current = this.current();
    if (current && this.cursor >= this.top && this.cursor < this.top + height)
      this.box.setAttribute('aria-activedescendant', `row${this.side}-${current.record}`);
    else
      this.box.removeAttribute('aria-activedescendant');
    this.annotate();
    const first = this.trace.first ?? 0;
    const share = rows.length ? (rows[0].record - first) / Math.max(1, this.trace.records - first) : 0;
    this.thumb.style.setProperty('top', `${Math.min(98, share * 100)}%`);
  }
}
