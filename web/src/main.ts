// SPDX-License-Identifier: MIT
// main.ts: the page: a list for each trace, panes, the timeline, and the keys of spoor browse.

import { Align, answerFrom, ask, Call, Difference, Differences, Frame, Functions, Overview, Row, Rows, Sought, State, Traces } from './api';
import { AreaPane } from './area';
import { Box, Reading } from './box';
import { rankFunctions } from './colors';
import { showDocument } from './document';
import { button, element, grouped, splitter } from './dom';
import { List } from './list';
import { LoopPane } from './loop';
import { marked } from './marked';
import { MemoryPane, Pane, Place, placeText, RegisterPane, SourcePane, StackPane } from './panes';
import { OverviewPage } from './overview';
import { PipelineView } from './pipeline';
import { Recorded } from './recorded';
import { Sql } from './sql';
import { Timeline } from './timeline';
import { unify } from './unified';
import { WhyPane } from './why';
import { several } from './words';

const main = document.querySelector('main')!;
const status = document.querySelector<HTMLElement>('#status')!;
const where = document.querySelector<HTMLElement>('#where')!;
const chips = document.querySelector<HTMLElement>('#chips')!;
const lists: List[] = [];
const timelines: Timeline[] = [];
const memory = new MemoryPane();
const registers = new RegisterPane(), why = new WhyPane(), loop = new LoopPane(() => list().trace.time_unit);
const area = new AreaPane(() => list().trace.time_unit, () => list().trace.cpus.length);
const panes: Pane[] = [why, loop, area, registers, new StackPane(), memory, new SourcePane()];
let active = 0;
let compares = false;
let updates = 0;
let watches = false; // the timeline is to show the accesses to the memory that is shown next
let search = { words: '', back: false };
const marks = new Map<string, { side: number; record: number }>();
const past: { side: number; record: number }[] = [];
let pastAt = 0;

const list = () => lists[active];
let said = 0; // messages so far

function say(words: string, wrong = false): void {
  said++;
  status.textContent = words;
  status.classList.toggle('wrong', wrong);
}
type View = 'overview' | 'trace' | 'pipeline' | 'sql';

// What the page shows: the overview, the trace itself, or statements in SQL.
function view(name: View): void {
  document.body.dataset.view = name;
  for (const tab of document.querySelectorAll<HTMLElement>('nav button'))
    tab.setAttribute('aria-pressed', String(tab.dataset.view === name));
  if (name === 'trace' || name === 'pipeline') list().box.focus();
  if (name === 'pipeline') run(pipeline.show(active, place().record, place().cpu));
  else if (name === 'sql') sql.focus();
  else if (name === 'overview') {
    overview.root.focus();
    if (overview.side >= 0 && overview.side !== active) run(showOverview(active));
  }
  writeHash();
}
function run(work: Promise<unknown> | void): void {
  Promise.resolve(work).catch((error: Error) => say(error.message, true));
}

// What the user does is done in order, each thing once the rows are there that the one before led to:
// two steps down are two steps, however late the server answers.
let last: Promise<void> = Promise.resolve();
let waiting = 0; // things that are not done yet
let abandoned = 0; // how often Escape ended a search

function inOrder(act: () => Promise<unknown> | void): void {
  const round = abandoned;
  const work = async () => {
    try {
      await list().arrived();
      if (round === abandoned) await act();
    } catch (error) {
      say((error as Error).message, true);
    } finally {
      waiting--;
    }
  };
  last = waiting++ ? last.then(work) : work();
}

// ---- places ----

function place(): Place {
  const row = list().current();
  return { side: active, record: row ? row.record + row.count - 1 : 0, cpu: row?.cpu ?? 0 };
}

function remember(): void {
  past.length = pastAt;
  past.push({ side: active, record: place().record });
  pastAt = past.length;
}

async function jump(record: number): Promise<void> {
  if (!/^(trace|pipeline)$/.test(document.body.dataset.view!)) view('trace');
  remember();
  await list().go(record);
}

async function history(step: number): Promise<void> {
  if (pastAt === past.length && step < 0) {
    remember();
    pastAt--;
  }
  const to = past[pastAt + step];
  if (!to) throw new Error('there is no such place');
  pastAt += step;
  if (to.side && lists[0].merge) await showUnified(false);
  choose(to.side);
  await list().go(to.record);
}

async function goTo(words: string): Promise<void> {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(words);
  if (percent) return jump(Math.floor(list().trace.records * Math.min(100, Number(percent[1])) / 100));
  const answer = await ask<{ record: number }>('place', { trace: active, words });
  return jump(answer.record);
}

// ---- deep links ----

function writeHash(): void {
  const words = new URLSearchParams();
  const now = list();
  if (document.body.dataset.view !== 'trace') words.set('view', document.body.dataset.view!);
  if (lists.length > 1) words.set('trace', String(active));
  if (lists[0].merge) words.set('unified', '1');
  words.set('record', String(place().record));
  if (memory.input.value) words.set('memory', memory.input.value.trim());
  for (const track of timelines[active].tracks) words.append('tracks', track.what);
  if (timelines[active].cache) words.set('cache', timelines[active].cache);
  for (const [letter, mark] of marks) words.append('mark', `${letter}:${mark.side}:${mark.record}`);
  if (now.depth !== undefined) words.set('depth', String(now.depth));
  if (now.where) words.set('where', now.where);
  if (now.text) words.set('text', now.text);
  if (now.folds.length) words.set('fold', now.folds.map((fold) => `${fold.call}:${fold.from}-${fold.to}`).join(','));
  window.history.replaceState(null, '', `#${words}`);
}

async function readHash(): Promise<void> {
  const words = new URLSearchParams(location.hash.slice(1));
  choose(Math.min(lists.length - 1, Number(words.get('trace')) || 0));
  const now = list();
  memory.input.value = words.get('memory') ?? memory.input.value;
  watches = memory.input.value !== '';
  timelines[active].pin(words.getAll('tracks').filter((what) => what));
  if (timelines[active].cache !== (words.get('cache') ?? '')) timelines[active].simulate(words.get('cache') ?? '');
  const wanted = words.get('view') ?? (!words.has('record') && lists.length === 1 && now.trace.first === undefined ? 'overview' : 'trace');
  const shown: View = wanted === 'overview' || wanted === 'sql' || wanted === 'pipeline' ? wanted : 'trace';
  if (document.body.dataset.view !== shown) view(shown);
  now.depth = words.has('depth') ? Number(words.get('depth')) : undefined;
  now.where = now.text = '';
  marks.clear();
  for (const one of words.getAll('mark')) {
    const [, letter, side, record] = /^(.):(\d+):(\d+)$/.exec(one) ?? [];
    if (letter && Number(side) < lists.length) marks.set(letter, { side: Number(side), record: Number(record) });
  }
  showMarks();
  const filters = { where: words.get('where') ?? '', text: words.get('text') ?? '' };
  let refused: Error | undefined;
  try {
    if (filters.where) await ask<Rows>('rows', { trace: active, at: 0, count: 1, where: filters.where });
    Object.assign(now, filters);
  } catch (error) {
    refused = error as Error; // the trace is shown without the filter
  }
  now.folds = [...(words.get('fold') ?? '').matchAll(/(\d+):(\d+)-(\d+)/g)]
    .map((found) => ({ call: Number(found[1]), from: Number(found[2]), to: Number(found[3]), label: 'call' }));
  showSettings();
  await now.refresh(Number(words.get('record')) || now.trace.first || 0);
  const first = words.has('record') ? undefined : now.rows.find((row) => row.pc !== undefined);
  if (first) await now.go(first.record); // before it are settings
  if (refused) throw refused;
}

// ---- what follows the cursor ----

async function moved(): Promise<void> {
  const number = ++updates, before = said;
  const here = place();
  timelines[active].show(here.record);
  if (document.body.dataset.view === 'pipeline') void pipeline.show(active, here.record, here.cpu);
  await new Promise((resolve) => setTimeout(resolve, 25)); // keys may follow each other fast
  if (number !== updates) return;
  const state = await ask<State>('state', { trace: here.side, at: here.record });
  if (number !== updates) return;
  where.textContent = `${list().trace.name}: ${placeText(state)}`;
  if (said === before) say(''); // what a key said since stays
  writeHash();
  await Promise.all(panes.map((pane) => pane.update(here, state)));
  if (watches && memory.address && number === updates) {
    watches = false;
    timelines[active].watch(memory.address);
  }
  if (compares && number === updates) await follow(here);
}

// The other trace follows the cursor.
async function follow(here: Place): Promise<void> {
  const other = lists[1 - here.side];
  const answer = await ask<Align>('align', { trace: here.side, at: here.record });
  if (!answer.ready) return;
  await other.follow(answer.other);
  timelines[1 - here.side].show(answer.other);
  const difference = answer.difference;
  shownDifference.replaceChildren(...(difference?.rows?.length ? unified(difference) : []));
  if (difference) say(`${difference.root ? 'root' : 'consequence'}: ${difference.fields[0] ?? difference.class}`);
}

function choose(side: number): void {
  active = side;
  lists.forEach((one, i) => one.root.classList.toggle('active', i === side));
  showSettings();
  timelines.forEach((one, i) => { one.root.hidden = i !== side; });
}

// ---- differences ----

const differenceBox = element('div', { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Differences' });
const shownDifference = element('div', { class: 'unified' });
const unifiedButton = button('One list', 'two traces as one list, or side by side (U)', () => run(showUnified(!lists[0].merge)), { 'aria-pressed': 'false' });
let differences: Differences | undefined;

// Both sides of a difference: a line where they are equal, else one of each.
function unified(difference: Difference): HTMLElement[] {
  const line = (mark: string, ...words: (Node | string)[]) =>
    element('div', { class: mark === '\u2212' ? 'only-left' : mark === '+' ? 'only-right' : '' }, `${mark} `, ...words);
  return difference.rows!.flatMap(([mark, left, right]) => mark === '|' || mark === '~'
    ? [line('\u2212', ...marked(left, right)), line('+', ...marked(right, left))]
    : mark === '<' ? [line('\u2212', left)] : mark === '>' ? [line('+', right)] : [line('\u00a0', left)]);
}

async function compare(): Promise<void> {
  for (;;) {
    differences = await ask<Differences>('differences');
    if (differences.ready) break;
    differenceBox.textContent = `Comparing: ${grouped(differences.compared ?? 0)} records`;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  compares = true;
  const { count, unlisted, verdict, places } = differences;
  const kinds = places.filter((_, i) => i % 3 === 2), roots = kinds.filter((root) => root).length;
  lists.forEach((one, side) => {
    one.differs = new Map(kinds.map((root, i) => [places[3 * i + side], root ? 'root' : 'consequence']));
    timelines[side].ribbon = [...one.differs];
    timelines[side].ribbonEnd = (side ? differences!.unlisted_right : differences!.unlisted_left) ?? Infinity;
    timelines[side].showMarks(timelines[side].marks);
    one.draw();
  });
  const all = differences.differences;
  // Consequences are folded below their root.
  const item = (difference: Difference): HTMLElement => {
    const own = all.filter((one) => one.of === difference.number), more = (difference.consequences ?? 0) - own.length;
    return element('li', { class: difference.root ? 'root' : 'consequence' },
      element('span', { class: 'kind' }, difference.root ? 'root ' : 'consequence '),
      button(difference.instruction ?? difference.class, `${difference.class}: go there`, () => {
        run(jump(active === 0 ? difference.left : difference.right));
      }, { class: 'link' }),
      ...(difference.gap ? [element('div', {}, `${grouped(difference.only_left ?? 0)} instructions only on the left, ${grouped(difference.only_right ?? 0)} only on the right`)]
        : difference.fields.map((words) => element('div', {}, words))),
      ...(own.length ? [element('details', {}, element('summary', {}, several(own.length + more, 'consequence')), element('ol', {}, ...own.map(item)),
        ...(more ? [element('p', { class: 'quiet' }, `The first ${grouped(own.length)}.`)] : []))] : []));
  };
  const items = all.filter((difference) => difference.of === undefined).map(item);
  const last = places.slice(-3);
  differenceBox.replaceChildren(
    element('p', {}, count ? `${unlisted ? `${several(count + unlisted, 'difference')}; of the first ${grouped(count)}` : several(count, 'difference')}: ${several(roots, 'root')}, ${several(count - roots, 'consequence')}.`
      : verdict === 'equal' ? 'The traces tell the same story.' : 'No difference was found.',
    differences.parts ? ` They have nothing in common after record ${grouped(last[0])} of the left and ${grouped(last[1])} of the right one.`
      : verdict === 'undecided' ? ' A part of the traces could not be compared.' : verdict === 'nothing-compared' ? ' Nothing was compared.' : ''),
    ...(unlisted ? [element('p', {}, `The others begin at record ${grouped(differences.unlisted_left!)} of the left and ${grouped(differences.unlisted_right!)} of the right one: from there on, rows without a mark may differ.`)] : []),
    unifiedButton, shownDifference, element('ol', {}, ...items),
    ...(roots > items.length ? [element('p', { class: 'quiet' }, `The first ${grouped(items.length)}.`)] : []));
  await moved();
}

// Both traces as one list, or side by side.
async function showUnified(on: boolean): Promise<void> {
  if (lists.length < 2 || !differences?.ready) throw new Error(lists.length < 2 ? 'there is one trace only' : 'the traces are still being compared');
  if (on) choose(0);
  lists[0].merge = on ? unify : undefined;
  document.querySelector('.lists')!.classList.toggle('one', on);
  unifiedButton.setAttribute('aria-pressed', String(on));
  await lists[0].refresh();
}

async function nextDifference(step: number, roots: boolean): Promise<void> {
  const places = differences?.places ?? [], all = places.filter((_, i) => i % 3 === active && (!roots || places[i - active + 2]));
  const now = place().record, row = list().current();
  const found = step > 0 ? all.find((record) => record > now) : all.filter((record) => record < (row?.record ?? 0)).pop();
  if (found === undefined) throw new Error('there is no further difference');
  await jump(found);
}

// ---- searches, filters ----

// "=EXPRESSION" over fields, or a text.
function wanted(words: string): Record<string, string> {
  return words.startsWith('=') ? { where: words.slice(1) } : { text: words };
}

async function searchFor(words: string, back: boolean): Promise<void> {
  search = { words, back };
  return again(back);
}

async function again(back: boolean): Promise<void> {
  if (!search.words) throw new Error('nothing was searched for yet');
  return find(search.words, back);
}

// Says how far a search is, or ends one that was abandoned.
function searching(at: number, round: number): void {
  if (round !== abandoned) throw new Error('the search was ended');
  say(`searching: record ${grouped(at)} (Esc ends)`);
}

// The next or previous row with something; undefined: there is none.  A question answers within a
// moment, and says where to go on.
async function nearest(words: string, at: number, back: boolean): Promise<number | undefined> {
  for (const round = abandoned;;) {
    const answer = await ask<Rows>('rows', {
      trace: active, count: 1, ...wanted(words), ...(back ? { before: at } : { at }),
    });
    if (answer.rows.length) return answer.rows[0].record;
    if (answer.end) return undefined;
    at = answer.next;
    searching(at, round);
  }
}

async function find(words: string, back: boolean): Promise<void> {
  const row = list().current(), here = row?.record ?? 0;
  const record = await nearest(words, back ? here : place().record + Number(row !== undefined), back);
  if (record === undefined) throw new Error(`not found: ${words}`);
  return jump(record);
}

// The next one or, where there is none, the first one; says which.
async function findAround(words: string, what: string): Promise<void> {
  search = { words, back: false };
  let record = await nearest(words, place().record + 1, false);
  const around = record === undefined;
  if (around) record = await nearest(words, 0, false);
  if (record === undefined) throw new Error(`${what}: nowhere in the trace`);
  await jump(record);
  say(`${what}${around ? ': none later, so this is the first' : ''}`);
}

// Only rows with a text or "=EXPRESSION"; it is set once the server has found one.
async function filter(words: string): Promise<void> {
  const now = list(), here = now.current()?.record ?? 0;
  let record: number | undefined = here;
  if (words) record = await nearest(words, here, false) ?? await nearest(words, here, true);
  if (record === undefined) throw new Error(`no row has ${words}`);
  const chosen = wanted(words);
  now.where = chosen.where ?? '';
  now.text = words ? chosen.text ?? '' : '';
  showSettings();
  await now.refresh(record);
}

async function showMisses(design: string): Promise<void> {
  timelines[active].simulate(design);
  writeHash();
}

async function setDepth(words: string): Promise<void> {
  list().depth = words === '' ? undefined : Math.max(0, Number(words) || 0);
  showSettings();
  await list().refresh();
}

// ---- dialogs ----

function dialog(id: string, title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const close = button('Close', 'Close (Esc)', () => made.close(), { class: 'close' });
  const made = element('dialog', { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title`, tabindex: '-1', autofocus: true }, title), close, ...content);
  document.body.append(made);
  return made;
}

const KEYS: [string, string][] = [
  ['j k', 'down, up'], ['Space b', 'a screen down, up'], ['d u', 'half a screen down, up'],
  ['g G', 'the beginning, the end'], ['h l', 'scroll to the left, to the right'],
  ['H M L', 'the first, middle, last row of the screen'], ['zt zz zb', 'the row to the top, middle, bottom'],
  ['@', 'go to a time, line:N, record:N, pc:ADDR, N% or end'], ['t # R %', 'go to a time, line, record, percentage'],
  ['o i', 'back, forward again'], ['m \'', 'mark this place by a letter, or no longer; go to a mark'],
  ['/', 'the box: an address, function, symbol+OFFSET, time, line:N, register, text or =EXPRESSION (also Ctrl K)'],
  ['\\', 'search backwards for a text or =EXPRESSION'], ['n N', 'search again; the other way'], ['Esc', 'end a search'],
  ['&', 'only rows with a text or =EXPRESSION'], ['c', 'the rows of the next cpu, of all'],
  ['v', 'the lines of the trace, or columns again'],
  ['zc zo', 'fold the call of the row, unfold it'], ['zM zR', 'fold all calls that this function makes, unfold all'],
  ['Return', 'go to the call of this function'], ['[c ]c [r ]r', 'the previous, next call; return'],
  ['[e ]e E e', 'the previous, next exception'], ['[p ]p', 'the previous, next execution of this pc'],
  ['p P', 'the next, previous execution of an address or function'],
  ['[f ]f', 'the previous, next call of this function'],
  ['[w ]w [a ]a', 'the previous, next write, access of the address in the memory pane'],
  ['T', 'a register, ADDRESS+BYTES, =EXPRESSION or a signal of a waveform as a track of the timeline, or no longer'],
  ['A', 'what ran in the part of the timeline that is seen (or drag with Shift)'],
  ['y', 'the loop around the row: its iterations'], ['W', 'where a value comes from: a tree, and arcs on the timeline'],
  ['r s X S', 'registers, calls, memory, source'], ['Tab', 'the next pane'],
  ['w', 'the other trace'], ['U', 'two traces as one list, or side by side'], ['[d ]d [R ]R', 'the previous, next difference; root'],
  ['B', 'the misses of a cache in the timeline'], ['O', 'the overview, or the trace again'], ['V', 'the pipeline, or the trace again'], ['Q', 'a statement in SQL'], ['?', 'this help'],
];

const sql = new Sql({
  record: (record) => run(jump(record)),
  execution: (address) => run(executionOf(address, `address ${address}`)),
  memory: (address) => {
    view('trace');
    watch(address);
  },
  marks: (records) => {
    view('trace');
    timelines[active].showMarks(records);
  },
});
const keyTable = element('table', {}, element('tbody', {}, ...KEYS.map(([keys, does]) =>
  element('tr', {}, element('th', { scope: 'row' }, element('code', {}, keys)), element('td', {}, does)))));

const askInput = element('input', { id: 'ask-input', spellcheck: 'false', autocomplete: 'off' });
const askLabel = element('label', { for: 'ask-input' }, 'Place');
const askForm = element('form', { method: 'dialog' }, askLabel, askInput);
const dialogs = {
  help: dialog('help', 'Keys', keyTable),
  ask: dialog('ask', 'Where to', askForm),
};
let answered: (words: string) => void = () => undefined;
askForm.addEventListener('submit', () => answered(askInput.value.trim()));

function prompt(title: string, label: string, then: (words: string) => Promise<void>, words = ''): void {
  dialogs.ask.querySelector('h2')!.textContent = title;
  askLabel.textContent = label;
  askInput.value = words;
  answered = (typed) => inOrder(() => then(typed));
  dialogs.ask.showModal();
  askInput.select();
}

// ---- keys ----

async function nextCpu(): Promise<void> {
  const now = list(), count = now.trace.cpus.length;
  now.cpu = now.cpu === undefined ? 0 : now.cpu + 1 < count ? now.cpu + 1 : undefined;
  showSettings();
  await now.refresh();
  say(now.cpu === undefined ? 'rows of all cpus' : `rows of ${now.trace.cpus[now.cpu] || 'the cpu'}`);
}

// To the call of the row's function.
async function goToCall(): Promise<void> {
  const here = place();
  await jump((await ask<Call>('call', { trace: here.side, at: here.record, cpu: here.cpu })).call);
}

// Asks until something is found; an answer says where to go on.
async function seek(name: string, wanted: Record<string, string | number>, back: boolean, what: string): Promise<void> {
  let at = back ? list().current()?.record ?? 0 : place().record;
  for (const round = abandoned;;) {
    const answer = await ask<Sought>(name, { trace: active, at, back: back ? 1 : 0, ...wanted });
    if (answer.record !== undefined) return jump(answer.record);
    if (answer.end) throw new Error(`there is no ${back ? 'earlier' : 'later'} ${what}`);
    at = answer.next!;
    searching(at, round);
  }
}

async function event(kind: string, back: boolean): Promise<void> {
  return seek('event', { kind, cpu: place().cpu }, back, kind);
}

// An access to the address in the memory pane.
async function touch(reads: boolean, back: boolean): Promise<void> {
  const address = memory.address || memory.input.value.trim();
  if (!address) throw new Error('type an address in the memory pane first (X)');
  return seek('touch', { address, reads: reads ? 1 : 0 }, back, `${reads ? 'access' : 'write'} of ${address}`);
}

// An execution of an address, or of a function's first instruction.
async function execution(words: string, back: boolean): Promise<void> {
  const { address } = await ask<{ address: string }>('address', { trace: active, address: words });
  return find(`=pc==${address}`, back);
}

async function sameFunction(back: boolean): Promise<void> {
  const here = place();
  const { frames } = await ask<{ frames: Frame[] }>('stack', { trace: here.side, at: here.record, cpu: here.cpu });
  if (!frames.length) throw new Error('no call is open');
  if (!frames[0].pc) throw new Error('the handler has not begun');
  return find(`=pc==${frames[0].pc}`, back);
}

// The next or previous execution of the row's instruction.
async function samePc(back: boolean): Promise<void> {
  const here = place();
  const state = await ask<State>('state', { trace: here.side, at: here.record, cpu: here.cpu });
  const pc = state.cpus[0]?.pc;
  if (!pc) throw new Error('no instruction has run yet');
  return find(`=pc==${pc}`, back);
}

async function foldInside(): Promise<void> {
  await setDepth(String(list().current()?.depth ?? 0));
}

function toggle(name: string): void {
  const pane = panes.find((one) => one.name === name)!;
  pane.shown = !pane.shown;
  if (name === 'memory' && pane.shown) memory.input.focus();
  run(moved());
}

function nextPane(step: number): void {
  const stops = [...lists.map((one) => one.box), timelines[active].canvas,
    ...panes.filter((pane) => pane.shown).map((pane) => pane.root.querySelector<HTMLElement>('.body')!)];
  const at = stops.findIndex((stop) => stop.contains(document.activeElement));
  stops[(at + step + stops.length) % stops.length].focus();
}

const actions: Record<string, () => Promise<unknown> | void> = {
  j: () => list().move(1), ArrowDown: () => list().move(1),
  k: () => list().move(-1), ArrowUp: () => list().move(-1),
  ' ': () => list().move(list().height()), f: () => list().move(list().height()),
  PageDown: () => list().move(list().height()),
  b: () => list().move(-list().height()), PageUp: () => list().move(-list().height()),
  d: () => list().move(list().height() >> 1), u: () => list().move(-(list().height() >> 1)),
  g: () => jump(list().trace.first ?? 0), Home: () => jump(list().trace.first ?? 0),
  G: () => jump(list().trace.records - 1), End: () => jump(list().trace.records - 1),
  h: () => list().moveColumns(-8), ArrowLeft: () => list().moveColumns(-8),
  l: () => list().moveColumns(8), ArrowRight: () => list().moveColumns(8),
  H: () => list().moveOnScreen(0), M: () => list().moveOnScreen(0.5), L: () => list().moveOnScreen(1),
  zt: () => list().placeRow(0), zz: () => list().placeRow(0.5), zb: () => list().placeRow(1),
  '@': () => prompt('Go to', 'A time, line:N, record:N, pc:ADDR[#VISIT], N% or end', goTo),
  t: () => prompt('Go to a time', 'Time', goTo),
  '#': () => prompt('Go to a line', 'Line', (words) => goTo(`line:${words}`)),
  R: () => prompt('Go to a record', 'Record', (words) => goTo(`record:${words}`)),
  '%': () => prompt('Go to a percentage', 'Percent', (words) => goTo(`${words.replace('%', '')}%`)),
  p: () => prompt('Next execution', 'Address, or function', (words) => execution(words, false)),
  P: () => prompt('Previous execution', 'Address, or function', (words) => execution(words, true)),
  o: () => history(-1), i: () => history(1),
  '/': () => box.focus(),
  '\\': () => prompt('Search back', 'A text, or =EXPRESSION over fields', (words) => searchFor(words, true), search.words),
  n: () => again(search.back), N: () => again(!search.back),
  '&': () => prompt('Filter', 'Only rows with a text, or =EXPRESSION over fields; empty: all', filter, filterWords()),
  W: () => askWhy(),
  T: () => prompt('Track', 'A register, ADDRESS+BYTES or =EXPRESSION', pin),
  A: () => area.ask(active, timelines[active].from, timelines[active].to),
  y: () => loop.ask(place()),
  v: () => lists.forEach((one) => one.setRaw(!one.raw)),
  c: () => nextCpu(),
  zc: () => list().fold(), '-': () => list().fold(),
  zo: () => list().unfold(), '+': () => list().unfold(),
  zM: () => foldInside(), '[[': () => foldInside(),
  zR: () => list().unfoldAll(), ']]': () => list().unfoldAll(),
  ']p': () => samePc(false), '[p': () => samePc(true),
  ']c': () => event('call', false), '[c': () => event('call', true),
  ']r': () => event('return', false), '[r': () => event('return', true),
  ']e': () => event('exception', false), e: () => event('exception', false),
  '[e': () => event('exception', true), E: () => event('exception', true),
  ']f': () => sameFunction(false), '[f': () => sameFunction(true),
  ']w': () => touch(false, false), '[w': () => touch(false, true),
  ']a': () => touch(true, false), '[a': () => touch(true, true),
  Enter: () => goToCall(),
  r: () => toggle('registers'), s: () => toggle('stack'), X: () => toggle('memory'), S: () => toggle('source'),
  Tab: () => nextPane(1), 'S-Tab': () => nextPane(-1),
  U: () => showUnified(!lists[0].merge),
  w: async () => { if (lists[0].merge) await showUnified(false); choose((active + 1) % lists.length); list().box.focus(); return moved(); },
  ']d': () => nextDifference(1, false), '[d': () => nextDifference(-1, false),
  ']R': () => nextDifference(1, true), '[R': () => nextDifference(-1, true),
  B: () => prompt('Misses', 'SIZE,WAYS,BLOCK of a cache for instructions and one for data; empty: none', showMisses,
    timelines[active].cache || '32K,8,64'),
  O: () => view(document.body.dataset.view === 'overview' ? 'trace' : 'overview'),
  V: () => view(document.body.dataset.view === 'pipeline' ? 'trace' : 'pipeline'),
  Q: () => view(document.body.dataset.view === 'sql' ? 'trace' : 'sql'),
  '?': () => { dialogs.help.showModal(); dialogs.help.scrollTop = 0; },
};
const OPENS = ['@', 't', '#', 'R', '%', 'p', 'P', '/', '\\', '&', 'T', 'B', 'O', 'V', 'Q', '?', 'X'];
let pending = '';

function pressed(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
    event.preventDefault();
    document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
    box.focus();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  if (event.key === 'Escape' && waiting) {
    abandoned++;
    list().abandon();
  }
  if (event.key === 'Shift' || (target.tagName === 'BUTTON' && /^(Enter| )$/.test(event.key))) return;
  if (event.key === 'Tab' && !target.closest('.list, .pane .body, canvas')) return;
  if (event.key === 'Tab' && target.closest('.pane .body') && target.tagName === 'BUTTON') return;
  const key = pending + (event.key === 'Tab' && event.shiftKey ? 'S-Tab' : event.key);
  if (pending === 'm' || pending === "'") {
    event.preventDefault();
    const letter = event.key, sets = pending === 'm';
    pending = '';
    if (sets) inOrder(() => setMark(letter));
    else inOrder(() => letter === "'" ? history(-1) : goMark(letter));
    return;
  }
  pending = '';
  if (/^[z[\]m']$/.test(key)) {
    event.preventDefault();
    pending = key;
    return;
  }
  const action = actions[key];
  if (!action) return;
  event.preventDefault();
  if (OPENS.includes(key)) run(action()); // what is typed next is for it
  else if (!event.repeat || waiting < 2) inOrder(action); // a key that is held is not saved up
}

// A mark is in the address, so it travels with a link.
function setMark(letter: string): void {
  const here = place(), mark = marks.get(letter);
  if (mark?.side === here.side && mark.record === here.record) marks.delete(letter);
  else marks.set(letter, { side: here.side, record: here.record });
  showMarks();
  writeHash();
}

function showMarks(): void {
  timelines.forEach((one, side) => one.showFlags([...marks].filter(([, mark]) => mark.side === side).map(([letter, mark]) => [mark.record, letter])));
  pipeline.redraw();
  showSettings();
}

async function goMark(letter: string): Promise<void> {
  const mark = marks.get(letter);
  if (!mark) throw new Error(`no place is marked ${letter}`);
  choose(mark.side);
  await jump(mark.record);
}

// ---- the page ----

const depthInput = document.querySelector<HTMLInputElement>('#depth')!;
const box = new Box(document.querySelector<HTMLInputElement>('#box')!, understand,
  (reading) => inOrder(reading.act), () => list().box.focus(), (error) => say(error.message, true));

function filterWords(): string { return list().where ? `=${list().where}` : list().text; }

// What hides rows, each with a cross.
function showSettings(): void {
  const now = list();
  depthInput.value = now.depth === undefined ? '' : String(now.depth);
  const chip = (words: string, title: string, undo: () => Promise<unknown>) =>
    button(`${words} \u00d7`, title, () => run(undo()), { class: 'chip' });
  chips.replaceChildren(
    ...(filterWords() ? [chip(`Filter: ${filterWords()}`, 'show all rows again', () => filter(''))] : []),
    ...(now.depth !== undefined ? [chip(`Depth \u2264 ${now.depth}`, 'show calls of any depth', () => setDepth(''))] : []),
    ...(now.cpu !== undefined ? [chip(now.trace.cpus[now.cpu] || 'one cpu', 'show the rows of all cpus', async () => {
      now.cpu = undefined;
      showSettings();
      await now.refresh();
    })] : []),
    ...timelines[active].tracks.map((track) => chip(`Track: ${track.what}`, 'end this track', () => pin(track.what))),
    ...[...marks].map(([letter, mark]) => button(`\u2691${letter}`, `go to record ${grouped(mark.record)}, which is marked ${letter}`,
      () => inOrder(() => goMark(letter)), { class: 'chip mark' })),
    ...(now.folds.length ? [chip(`${now.folds.length} folded`, 'unfold all calls', () => now.unfoldAll())] : []));
}

async function showOverview(side: number): Promise<void> {
  const hot = await ask<Overview>('overview', { trace: side });
  rankFunctions((hot.functions ?? []).filter((one) => !one.exception).map((one) => one.pc!));
  await overview.show(side, lists[side].trace, hot);
}

const pipeline = new PipelineView();
pipeline.onChoose = (record) => run(jump(record));
pipeline.marks = () => [...marks].map(([letter, mark]) => ({ letter, ...mark }));
const overview = new OverviewPage({
  execution: (address, what) => run(executionOf(address, what)),
  record: (record) => run(jump(record)),
  memory: (address) => {
    view('trace');
    watch(address);
    run(touch(true, false));
  },
});

// Shows the values of a register or of memory in a track, or ends that.
async function pin(what: string): Promise<void> {
  const line = timelines[active], all = line.tracks.map((track) => track.what);
  if (!what) return;
  if (!all.includes(what)) await ask('values', { trace: active, what, from: 0, to: 0 }); // it may be neither
  line.pin(all.includes(what) ? all.filter((other) => other !== what) : [...all, what]);
  showSettings();
  writeHash();
}

async function askWhy(): Promise<void> {
  const here = place();
  const state = await ask<State>('state', { trace: here.side, at: here.record, cpu: here.cpu });
  prompt('Why', 'A register, or ADDRESS+BYTES', (words) => why.ask(words, here, false), WhyPane.suggestion(state));
}

// A link in a row.
async function followLink(kind: string, to: string, row: Row): Promise<void> {
  if (kind === 'pc') return executionOf(to, `address ${to}`);
  if (kind === 'memory') return watch(to);
  if (kind === 'why') return why.ask(to, { side: active, record: row.record + row.count - 1, cpu: row.cpu }, false);
  const found = await ask<{ record: number | null; value?: string }>('writer',
    { trace: active, at: Math.max(0, row.record - 1), register: to, cpu: row.cpu });
  if (found.record === null || found.record === undefined) throw new Error(`no record wrote ${to} before`);
  return jump(found.record);
}

// ---- the box ----

// A call of a function, or an execution of an address.
// Traces of accesses and of samples state no instructions: there it is a fetch, or a frame.
async function executionOf(address: string, what: string): Promise<void> {
  const words = `understood as ${what}: its next execution`;
  try {
    await findAround(`=pc==${address}`, words);
  } catch (error) {
    if (!/nowhere/.test((error as Error).message)) throw error;
    await findAround(`=(op == fetch and addr == ${address}) or (op == frame and value == ${address})`, words);
  }
}

function addressReadings(found: Functions): Reading[] {
  const { address, function: name } = found;
  if (address === undefined) return []; // neither a number nor a symbol
  const shown = `${address}${name ? ` ${name}` : ''}`;
  return [
    { kind: 'address', words: shown, note: 'its next execution', act: () => executionOf(address, `address ${shown}`) },
    { kind: 'memory', words: shown, note: 'its bytes, in the memory pane', act: async () => {
      watch(address);
      say(`understood as memory at ${shown}`);
    } },
  ];
}

function functionReadings(found: Functions): Reading[] {
  return found.functions.map(([address, name]) => ({
    kind: 'function', words: name, note: `${address}: its next call`,
    act: () => executionOf(address, `function ${name}`),
  }));
}

async function registerReadings(words: string): Promise<Reading[]> {
  const here = place();
  const state = await ask<State>('state', { trace: here.side, at: here.record, cpu: here.cpu });
  const found = state.cpus[0]?.registers.find((one) => one.name.toLowerCase() === words.toLowerCase());
  if (!found) return [];
  return [{
    kind: 'register', words: `${found.name} = ${found.value}`, note: found.writer === undefined ? 'not written yet'
      : 'its last writer', act: async () => {
      if (found.writer === undefined) throw new Error(`no record wrote ${found.name} before`);
      await jump(found.writer);
      say(`understood as register ${found.name}: its last writer`);
    },
  }];
}

function placeReading(kind: string, shown: string, words: string): Reading {
  return { kind, words: shown, note: 'go there', act: async () => {
    await goTo(words);
    say(`understood as ${kind} ${shown}`);
  } };
}

// The ways to understand what was typed in the box, the likeliest first.
async function understand(words: string): Promise<Reading[]> {
  const trace = list().trace;
  const text: Reading = { kind: 'text', words, note: 'the next row with it',
    act: () => findAround(words, `understood as text '${words}'`) };
  if (words.startsWith('='))
    return [{ kind: 'expression', words: words.slice(1), note: 'the next row that satisfies it',
      act: () => findAround(words, `understood as expression ${words.slice(1)}`) }];
  if (/^\d+(\.\d+)?%$/.test(words)) return [placeReading('part', words, words)];
  if (/^(time|record|line|pc):|^end$/.test(words)) return [placeReading('place', words, words), text];
  const [found, registers] = await Promise.all(
    [ask<Functions>('functions', { trace: active, words }), registerReadings(words)]);
  const addresses = addressReadings(found), functions = functionReadings(found);
  if (/^\d[\d,.'\u202f]*$/.test(words)) {
    const number = words.replace(/[^\d]/g, '');
    return [...(trace.time_unit ? [placeReading('time', `${grouped(number)} ${trace.time_unit}`, number)] : []),
      placeReading('line', grouped(number), `line:${number}`), placeReading('record', grouped(number), `record:${number}`),
      ...addresses, text];
  }
  const certain = /^0x|\+/i.test(words) ? addresses : []; // else letters may be digits by chance
  return [...certain, ...registers, ...functions, ...(certain.length ? [] : addresses), text];
}

function watch(address: string): void {
  memory.input.value = address;
  memory.shown = true;
  memory.onWatch();
}

// ---- listening ----

function listen(): void {
  document.addEventListener('keydown', pressed);
  window.addEventListener('hashchange', () => run(readHash()));
  document.querySelector('#go')!.addEventListener('submit', (event) => event.preventDefault());
  depthInput.addEventListener('change', () => run(setDepth(depthInput.value)));
  for (const tab of document.querySelectorAll<HTMLElement>('nav button'))
    tab.addEventListener('click', () => view(tab.dataset.view as View));
  document.querySelector('#open-help')!.addEventListener('click', () => run(actions['?']()));
  area.onFunction = (address, name) => run(executionOf(address, `function ${name}`));
  area.onClose = () => {
    timelines[active].area = undefined;
    timelines[active].showArcs(timelines[active].arcs);
  };
  loop.onFold = (ranges) => {
    list().folds = ranges;
    showSettings();
    run(list().refresh());
  };
  registers.why = (name) => run(why.ask(name, place(), false));
  why.onArcs = (arcs) => timelines[active].showArcs(arcs);
  for (const pane of panes) pane.go = (record) => run(jump(record));
  memory.onWatch = () => {
    watches = true;
    run(moved());
  };
}

// The page as a file has its answers inside, or a document instead of a trace.
async function begin(): Promise<void> {
  const inside = document.querySelector('#recorded'), data = inside && JSON.parse(inside.textContent!);
  if (data?.document) return showDocument(data.document);
  if (data) {
    const recorded = new Recorded(data);
    answerFrom((name, parameters) => recorded.answer(name, parameters));
    document.querySelector<HTMLElement>('nav [data-view=sql]')!.hidden = true;
  }
  // What the first screen shows is asked for first: the server finds it while the page is made.
  const first = ask<Overview>('overview', { trace: 0 }).catch((error: Error): Overview => {
    say(error.message, true); // the trace is shown without it
    return { unit: 'instruction' };
  });
  const answer = await ask<Traces>('traces');
  const times = element('div', { class: 'times' });
  const rows = element('div', { class: answer.traces.length > 1 ? 'lists several' : 'lists' });
  answer.traces.forEach((trace, side) => {
    const made = new List(side, trace), timeline = new Timeline(side, trace);
    made.onMove = () => {
      choose(side);
      run(moved());
    };
    made.onError = (words) => say(words, true);
    made.onLink = (kind, to, row) => run(followLink(kind, to, row));
    made.onFold = () => showSettings();
    timeline.onHover = (record) => { memory.scrub(record).catch(() => undefined); };
    timeline.onArea = (from, to) => run(area.ask(side, from, to));
    timeline.onResize = (pixels) => {
      const tall = Math.max(60, Math.min(innerHeight - 260, timeline.canvas.clientHeight - timeline.tracks.length * 30 + pixels));
      document.documentElement.style.setProperty('--timeline', `${tall}px`);
    };
    timeline.onChoose = (record) => {
      choose(side);
      run(jump(record));
    };
    lists.push(made);
    timelines.push(timeline);
    rows.append(made.root);
    times.append(timeline.root);
  });
  memory.bigEndian = answer.big_endian;
  if (answer.traces[0].first !== undefined)
    chips.before(element('span', { class: 'quiet', id: 'part' }, answer.traces.map((part) =>
      `records ${grouped(part.first!)} to ${grouped(part.records - 1)} of ${grouped(part.total!)}`).join('; ')));
  document.title = `${answer.traces.map((trace) => trace.name).join(', ')} - spoor`;
  const side = element('div', { class: 'panes' }, ...panes.map((pane) => pane.root));
  if (lists.length === 2)
    side.prepend(element('section', { class: 'pane differences' }, element('h2', {}, 'Differences'), differenceBox));
  main.append(times, rows, splitter('Width of the panes', true, (pixels) => {
    const wide = Math.max(200, Math.min(innerWidth - 260, side.clientWidth - pixels));
    document.documentElement.style.setProperty('--panes', `${wide}px`);
  }), side, pipeline.root);
  main.before(overview.root, sql.root);
  listen();
  const hot = await first;
  rankFunctions((hot.functions ?? []).filter((one) => !one.exception).map((one) => one.pc!));
  run(overview.show(0, answer.traces[0], hot));
  if (lists.length === 2)
    pipeline.twin = async (side, record) => {
      const { ready, other } = await ask<Align>('align', { trace: side, at: record });
      if (!ready) throw new Error('the traces are still being compared');
      return { side: 1 - side, record: other };
    };
  const one = answer.traces.length === 2 && new URLSearchParams(location.hash.slice(1)).has('unified');
  await readHash();
  const chosen = active;
  for (const other of lists) if (other !== lists[chosen]) await other.follow(other.trace.first ?? 0);
  choose(chosen);
  if (document.body.dataset.view === 'trace') list().box.focus();
  document.body.dataset.ready = String(Math.round(performance.now()));
  if (lists.length === 2) await compare();
  if (one) await showUnified(true);
}

// What a test measures.
Object.assign(window, { spoorPage: { ask, lists, timelines, overview, pipeline, idle: () => !waiting, frame: () => timelines[active].frame } });
run(begin());
