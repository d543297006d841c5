// SPDX-License-Identifier: MIT
// document.ts: a page without the rows of a trace: sections of tables, plots and pictures, as `report`,
// `pipe --html`, `diff --html` and `sweep --html` write them (src/html/page.c).

import { Overview, Pipeline, Survey, Trace } from './api';
import { rankFunctions } from './colors';
import { button, element, grouped } from './dom';
import { marked } from './marked';
import { OverviewPage } from './overview';
import { PipelineView } from './pipeline';
import { several } from './words';

type Value = string | number | boolean | null | Value[] | { [key: string]: Value };
type Result = { [key: string]: Value };
type Cell = string | [number, string]; // of a number: its value, by which a table sorts

interface Part {
  section?: string;
  title?: string;
  about?: string;
  fold?: string;
  parts?: Part[];
  heading?: string;
  note?: string;
  warning?: string;
  facts?: [string, string][];
  table?: string;
  columns?: string[];
  rows?: Cell[][];
  count?: number; // of all rows
  plots?: string;
  diff?: Result;
  trace?: Trace & { overview: Overview; found: Survey['found']; span?: string };
  pipeline?: Pipeline;
  against?: Pipeline;
}
export interface Document {
  title: string;
  parts: Part[];
}

// A whole number with commas; other texts as they are.
function shown(text: string): string { return /^\d+$/.test(text) ? grouped(text) : text; }
function words(key: string): string { return key.replace(/_/g, ' '); }

// ---- tables ----

function wide(...content: Node[]): HTMLElement { return element('div', { class: 'wide' }, ...content); }

function facts(all: [string, string][]): HTMLElement {
  return wide(element('table', {}, element('tbody', {}, ...all.map(([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, words(name)), element('td', {}, shown(value)))))));
}

// Sorts by the column that is clicked, the highest first.
function table(caption: string, columns: string[], rows: Cell[][]): HTMLElement {
  const number = (i: number) => rows.some((row) => typeof row[i] !== 'string');
  const heads = columns.map((name, i) => element('th', { scope: 'col', class: number(i) ? 'count' : '' },
    button(words(name), `sort by ${words(name)}`, () => sort(i))));
  const lines = rows.map((row) => element('tr', {}, ...row.map((cell) => typeof cell === 'string' ? element('td', {}, cell)
    : element('td', { class: 'count' }, shown(cell[1])))));
  const body = element('tbody', {}, ...lines);
  const key = (row: number, column: number) => {
    const cell = rows[row][column];
    return typeof cell === 'string' ? cell : cell[0];
  };
  const sort = (column: number) => {
    const up = heads[column].getAttribute('aria-sort') === 'descending';
    heads.forEach((head) => head.removeAttribute('aria-sort'));
    heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const order = rows.map((_, i) => i).sort((a, b) => {
      const one = key(a, column), other = key(b, column);
      return (one < other ? -1 : one > other ? 1 : 0) * (up ? 1 : -1);
    });
    body.replaceChildren(...order.map((row) => lines[row]));
  };
  return wide(element('table', {}, element('caption', {}, caption), element('thead', {}, element('tr', {}, ...heads)), body));
}

// ---- plots ----

const tip = element('div', { id: 'tip', role: 'status', hidden: true });

// The mark below the pointer, or the nearest point within 24 pixels.
function markAt(svg: Element, event: PointerEvent): Element | null {
  let best = (event.target as Element).closest('[data-tip]'), far = 24;
  if (best) return best;
  for (const point of svg.querySelectorAll('circle[data-tip]')) {
    const { x, y, width, height } = point.getBoundingClientRect();
    const distance = Math.hypot(x + width / 2 - event.clientX, y + height / 2 - event.clientY);
    if (distance < far) [best, far] = [point, distance];
  }
  return best;
}

function plots(source: string): DocumentFragment {
  const made = element('template');
  made.innerHTML = source; // what spoor drew, with texts of traces escaped; the page's policy runs no script of it
  for (const svg of made.content.querySelectorAll<SVGElement>('svg')) {
    for (const mark of svg.querySelectorAll('[data-y]')) {
      const title = mark.querySelector('title');
      if (!title) continue;
      mark.setAttribute('data-tip', title.textContent ?? '');
      title.remove();
    }
    svg.addEventListener('pointermove', (event) => {
      const mark = markAt(svg, event);
      tip.hidden = !mark;
      if (!mark) return;
      tip.textContent = mark.getAttribute('data-tip');
      tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${Math.max(4, event.clientY - 34)}px`;
    });
    svg.addEventListener('pointerleave', () => { tip.hidden = true; });
  }
  return made.content;
}

// ---- comparisons ----

function list(value: Value | undefined): Value[] { return Array.isArray(value) ? value : []; }

function plain(value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (typeof value === 'object') return '';
  return typeof value === 'boolean' ? value ? 'yes' : 'no' : typeof value === 'number' ? grouped(value) : value;
}
function scalars(object: Result): [string, string][] {
  return Object.entries(object).filter(([, value]) => value !== null && typeof value !== 'object').map(([key, value]) => [key, plain(value)]);
}
function tableOf(caption: string, rows: Value[]): HTMLElement[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as Result)))];
  return rows.length ? [table(caption, columns, rows.map((row) => columns.map((key): Cell => {
    const value = (row as Result)[key];
    return typeof value === 'number' ? [value, plain(value)] : plain(value);
  })))] : [];
}

// A value of one side, with the letters that the other lacks marked; of a list, a line for each member.
function side(value: Value | undefined, other: Value | undefined, marks: boolean): HTMLElement {
  const one = (own: string, like: string | undefined) => !marks || own === like ? [own] : like === undefined ? [element('mark', {}, own)] : marked(own, like);
  if (!Array.isArray(value)) return element('td', {}, ...one(plain(value), other === undefined ? undefined : plain(other)));
  const others = list(other).map(plain);
  return element('td', {}, ...value.map(plain).map((own, i) =>
    element('div', {}, ...one(own, others.includes(own) ? own : others[i]))));
}

// Record, line and time may differ in equal instructions.
const PLACES = ['record', 'line', 'time'], SIDES = [...PLACES, 'pc', 'function', 'source', 'opcode', 'disasm', 'effects'];

// `all` are those that it may explain.
function difference(one: Result, all: Result[], number: number): HTMLElement {
  const left = (one.left_unit ?? {}) as Result, right = (one.right_unit ?? {}) as Result;
  const disasm = plain(left.disasm) || plain(right.disasm);
  const own = all.filter((other) => other.root === number), more = Number(one.consequences ?? 0) - own.length;
  return element('details', { open: one.cause === 'root' },
    element('summary', {}, `instruction ${plain(one.left)}: ${plain(one.class)}, ${plain(one.cause)}`,
      one.consequences ? ` of ${several(Number(one.consequences), 'consequence')}` : '',
      ...(disasm ? [': ', element('code', {}, disasm)] : [])),
    wide(element('table', { class: 'sides' },
      element('thead', {}, element('tr', {}, element('td'), ...['left', 'right'].map((name) => element('th', { scope: 'col' }, name)))),
      element('tbody', {}, ...SIDES.filter((key) => left[key] !== undefined || right[key] !== undefined).map((key) =>
        element('tr', {}, element('th', { scope: 'row' }, key), side(left[key], right[key], !PLACES.includes(key)),
          side(right[key], left[key], !PLACES.includes(key))))))),
    ...tableOf('Last writers of what it read', list(one.last_writers)),
    ...own.map((other) => difference(other, [], -1)), ...(more > 0 ? [element('p', { class: 'quiet' }, `${grouped(more)} more consequences.`)] : []));
}

function comparison(result: Result): HTMLElement {
  const classes = scalars((result.by_class ?? {}) as Result), all = list(result.differences) as Result[];
  return element('section', {}, facts(scalars(result)),
    ...(classes.length ? [element('h3', {}, 'Differences by class'), facts(classes)] : []),
    ...tableOf('Gaps: instructions of one side only', list(result.gaps)),
    ...(all.length ? [element('h3', {}, 'Differences'), 
      ...all.flatMap((one, i) => one.root === undefined ? [difference(one, all, i)] : [])] : []));
}

// ---- parts ----

function pipelineOf(part: Part): HTMLElement {
  const view = new PipelineView();
  view.showAlone(part.pipeline!, part.against);
  return view.root;
}

function overviewOf(trace: NonNullable<Part['trace']>): HTMLElement {
  const page = new OverviewPage();
  page.put(trace, trace.overview, trace.found, trace.span);
  return page.root;
}

function drawn(part: Part): Node[] {
  if (part.section !== undefined)
    return [element('section', { id: part.section }, element('h2', {}, part.title ?? ''),
      ...(part.about ? [element('p', { class: 'quiet' }, part.about)] : []), ...allOf(part.parts ?? []))];
  if (part.fold !== undefined) return [element('details', {}, element('summary', {}, part.fold), ...allOf(part.parts ?? []))];
  if (part.heading !== undefined) return [element('h3', {}, part.heading)];
  if (part.note !== undefined) return [element('p', {}, part.note)];
  if (part.warning !== undefined) return [element('p', { class: 'warning', role: 'alert' }, part.warning)];
  if (part.facts) return part.facts.length ? [facts(part.facts)] : [];
  if (part.table !== undefined) {
    const rows = part.rows ?? [], more = (part.count ?? 0) > rows.length;
    return [table(part.table, part.columns ?? [], rows),
      ...(more ? [element('p', { class: 'quiet' }, `The first ${grouped(rows.length)} of ${grouped(part.count!)}.`)] : [])];
  }
  if (part.plots !== undefined) return [plots(part.plots)];
  if (part.diff) return [comparison(part.diff)];
  if (part.trace) return [overviewOf(part.trace)];
  return part.pipeline ? [pipelineOf(part)] : [];
}

// Plots that follow each other are beside each other.
function allOf(parts: Part[]): Node[] {
  const made: Node[] = [];
  let grid: HTMLElement | undefined;
  for (const part of parts) {
    if (part.plots === undefined) grid = undefined;
    else if (!grid) made.push(grid = element('div', { class: 'plots' }));
    if (grid) grid.append(...drawn(part));
    else made.push(...drawn(part));
  }
  return made;
}

export function showDocument(given: Document): void {
  const traces = given.parts.flatMap((part) => part.parts ?? []).flatMap((part) => part.trace ? [part.trace] : []);
  rankFunctions(traces.flatMap((trace) => trace.overview.functions ?? []).filter((one) => !one.exception).map((one) => one.pc!));
  const contents = given.parts.filter((part) => part.section !== undefined);
  document.body.dataset.view = 'document';
  document.querySelector('header h1')!.textContent = given.title;
  const nav = document.querySelector('header nav')!;
  nav.setAttribute('aria-label', 'Contents');
  nav.replaceChildren(...contents.map((part) => element('a', { href: `#${part.section}` }, part.title ?? '')));
  nav.toggleAttribute('hidden', !contents.length);
  document.querySelector('main')!.replaceChildren(...allOf(given.parts));
  document.body.append(tip);
  document.querySelector('footer')!.remove();
  addEventListener('beforeprint', () => { for (const fold of document.querySelectorAll('details')) fold.open = true; });
  document.body.dataset.ready = String(Math.round(performance.now()));
}
