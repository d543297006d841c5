// SPDX-License-Identifier: MIT
// overview.ts: the first screen: what the trace is, what is hot, what went wrong.

import { ask, Hot, Overview, Survey, Trace } from './api';
import { colorOf, colors } from './colors';
import { button, drawLater, element, grouped } from './dom';
import { flameGraph } from './flame';
import { plural, several, share } from './words';

const CELL = 12, MAP_LEFT = 92, POLL = 400;

// What a click does; each leaves the overview.
export interface Goals {
  execution: (address: string, what: string) => void;
  record: (record: number) => void;
  memory: (address: string) => void;
}

function fixed(value: number): string { return value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 1 : 2); }

// The rules with the most findings first.
function byCount<T extends { findings: number }>(rules: T[]): T[] {
  return [...rules].sort((a, b) => b.findings - a.findings);
}

// A bar in a table's cell.
function bar(part: number, color = ''): HTMLElement {
  const made = element('span', { class: 'share' });
  made.style.setProperty('--part', `${Math.max(0.5, 100 * part)}%`);
  if (color) made.style.setProperty('--color', color);
  return made;
}

function table(names: string[], rows: (Node | string)[][], numbers: number[] = []): HTMLElement {
  const kind = (i: number) => ({ class: numbers.includes(i) ? 'count' : '' });
  return element('table', {},
    element('thead', {}, element('tr', {}, ...names.map((name, i) => element('th', { scope: 'col', ...kind(i) }, name)))),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map((cell, i) => element('td', kind(i), cell))))));
}

export class OverviewPage {
  readonly root = element('section', { id: 'overview', 'aria-label': 'Overview', tabindex: '-1' });
  private readonly lead = element('p', { class: 'lead' });
  private readonly figures = element('ul', { class: 'figures' });
  private readonly cards = element('div', { class: 'cards' });
  private overview: Overview | undefined;
  private survey: Survey | undefined;
  side = -1; // the number of the trace that is shown; -1: none yet
  private trace: Trace | undefined;
  private polls = 0;

  // Without goals, of a document, nothing leads to a place.
  constructor(private readonly goals?: Goals) {
    if (!goals) this.root.removeAttribute('id');
    this.root.append(this.lead, this.figures, this.cards);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => window.setTimeout(() => this.draw()));
    let width = 0;
    new ResizeObserver(() => { // pictures have the width of their card
      if (this.root.clientWidth && this.root.clientWidth !== width) this.draw();
      width = this.root.clientWidth;
    }).observe(this.root);
  }

  // Shows a trace, of which `overview` is known; what has to be read first comes later.
  async show(side: number, trace: Trace, overview: Overview): Promise<void> {
    this.side = side;
    this.trace = trace;
    this.overview = overview;
    this.survey = undefined;
    this.span = undefined;
    this.draw();
    if (!overview.instructions && trace.time_unit && trace.records > 4 && trace.cpus.length < 2 && trace.first === undefined) {
      const { times } = await ask<{ times: (string | null)[] }>('times', { trace: side, at: `0,1,2,3,${trace.records - 1}` });
      const first = times.find((time) => time !== null), last = times[times.length - 1];
      if (side === this.side && first && last) this.span = String(BigInt(last) - BigInt(first));
    }
    await this.poll();
  }
  // Shows a trace of which all is known.
  put(trace: Trace, overview: Overview, found: Survey['found'], span: string | undefined): void {
    Object.assign(this, { side: 0, trace, overview, survey: { read: trace.records, ended: true, found } });
    if (!overview.instructions) this.span = span;
    this.draw();
  }
  private span: string | undefined; // of a trace without instructions: from the first record to the last

  private async poll(): Promise<void> {
    window.clearTimeout(this.polls);
    const side = this.side;
    let survey: Survey;
    try {
      survey = await ask<Survey>('survey', { trace: side });
    } catch (error) { // the server has ended, or has no memory for it
      survey = { read: 0, ended: true, error: (error as Error).message };
    }
    if (side !== this.side) return;
    this.survey = survey;
    if (survey.ended) return this.draw();
    this.drawHead();
    this.polls = window.setTimeout(() => void this.poll(), POLL);
  }

  // What is said beside numbers of a trace that could not be read to its end.
  private part(): string { return this.survey?.error || this.trace!.damage ? ' in the part that was read' : ''; }
  // Where the only function is where the trace begins, nothing is known of functions.
  private knowsFunctions(): boolean {
    const overview = this.overview!;
    return (overview.function_count ?? 0) > 1 || (overview.calls ?? 0) > (overview.cpus ?? 0); // each cpu begins one
  }

  // ---- the head ----

  private name(hot: { pc?: string; function?: string }): string { return hot.function ?? hot.pc ?? ''; }

  private sentence(): string {
    const trace = this.trace!, overview = this.overview!, found = this.survey?.found;
    const parts: string[] = [];
    if (!trace.records) return `${trace.name}: no record of the trace was read: it has none, or none was selected.`;
    const log = overview.log;
    if (log) {
      parts.push(`${several(log.retired, 'instruction')} retired in ${several(log.cycles, 'cycle')} of the pipeline that the log states`,
        `${log.squashed ? grouped(log.squashed) : 'none'} ${(log.squashed || 1) === 1 ? 'was' : 'were'} squashed`);
    } else if (overview.instructions && overview.functions) {
      const hot = overview.functions[0];
      const cpus = overview.cpus ?? 1, timed = trace.time_unit && overview.time;
      parts.push(several(overview.instructions, overview.unit)
        + (this.knowsFunctions() ? ` in ${several(overview.function_count ?? 0, 'function')}` : '')
        + (cpus > 1 ? ` on ${cpus} cpus` : '')
        + (timed ? ` over ${grouped(overview.time!)} ${trace.time_unit}${cpus > 1 ? ' in sum' : ''}` : ''));
      if (hot && this.knowsFunctions()) parts.push(`${share(hot.exclusive, overview.instructions)} in ${this.name(hot)}`);
    } else {
      parts.push(`${grouped(trace.total ?? trace.records)} records of the format ${trace.format}`);
    }
    const predictor = found?.branch?.predictors[0];
    if (predictor?.mpki !== undefined && predictor.mpki !== null)
      parts.push(`${predictor.spec} mispredicts ${fixed(predictor.mpki)} of 1,000 instructions`);
    if (overview.exception_count !== undefined) parts.push(several(overview.exception_count, 'exception'));
    const gaps = overview.gaps;
    if (gaps)
      parts.push(`${several(gaps.count, 'gap')}, ${gaps.instructions ? `${several(gaps.instructions, 'instruction')}${gaps.uncounted ? ' or more' : ''}`
        : 'an unknown number of instructions'} not in the trace`);
    if (found) parts.push(`${several(found.finding_count, 'finding')}${this.part()}`);
    return `${trace.name}: ${parts.join('; ')}.${trace.damage && this.goals ? ` ${trace.damage}` : ''}`;
  }

  private figure(name: string, value: string | undefined, note: string, wrong = false): HTMLElement {
    return element('li', { class: wrong ? 'wrong-figure' : '' }, element('span', { class: 'figure-name' }, name),
      element('strong', {}, value ?? '\u2013'), element('span', { class: 'quiet' }, note));
  }

  private drawHead(): void {
    const trace = this.trace!, overview = this.overview!, survey = this.survey, found = survey?.found;
    this.lead.textContent = this.sentence();
    const waits = survey?.error && !found ? survey.error : survey?.ended ? 'not stated' : `reading: ${share(survey?.read ?? 0, (trace.total ?? trace.records))}`;
    const predictor = found?.branch?.predictors[0], data = found?.caches?.[1];
    const time = Number(overview.time ?? 0), cpus = overview.cpus ?? 1, mpki = predictor?.mpki ?? undefined, part = this.part();
    const unit = plural(overview.unit), titled = unit[0].toUpperCase() + unit.slice(1);
    this.figures.replaceChildren(
      overview.instructions ? this.figure(titled, grouped(overview.instructions), `${grouped(trace.total ?? trace.records)} records`)
        : this.figure('Records', grouped(trace.total ?? trace.records), trace.format),
      this.span !== undefined ? this.figure('Time', grouped(this.span), `${trace.time_unit}, from the first record to the last`)
        : this.figure('Time', trace.time_unit && overview.instructions ? grouped(overview.time!) : undefined, trace.time_unit && overview.instructions
        ? `${trace.time_unit}${cpus > 1 ? ` in sum of ${cpus} cpus` : ''}, ${fixed(time / overview.instructions)} per ${overview.unit}` : 'not stated'),
      ...(overview.ipc === undefined ? [] : [this.figure('IPC', fixed(overview.ipc), overview.log ? 'instructions a cycle, by the log'
        : 'micro-ops a cycle, simulated (general)')]),
      this.figure('Mispredictions', mpki === undefined ? undefined : fixed(mpki), mpki !== undefined
        ? `per 1,000 instructions, ${predictor!.spec}${part}` : waits),
      this.figure('L1D misses', data?.accesses ? share(data.misses, data.accesses) : undefined,
        data?.accesses ? `of ${grouped(data.accesses)} accesses, 32K,8,64${part}` : waits),
      this.figure('Exceptions', overview.exception_count === undefined ? undefined : grouped(overview.exception_count),
        overview.exception_kinds?.length ? overview.exception_kinds[0].cause : overview.exception_count === 0 ? 'none' : 'not stated',
        (overview.fault_count ?? 0) > 0),
      this.figure('Findings', found ? grouped(found.finding_count) : undefined,
        survey?.error ?? (found ? byCount(found.rules)[0]?.rule ?? `of check: none${part}` : waits), (found?.finding_count ?? 0) > 0));
  }

  // ---- cards ----

  private link(words: string, title: string, act: (goals: Goals) => void): HTMLElement {
    const goals = this.goals;
    return goals ? button(words, title, () => act(goals), { class: 'link' }) : element('span', {}, words);
  }
  private place(hot: Hot, what: string): HTMLElement {
    return this.link(this.name(hot), `the next execution of ${hot.pc}`, (goals) => goals.execution(hot.pc!, what));
  }
  private card(title: string, ...content: (Node | string)[]): HTMLElement {
    return element('section', { class: 'card', 'aria-label': title }, element('h2', {}, title), ...content);
  }

  private functions(overview: Overview): HTMLElement[] {
    if (!overview.functions?.length) return [];
    const all = overview.instructions ?? 1;
    const rows = overview.functions.slice(0, 12).map((hot) => [this.place(hot, `function ${this.name(hot)}`),
      bar(hot.exclusive / all, hot.exception ? colors().alarm : colorOf(hot.pc!)), share(hot.exclusive, all),
      share(hot.inclusive, all), grouped(hot.calls)]);
    const more = (overview.function_count ?? 0) - rows.length;
    return [this.card('Hot functions', table(['function', '', 'itself', 'with calls', 'calls'], rows, [2, 3, 4]),
      ...(more > 0 ? [element('p', { class: 'quiet' }, `${several(more, 'more function')}`)] : []),
      ...(this.knowsFunctions() ? [] : [element('p', { class: 'quiet' }, 'No call was seen: all counts for where the trace begins.')]))];
  }

  private cpus(overview: Overview): HTMLElement[] {
    const rows = overview.cpu_rows ?? [], all = overview.instructions || 1, timed = this.trace!.time_unit !== '';
    if (rows.length < 2) return [];
    return [this.card('Processors', table(['cpu', '', plural(overview.unit), 'share', ...(timed ? [`${this.trace!.time_unit}`, `per ${overview.unit}`] : []), 'calls', 'exceptions'],
      rows.map((one) => [one.cpu, bar(one.instructions / all), grouped(one.instructions), share(one.instructions, all),
        ...(timed ? [grouped(one.time), one.instructions ? fixed(Number(one.time) / one.instructions) : ''] : []), grouped(one.calls), grouped(one.exceptions)]),
      [2, 3, 4, 5, 6, 7]), ...((overview.cpus ?? 0) > rows.length ? [element('p', { class: 'quiet' }, `The first ${rows.length} of ${overview.cpus}.`)] : []))];
  }

  private lines(overview: Overview): HTMLElement[] {
    const lack = { counts: 'Lines are not counted: more than 131,072 addresses ran.',
      debug: 'Lines are not known: the image has no debug information of them, or lies elsewhere.',
      image: 'Lines are not known: give --image.', index: 'Lines are not counted: the index does not have the counts of instructions.' };
    const why = overview.lines_lack && element('p', { class: 'quiet' }, lack[overview.lines_lack]);
    if (!overview.lines?.length) return why ? [this.card('Hot lines', why)] : [];
    const all = overview.counted || 1, located = overview.lines.some((line) => line.source);
    const rows = overview.lines.slice(0, 12).map((line) => [
      this.link(line.source?.replace(/.*\//, '') ?? line.pc, `${line.function ?? ''} the next execution of ${line.pc}`,
        (goals) => goals.execution(line.pc, line.source ?? `address ${line.pc}`)),
      bar(line.count / all), share(line.count, all), grouped(line.executions),
      element('code', { class: 'line' }, line.text?.trim() ?? line.function ?? '')]);
    return [this.card(located ? 'Hot lines' : 'Hot instructions',
      table([located ? 'line' : 'address', '', plural(overview.unit), 'times', ''], rows, [2, 3]),
      ...(why ? [why] : []))];
  }

  private exceptions(overview: Overview): HTMLElement[] {
    if (overview.exception_count === undefined) return [];
    if (!overview.exception_count) return [this.card('Exceptions and faults', element('p', {}, 'None.'))];
    const kinds = (overview.exception_kinds ?? []).slice(0, 8).map((kind) => [
      kind.record === undefined ? kind.cause : this.link(kind.cause + (kind.number === undefined ? '' : ` ${kind.number}`),
        `the first one, record ${kind.record}`, (goals) => goals.record(kind.record!)),
      grouped(kind.count), grouped(kind.returned), this.name(kind)]);
    const faults = (overview.faults ?? []).slice(0, 8).map((one) => element('li', {},
      this.link(one.fault, `record ${one.record}: go there`, (goals) => goals.record(one.record)),
      one.pc ? ` at ${this.name(one)}` : ''));
    return [this.card('Exceptions and faults', table(['cause', 'count', 'returned', 'handler'], kinds, [1, 2]),
      ...(faults.length ? [element('h3', {}, several(overview.fault_count ?? 0, 'fault')), element('ol', {}, ...faults)] : []),
      ...(overview.exceptions_listed === undefined ? []
        : [element('p', { class: 'quiet' }, `Causes and faults are of the first ${grouped(overview.exceptions_listed)}.`)]))];
  }

  private findings(): HTMLElement[] {
    const found = this.survey?.found;
    if (!found) return [];
    if (!found.finding_count)
      return [this.card('Findings', element('p', {}, !this.trace!.records ? 'None: there was no record to check.' : this.part() ? `None${this.part()}.` : 'None: the trace keeps its rules.'))];
    return [this.card('Findings',
      table(['rule', 'findings'], byCount(found.rules).map((rule) => [element('span', { title: rule.demand }, rule.rule),
        grouped(rule.findings)]), [1]),
      element('ol', {}, ...found.findings.slice(0, 8).map((one) => element('li', {},
        this.link(`record ${grouped(one.record)}`, 'go there', (goals) => goals.record(one.record)),
        ` ${one.rule}: found ${one.found}, expected ${one.expected}`))))];
  }

  private branches(): HTMLElement[] {
    const branch = this.survey?.found?.branch;
    if (!branch?.hardest?.length) return [];
    const rows = branch.hardest.slice(0, 8).map((one) => [
      this.link(`${one.function ?? ''}${one.function && one.offset ? `+${one.offset}` : ''}` || one.pc,
        `${one.source ?? ''} the next execution of ${one.pc}`, (goals) => goals.execution(one.pc, `branch ${one.pc}`)),
      bar(one.total_ratio), share(one.total_ratio, 1), grouped(one.executions), share(one.taken_ratio, 1)]);
    return [this.card('Hard branches', table(['branch', '', 'of mispredictions', 'times', 'taken'], rows, [2, 3, 4]))];
  }

  // ---- pictures ----

  private flame(overview: Overview): HTMLElement[] {
    if (!overview.stacks?.length) return [];
    const goals = this.goals;
    return [this.card('Flame graph', ...flameGraph(overview.stacks, overview.names ?? {}, overview.instructions ?? 0, overview.unit,
      goals && ((pc, name) => goals.execution(pc, `function ${name}`))))];
  }

  private memory(): HTMLElement[] {
    const map = this.survey?.found?.memory_map;
    if (!map?.length) return [];
    const windows = [...new Set(map.map((cell) => cell.from))].sort((a, b) => a - b);
    const regions = [...new Set(map.map((cell) => cell.region))].reverse(); // rows of the first window: by address
    const highest = Math.max(...map.map((cell) => cell.accesses));
    const canvas = element('canvas', { class: 'picture', role: 'img',
      'aria-label': `Memory over time: ${several(regions.length, 'region')}; the buttons below name them` });
    const note = element('p', { class: 'note' }, `Accesses by address and time, darker for more (logarithmic).${this.goals ? ' A click shows the memory.' : ''}`);
    canvas.style.setProperty('height', `${regions.length * CELL}px`);
    const under = (event: MouseEvent) => {
      const region = regions[Math.floor(event.offsetY / CELL)];
      const wide = (canvas.clientWidth - MAP_LEFT) / windows.length;
      const from = windows[Math.floor((event.offsetX - MAP_LEFT) / wide)];
      return { region, cell: map.find((one) => one.region === region && one.from === from) };
    };
    canvas.addEventListener('pointermove', (event) => {
      const { region, cell } = under(event);
      note.textContent = `${region}, ${grouped(map[0].bytes)} bytes${cell ? `: ${several(cell.accesses, 'access')}, `
        + `from access ${grouped(cell.from)} on` : ''}`;
    });
    canvas.addEventListener('click', (event) => {
      const { region } = under(event);
      if (region) this.goals?.memory(region);
    });
    drawLater(canvas, (context, width) => {
      const wide = (width - MAP_LEFT) / windows.length, paint = colors();
      regions.forEach((region, row) => {
        context.fillStyle = paint.quiet;
        context.fillText(region, 0, row * CELL + CELL / 2);
        context.fillStyle = paint.line;
        context.globalAlpha = 0.35;
        context.fillRect(MAP_LEFT, row * CELL, width - MAP_LEFT, CELL - 1);
        context.globalAlpha = 1;
      });
      context.fillStyle = paint.series[0];
      for (const cell of map) {
        if (!cell.accesses) continue;
        context.globalAlpha = 0.15 + 0.85 * Math.log1p(cell.accesses) / Math.log1p(highest);
        context.fillRect(MAP_LEFT + windows.indexOf(cell.from) * wide, regions.indexOf(cell.region) * CELL,
          Math.max(0.7, wide - 0.5), CELL - 1);
      }
      context.globalAlpha = 1;
    });
    return [this.card('Memory map', canvas, note)];
  }

  private draw(): void {
    const overview = this.overview;
    if (!overview) return;
    this.drawHead();
    this.cards.replaceChildren(...this.cpus(overview), ...this.functions(overview), ...this.flame(overview), ...this.lines(overview),
      ...this.exceptions(overview), ...this.findings(), ...this.branches(), ...this.memory());
    if (!this.cards.childElementCount && this.survey?.ended)
      this.cards.append(element('p', { class: 'quiet' }, 'The trace states neither instructions nor accesses.'));
  }
}
