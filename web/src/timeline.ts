// SPDX-License-Identifier: MIT
// timeline.ts: which function ran when, on a canvas; the wheel zooms, dragging pans.  A tile covers
// three times what is seen, so that most frames are drawn from what is there.

import { Accesses, ask, Misses, Tile, Trace, Values } from './api';
import { colorOf, Colors, colors } from './colors';
import { element, grouped, splitter } from './dom';
import { several } from './words';

const ROW = 14, AXIS = 18, TOUCH = 12, MARK = 8, TRACK = 26, MISS = 26, LABEL = 40;

// A register, memory or a signal of a waveform whose values are drawn, or an expression, whose matches are.
interface Track {
  what: string;
  points: { record: number; until: number; lowest: number; highest: number; last: number | undefined; words: string }[];
  before?: string;
  counts?: boolean;
  error?: string;
}

export class Timeline {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly note: HTMLElement;
  from = 0;
  to: number;
  cursor = 0;
  watched = '';
  cache = ''; // the design whose misses are shown
  private tile: Tile | undefined;
  private accesses: Accesses | undefined;
  private misses: Misses | undefined;
  private polls = 0;
  private asked = 0; // records of a pixel of the tile, as it was asked for
  private abort: AbortController | undefined;
  private waits = 0;
  private drawn = false;
  private lift = 0; // rows scrolled
  private readonly times = new Map<number, string | null>(); // of records at the axis
  tracks: Track[] = [];
  area: [number, number] | undefined; // records that are selected
  onArea: (from: number, to: number) => void = () => undefined;
  marks: number[] = []; // records, such as those of a result of SQL
  ribbon: [number, string][] | undefined; // of a comparison: records that differ, "root" or "consequence"
  ribbonEnd = Infinity; // from this record on, it is not known whether others differ
  flags: [number, string][] = []; // records that are marked, and by which letter
  arcs: [number, number][] = []; // from a record to a later or earlier one
  private crumbs: string[] = []; // functions that run in all that is seen: one line instead of rows
  frame = 0; // milliseconds that the last frame took
  onHover: (record: number | undefined) => void = () => undefined; // the pointer is there
  onResize: (pixels: number) => void = () => undefined;
  onChoose: (record: number) => void = () => undefined;

  constructor(readonly side: number, readonly trace: Trace) {
    this.from = trace.first ?? 0;
    this.to = Math.max(1, trace.records);
    this.canvas = element('canvas', {
      tabindex: '0', role: 'img', class: 'timeline',
      'aria-label': `Functions of ${trace.name} over time; arrows pan, plus and minus zoom, Return goes there`,
    });
    this.note = element('p', { class: 'note', 'aria-live': 'off' });
    this.root = element('section', { class: 'time', 'aria-label': `Timeline of trace ${side + 1}, ${trace.name}` }, this.canvas, this.note,
      splitter('Height of the timeline', false, (pixels) => this.onResize(pixels)));
    this.listen();
    new ResizeObserver(() => this.changed()).observe(this.canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.later());
  }

  private listen(): void {
    const canvas = this.canvas;
    canvas.addEventListener('dblclick', () => this.all());
    let drag: { x: number; y: number; from: number; lift: number; moved: boolean } | undefined;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.shiftKey) this.pan((event.deltaY || event.deltaX) / 600);
      else this.zoom(Math.exp(event.deltaY / 300), event.offsetX);
    }, { passive: false });
    const fingers = new Map<number, number>(); // pointers that are down, each with its x
    canvas.addEventListener('pointerdown', (event) => {
      fingers.set(event.pointerId, event.offsetX);
      if (event.shiftKey) {
        const record = this.recordAt(event.offsetX);
        this.area = [record, record];
        canvas.setPointerCapture(event.pointerId);
        return;
      }
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, y: event.offsetY, from: this.from, lift: this.lift, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      this.point(event.offsetX, event.offsetY);
      this.onHover(this.recordAt(event.offsetX));
      if (this.area && fingers.size === 1 && !drag) {
        this.area[1] = this.recordAt(event.offsetX) + 1;
        this.later();
        return;
      }
      if (fingers.size === 2 && fingers.has(event.pointerId)) { // pinching zooms
        const other = [...fingers].find(([id]) => id !== event.pointerId)![1], was = fingers.get(event.pointerId)!;
        fingers.set(event.pointerId, event.offsetX);
        drag = undefined;
        this.zoom(Math.max(20, Math.abs(was - other)) / Math.max(20, Math.abs(event.offsetX - other)), (event.offsetX + other) / 2);
        return;
      }
      if (!drag) return;
      if (Math.abs(event.offsetX - drag.x) + Math.abs(event.offsetY - drag.y) > 3) drag.moved = true;
      if (!drag.moved) return;
      this.lift = Math.max(0, Math.min(this.rowsBelow(), drag.lift + Math.round((drag.y - event.offsetY) / ROW)));
      this.set(drag.from + (drag.x - event.offsetX) * this.scale(), this.to - this.from);
    });
    canvas.addEventListener('pointerleave', () => this.onHover(undefined));
    canvas.addEventListener('pointercancel', (event) => {
      fingers.delete(event.pointerId);
      drag = undefined;
    });
    canvas.addEventListener('pointerup', (event) => {
      fingers.delete(event.pointerId);
      if (this.area && !drag && event.shiftKey) {
        const [from, to] = [Math.min(...this.area), Math.max(...this.area)];
        this.area = to > from ? [from, to] : undefined;
        if (this.area) this.onArea(from, to);
        this.later();
      }
      if (drag && !drag.moved) this.onChoose(this.recordAt(event.offsetX));
      drag = undefined;
    });
    canvas.addEventListener('keydown', (event) => {
      const steps: Record<string, () => void> = {
        ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2),
        '+': () => this.zoom(0.5), '-': () => this.zoom(2), '=': () => this.zoom(0.5),
        '0': () => this.all(),
        ArrowUp: () => this.raise(-1), ArrowDown: () => this.raise(1),
        Enter: () => this.onChoose(Math.round((this.from + this.to) / 2)),
      };
      if (!steps[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      steps[event.key]();
    });
  }

  private get first(): number { return this.trace.first ?? 0; }
  private scale(): number { return (this.to - this.from) / Math.max(1, this.canvas.clientWidth); }
  recordAt(x: number): number {
    return Math.max(this.first, Math.min(this.trace.records - 1, Math.floor(this.from + x * this.scale())));
  }

  // ---- what is seen ----

  set(from: number, length: number): void {
    const all = Math.max(1, this.trace.records - this.first);
    length = Math.max(Math.min(20, all), Math.min(all, length));
    this.from = Math.max(this.first, Math.min(this.first + all - length, from));
    this.to = this.from + length;
    this.changed();
  }
  zoom(factor: number, x = this.canvas.clientWidth / 2): void {
    const center = this.from + x * this.scale();
    const length = (this.to - this.from) * factor;
    this.set(center - (x / Math.max(1, this.canvas.clientWidth)) * length, length);
  }
  pan(share: number): void { this.set(this.from + share * (this.to - this.from), this.to - this.from); }

  // All of the trace, from the outermost call on.
  all(): void {
    this.lift = 0;
    this.set(this.first, this.trace.records - this.first);
  }
  // Scrolls by rows.
  private raise(rows: number): void {
    this.lift = Math.max(0, Math.min(this.rowsBelow(), this.lift + rows));
    this.later();
  }
  // The rows that do not fit.
  private rowsBelow(): number {
    const lanes = this.lanes(), last = lanes[lanes.length - 1];
    const end = last ? last.y + ROW + this.lift * ROW : 0;
    return Math.max(0, Math.ceil((end - this.canvas.clientHeight) / ROW));
  }

  // Marks the cursor, and moves so that it is seen.
  show(record: number): void {
    this.cursor = record;
    if (record < this.from || record >= this.to) this.set(record - (this.to - this.from) / 2, this.to - this.from);
    else this.later();
  }
  watch(address: string): void {
    this.watched = address;
    this.accesses = undefined;
    this.tile = undefined;
    this.changed();
  }

  showFlags(flags: [number, string][]): void {
    this.flags = flags;
    this.later();
  }

  // Shows the misses of a cache; '' hides them.
  simulate(design: string): void {
    this.cache = design;
    this.misses = undefined;
    this.tile = undefined;
    this.changed();
  }

  private changed(): void {
    this.later();
    const tile = this.tile;
    if (tile && tile.from <= this.from && tile.to >= this.to && this.asked <= this.scale() * 1.6
      && (!this.trace.time_unit || this.ticks().every((at) => this.times.has(at)))) return;
    window.clearTimeout(this.waits);
    this.waits = window.setTimeout(() => void this.load(), 30);
  }

  private async load(): Promise<void> {
    this.abort?.abort();
    const abort = this.abort = new AbortController();
    const seen = this.to - this.from;
    const from = Math.max(this.first, Math.floor(this.from - seen)), to = Math.ceil(this.to + seen);
    const end = Math.min(to, this.trace.records);
    const width = Math.max(16, Math.min(4096, Math.ceil((end - from) / this.scale())));
    const range = { trace: this.side, from, to: end, width }, asked = (end - from) / width;
    try {
      this.tile = await ask<Tile>('timeline', range, abort.signal);
      this.asked = asked;
      this.later();
      await this.loadTimes(abort.signal);
      if (this.watched)
        this.accesses = await ask<Accesses>('accesses', { ...range, address: this.watched, size: 1 }, abort.signal);
      for (const track of this.tracks) await this.loadTrack(track, range, abort.signal);
      if (this.cache) await this.loadMisses(range, abort.signal);
    } catch (error) {
      if ((error as Error).name !== 'AbortError') this.note.textContent = (error as Error).message;
    }
    this.later();
  }

  // The times of the records at the axis.
  private async loadTimes(signal: AbortSignal): Promise<void> {
    const missing = this.trace.time_unit ? this.ticks().filter((at) => !this.times.has(at)) : [];
    if (!missing.length) return;
    const { times } = await ask<{ times: (string | null)[] }>('times', { trace: this.side, at: missing.slice(0, 64).join(',') }, signal);
    if (this.times.size > 4000) this.times.clear();
    times.forEach((time, i) => this.times.set(missing[i], time));
    this.later();
  }
  private ticks(): number[] {
    const wanted = this.scale() * (this.trace.time_unit ? 170 : 130), made: number[] = [];
    let step = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
    for (const times of [1, 2, 5, 10]) if (step * times >= wanted) { step *= times; break; }
    for (let at = Math.ceil(this.from / step) * step; at < Math.min(this.to, this.trace.records); at += step) made.push(at);
    return made;
  }

  // Shows the values of these registers or addresses, each in a track.
  pin(all: string[]): void {
    this.tracks = all.map((what) => this.tracks.find((track) => track.what === what) ?? { what, points: [] });
    this.canvas.style.setProperty('--tracks', `${all.length * (TRACK + 4)}px`);
    this.tile = undefined;
    this.changed();
  }

  private async loadTrack(track: Track, range: { trace: number; from: number; to: number; width: number },
    signal: AbortSignal): Promise<void> {
    const points: Track['points'] = [];
    const wide = Math.max(1, Math.floor(range.width / Math.max(1, Math.ceil((range.to - range.from) / this.trace.records))));
    let at = range.from;
    track.error = undefined;
    try {
      for (let first = true; at < range.to || first; first = false) {
        const width = Math.max(1, Math.min(2000, Math.ceil(wide * (range.to - at) / Math.max(1, range.to - range.from))));
        const answer = await ask<Values>('values',
          { trace: this.side, what: track.what, from: at, to: range.to, width }, signal);
        if (first) track.before = answer.before === null ? '?' : answer.before;
        track.counts = answer.counts;
        track.error = answer.damage; // what is there is drawn
        for (const [offset, writes, lowest, highest, last] of answer.values) {
          const record = answer.from + offset;
          if (track.counts) points.push({ record, until: record + answer.pixel, lowest: 0, highest: writes, last: undefined, words: several(writes, 'record') });
          else points.push({ record, until: record + answer.pixel, lowest: lowest === undefined ? NaN : Number(lowest),
            highest: highest === undefined ? NaN : Number(highest), last: last === undefined ? undefined : Number(last),
            words: last === undefined ? '?' : writes > 1 && lowest !== highest ? `${lowest} to ${highest}, then ${last}` : last });
        }
        if (answer.next <= at) break;
        at = answer.next;
        track.points = points;
        this.later();
      }
      track.points = points;
    } catch (error) {
      if ((error as Error).name === 'AbortError') throw error;
      track.error = (error as Error).message;
    }
  }

  // The server counts while it answers: what it has is shown, and the rest is asked for again.
  private async loadMisses(range: { trace: number; from: number; to: number; width: number },
    signal: AbortSignal): Promise<void> {
    window.clearTimeout(this.polls);
    this.misses = await ask<Misses>('misses', { ...range, cache: this.cache }, signal);
    if (this.misses.ended) {
      this.note.textContent = `misses of two caches ${this.misses.cache}, one for instructions and one for data`;
      return;
    }
    this.note.textContent = `simulating: record ${grouped(this.misses.counted)} of ${grouped(this.trace.records)}`;
    this.polls = window.setTimeout(() => {
      this.loadMisses(range, signal).then(() => this.later(), () => undefined);
    }, 300);
  }

  private later(): void {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      const begin = performance.now();
      this.draw();
      this.frame = performance.now() - begin;
    });
  }

  // ---- drawing ----

  private markTop(): number { return AXIS + (this.watched ? TOUCH + 4 : 0); }
  private trackTop(): number { return this.markTop() + (this.marks.length ? MARK + 4 : 0); }
  private missTop(): number { return this.trackTop() + this.tracks.length * (TRACK + 4); }
  private top(): number { return this.missTop() + (this.cache ? MISS + 4 : 0); }

  private lanes(): { cpu: number; depth: number; y: number; marks: number[] }[] {
    const tile = this.tile, rows = tile?.rows ?? [], outer = this.outerRows();
    let y = this.top() + (outer ? ROW + 2 : 0) - this.lift * ROW;
    let cpu = -1, base = 0;
    return rows.slice(outer).map((row) => {
      if (row.cpu !== cpu) {
        if (cpu >= 0) y += 8;
        cpu = row.cpu;
        base = row.depth;
      } else {
        y += (row.depth - base) * ROW;
        base = row.depth;
      }
      return { ...row, y };
    });
  }

  // The outermost rows of the one processor that are a single call over all that is seen; the last
  // row always stays.
  private outerRows(): number {
    const tile = this.tile, rows = tile?.rows ?? [];
    this.crumbs = [];
    if (!tile || rows.some((row) => row.cpu !== rows[0].cpu)) return 0;
    for (const row of rows.slice(0, -1)) {
      const at = row.marks.findIndex((_, i) => i % 3 === 0 && tile.from + row.marks[i] <= Math.max(this.first, this.from)
        && tile.from + row.marks[i] + row.marks[i + 1] >= Math.min(this.to, this.trace.records));
      const known = at >= 0 ? tile.functions[row.marks[at + 2]] : undefined;
      if (!known) break;
      this.crumbs.push(known[1] ?? known[0]);
    }
    if (this.crumbs.length < 2) this.crumbs = [];
    return this.crumbs.length;
  }

  private draw(): void {
    const canvas = this.canvas, ratio = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    if (!context || !width) return;
    this.lift = Math.min(this.lift, this.rowsBelow());
    const paint = colors();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = paint.background;
    context.fillRect(0, 0, width, height);
    if (this.tile) this.drawTile(context, paint, width, height);
    this.drawAxis(context, paint, width);
    if (this.ribbon) this.drawRibbon(context, this.ribbon, paint, width);
    if (this.accesses && this.watched) this.drawAccesses(context, paint, width);
    this.drawMarks(context, paint, width);
    this.drawTracks(context, paint, width);
    if (this.misses && this.cache) this.drawMisses(context, paint, width);
    context.fillStyle = paint.alarm;
    for (const [record, letter] of this.flags) {
      const x = (record + 0.5 - this.from) / this.scale();
      context.fillRect(Math.round(x), 0, 1, AXIS);
      context.fillText(letter, x + 3, 8);
    }
    this.drawArcs(context, paint, width, height);
    if (this.area) {
      const begin = (this.area[0] - this.from) / this.scale(), end = (this.area[1] - this.from) / this.scale();
      context.globalAlpha = 0.2;
      context.fillStyle = paint.text;
      context.fillRect(begin, 0, Math.max(1, end - begin), height);
      context.globalAlpha = 1;
    }
    const x = (this.cursor + 0.5 - this.from) / this.scale();
    context.fillStyle = paint.text;
    context.fillRect(Math.round(x), 0, 1.5, height);
  }

  // Where the other trace is equal, and where it differs: roots over consequences.
  private drawRibbon(context: CanvasRenderingContext2D, ribbon: [number, string][], paint: Colors, width: number): void {
    context.fillStyle = paint.series[2];
    context.fillRect(0, AXIS - 4, Math.min(width, (this.ribbonEnd - this.from) / this.scale()), 3);
    for (const kind of ['consequence', 'root']) {
      context.fillStyle = kind === 'root' ? paint.alarm : paint.series[1];
      for (const [record, which] of ribbon)
        if (which === kind) context.fillRect(Math.floor((record - this.from) / this.scale()), AXIS - 5, Math.max(2, 1 / this.scale()), 5);
    }
  }

  private drawTile(context: CanvasRenderingContext2D, paint: Colors, width: number, height: number): void {
    const tile = this.tile!, scale = this.scale();
    context.font = '11px system-ui, "DejaVu Sans", sans-serif';
    context.textBaseline = 'middle';
    for (const lane of this.lanes()) {
      if (lane.y + ROW < this.top() || lane.y > height) continue;
      for (let i = 0; i < lane.marks.length; i += 3) {
        const begin = (tile.from + lane.marks[i] - this.from) / scale;
        const end = begin + lane.marks[i + 1] / scale;
        if (end < 0 || begin > width) continue;
        this.drawMark(context, paint, lane.marks[i + 2], Math.max(0, begin), Math.min(width, end), lane.y);
      }
    }
    const crumbs = this.crumbs.length ? ROW + 2 : 0;
    context.fillStyle = paint.background;
    context.fillRect(0, 0, width, this.top() + crumbs);
    if (crumbs) this.drawCrumbs(context, paint, width);
    const below = this.rowsBelow();
    if (!below) return;
    const seen = (height - this.top()) / ROW, part = (height - this.top()) / (seen + below);
    context.fillStyle = paint.quiet;
    context.fillRect(width - 4, this.top() + this.lift * part, 3, seen * part);
  }

  private drawCrumbs(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    const between = ' \u203a ', y = this.top() + ROW / 2;
    let words = this.crumbs.join(between), left = this.crumbs.length;
    while (left > 1 && context.measureText(words).width > width - 8)
      words = `\u2026${between}${this.crumbs.slice(this.crumbs.length - --left).join(between)}`;
    context.fillStyle = paint.text;
    context.fillText(words, 4, y);
  }

  private drawMark(context: CanvasRenderingContext2D, paint: Colors, number: number, begin: number, end: number,
    y: number): void {
    const wide = Math.max(0.7, end - begin - 0.5);
    const known = number >= 0 ? this.tile!.functions[number] : undefined;
    context.globalAlpha = known ? 1 : 0.45;
    context.fillStyle = !known ? paint.quiet : known[2] ? paint.alarm
      : colorOf(known[0]);
    context.fillRect(begin, y, wide, ROW - 2);
    context.globalAlpha = 1;
    if (!known || wide < LABEL) return;
    context.save();
    context.beginPath();
    context.rect(begin, y, wide, ROW);
    context.clip();
    context.fillStyle = paint.background;
    context.fillText(known[1] ?? known[0], begin + 3, y + ROW / 2 - 1);
    context.restore();
  }

  // Arcs from writes to uses, the higher the farther.
  private drawArcs(context: CanvasRenderingContext2D, paint: Colors, width: number, height: number): void {
    const base = height - 2, scale = this.scale();
    context.lineWidth = 1.5;
    context.strokeStyle = context.fillStyle = paint.text;
    for (const [from, to] of this.arcs) {
      const begin = (from + 0.5 - this.from) / scale, end = (to + 0.5 - this.from) / scale;
      if (Math.max(begin, end) < 0 || Math.min(begin, end) > width) continue;
      const tall = Math.min(height - this.top() - 4, 10 + Math.abs(end - begin) / 4);
      context.globalAlpha = 0.8;
      context.beginPath();
      context.moveTo(begin, base);
      context.quadraticCurveTo((begin + end) / 2, base - 2 * tall, end, base);
      context.stroke();
      context.beginPath();
      context.arc(begin, base, 2.5, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }
  // A row of marks at records; none: no row.
  showMarks(records: number[]): void {
    this.marks = records;
    this.later();
  }
  // Values as steps between the lowest and the highest that is seen, and in digits where there is room.
  private drawTracks(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    const scale = this.scale();
    this.tracks.forEach((track, number) => {
      const top = this.trackTop() + number * (TRACK + 4), bottom = top + TRACK;
      context.fillStyle = paint.background;
      context.fillRect(0, top, width, TRACK + 4);
      context.fillStyle = paint.line;
      context.fillRect(0, bottom, width, 1);
      const seen = track.points.filter((point) => point.until > this.from && point.record < this.to);
      const earlier = [...track.points].reverse().find((point) => point.until <= this.from);
      let last = earlier ? earlier.last : track.before === undefined || track.before === '?' ? undefined : Number(track.before);
      let words = earlier ? earlier.words : track.before ?? '';
      const known = [...seen.flatMap((point) => [point.lowest, point.highest]), ...(last === undefined ? [] : [last])]
        .filter((value) => !Number.isNaN(value));
      const lowest = Math.min(...known), highest = Math.max(...known);
      const y = (value: number) => highest > lowest ? bottom - 2 - (value - lowest) / (highest - lowest) * (TRACK - 5) : bottom - TRACK / 2;
      const color = paint.series[(number + 5) % 7];
      const label = `${track.what}${track.error ? `: ${track.error}` : ''}`, labelled = context.measureText(label).width + 8;
      let x = 0;
      if (track.counts) {
        const most = Math.max(1, ...seen.map((point) => point.highest));
        context.fillStyle = color;
        for (const point of seen) {
          const begin = (point.record - this.from) / scale, tall = Math.max(2, point.highest / most * (TRACK - 3));
          context.fillRect(begin, bottom - tall, Math.max(1.2, Math.min(3, (point.until - point.record) / scale)), tall);
        }
      }
      const level = (until: number) => {
        if (last === undefined || until <= x) return;
        context.fillStyle = color;
        context.fillRect(x, y(last), until - x, 1.5);
        const begin = Math.max(x, labelled);
        if (until - begin < 8 * words.length + 10 || !known.length) return;
        context.fillStyle = paint.text;
        context.fillText(words, begin + 4, y(last) > top + TRACK / 2 ? y(last) - 7 : y(last) + 9);
      };
      for (const point of track.counts ? [] : seen) {
        const begin = Math.max(0, (point.record - this.from) / scale);
        level(begin);
        context.fillStyle = color;
        const high = Math.min(y(point.highest), last === undefined ? Infinity : y(last));
        const low = Math.max(y(point.lowest), last === undefined ? -Infinity : y(last));
        if (low >= high) context.fillRect(begin, high, 1.5, low - high + 1.5);
        last = point.last;
        words = point.words;
        x = begin;
      }
      level(width);
      context.fillStyle = paint.background;
      context.globalAlpha = 0.8;
      context.fillRect(0, top, labelled, 13);
      context.globalAlpha = 1;
      context.fillStyle = paint.text;
      context.fillText(label, 3, top + 7);
    });
  }
  // The value of a track at a record, in words.
  private trackAt(track: Track, record: number): string {
    const before = [...track.points].reverse().find((point) => point.record <= record);
    return `: ${track.what} = ${before ? before.words : track.before ?? 'not written yet'}`;
  }
  private drawMarks(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    context.fillStyle = paint.series[3];
    for (const record of this.marks) {
      const x = (record - this.from) / this.scale();
      if (x >= -2 && x <= width) context.fillRect(x, this.markTop(), Math.max(2, 1 / this.scale()), MARK);
    }
  }
  showArcs(arcs: [number, number][]): void {
    this.arcs = arcs;
    this.later();
  }

  private drawAxis(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    const scale = this.scale();
    context.font = '11px system-ui, "DejaVu Sans", sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = paint.quiet;
    this.ticks().forEach((at, i) => {
      const x = (at - this.from) / scale, time = this.times.get(at);
      const words = `${i ? '' : 'record '}${grouped(at)}${time ? `, ${grouped(time)} ${this.trace.time_unit}` : ''}`;
      context.fillRect(x, 0, 1, 5);
      if (x + 4 + context.measureText(words).width < width) context.fillText(words, x + 4, 8);
    });
  }

  private drawAccesses(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    const accesses = this.accesses!, scale = this.scale();
    const color = (does: number) => paint.series[does & 2 ? 1 : 2];
    const mark = (record: number, records: number, does: number) => {
      const x = (record - this.from) / scale, wide = Math.max(2, records / scale);
      if (x + wide < 0 || x > width) return;
      context.fillStyle = color(does);
      context.fillRect(x, AXIS, wide, TOUCH);
    };
    if (accesses.touches)
      for (let i = 0; i < accesses.touches.length; i += 2) mark(accesses.touches[i], 1, accesses.touches[i + 1]);
    else
      for (let i = 0; i < accesses.segments.length; i += 3)
        mark(accesses.segments[i], accesses.segments[i + 1], accesses.segments[i + 2]);
  }

  // Bars: misses in the records of a pixel, relative to the largest one that is seen.
  private drawMisses(context: CanvasRenderingContext2D, paint: Colors, width: number): void {
    const { first, pixel, pixels } = this.misses!, scale = this.scale();
    const wide = Math.max(1, pixel / scale), bottom = this.missTop() + MISS;
    let highest = 1;
    for (let i = 0; i < pixels.length; i += 3) {
      const begin = first + pixels[i];
      if (begin + pixel > this.from && begin < this.to) highest = Math.max(highest, pixels[i + 2]);
    }
    context.fillStyle = paint.line;
    context.fillRect(0, bottom, width, 1);
    context.fillStyle = paint.series[4];
    for (let i = 0; i < pixels.length; i += 3) {
      const x = (first + pixels[i] - this.from) / scale, tall = pixels[i + 2] / highest * MISS;
      if (x + wide > 0 && x < width) context.fillRect(x, bottom - tall, wide, tall);
    }
  }

  // What the lane of misses has at a record.
  private missesAt(record: number): string {
    const misses = this.misses;
    if (!misses) return '';
    for (let i = 0; i < misses.pixels.length; i += 3) {
      const begin = misses.first + misses.pixels[i];
      if (record < begin || record >= begin + misses.pixel) continue;
      return `: ${grouped(misses.pixels[i + 2])} misses in ${grouped(misses.pixels[i + 1])} accesses of `
        + `${grouped(misses.pixel)} records (${misses.cache})`;
    }
    return misses.ended || record < misses.counted ? ': no access' : ': not simulated yet';
  }

  // Says what is under the pointer.
  private point(x: number, y: number): void {
    const record = this.from + x * this.scale(), tile = this.tile;
    let words = `record ${grouped(Math.floor(record))}`;
    const track = this.tracks[Math.floor((y - this.trackTop()) / (TRACK + 4))];
    if (track && y >= this.trackTop()) words += this.trackAt(track, Math.floor(record));
    if (this.cache && y >= this.missTop() && y < this.top()) words += this.missesAt(record);
    for (const lane of this.lanes()) {
      if (!tile || y < lane.y || y >= lane.y + ROW) continue;
      for (let i = 0; i < lane.marks.length; i += 3) {
        const begin = tile.from + lane.marks[i];
        if (record < begin || record >= begin + lane.marks[i + 1]) continue;
        const known = lane.marks[i + 2] >= 0 ? tile.functions[lane.marks[i + 2]] : undefined;
        const name = known ? `${known[2] ? 'exception to ' : ''}${known[1] ?? known[0]}` : 'several short calls';
        words += `, depth ${lane.depth}: ${name}, ${grouped(lane.marks[i + 1])} records`;
      }
    }
    this.note.textContent = words;
  }
}
