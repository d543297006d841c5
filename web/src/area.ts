// SPDX-License-Identifier: MIT
// area.ts: what ran in a part of the timeline that was selected.

import { Area, ask } from './api';
import { colorOf } from './colors';
import { button, element, grouped } from './dom';
import { flameGraph } from './flame';
import { Pane } from './panes';

export class AreaPane extends Pane {
  private shownArea: Node[] = [];
  onClose: () => void = () => undefined;
  onFunction: (address: string, name: string) => void = () => undefined;

  constructor(private readonly unit: () => string, private readonly cpus: () => number) {
    super('area', 'Selected part', button('\u00d7', 'Close', () => {
      this.shown = false;
      this.shownArea = [];
      this.onClose();
    }, { 'aria-label': 'Close', class: 'link' }));
    this.shown = false;
  }

  protected async make(): Promise<Node[]> { return this.shownArea; }

  async ask(side: number, from: number, to: number): Promise<void> {
    const area = await ask<Area>('area', { trace: side, from: Math.round(from), to: Math.round(to) });
    const all = area.to - area.from, time = area.time === undefined ? undefined : Number(area.time);
    const counts = [`${grouped(all)} records from ${grouped(area.from)} on`,
      ...(area.instructions === undefined ? [] : [`${grouped(area.instructions)} instructions`]),
      ...(time && this.unit() ? [`${grouped(time)} ${this.unit()}`] : []),
      ...(time && area.instructions && this.unit() ? [`${(time / area.instructions).toFixed(2)} ${this.unit()} per instruction`] : [])];
    this.shownArea = [element('p', {}, `${counts.join(', ')}.`),
      element('table', {},
        element('thead', {}, element('tr', {}, ...['function', '', 'records', 'calls'].map((name, i) =>
          element('th', { scope: 'col', class: i > 1 ? 'count' : '' }, name)))),
        element('tbody', {}, ...area.functions.map((one) => {
          const bar = element('span', { class: 'share' }), name = one.function ?? one.pc;
          bar.style.setProperty('--part', `${100 * one.records / Math.max(1, all)}%`);
          bar.style.setProperty('--color', colorOf(one.pc));
          return element('tr', {},
            element('td', {}, button(name, 'its next call', () => this.onFunction(one.pc, name), { class: 'link' })),
            element('td', {}, bar), element('td', { class: 'count' }, grouped(one.records)),
            element('td', { class: 'count' }, grouped(one.calls)));
        }))),
      ...(area.stacks.length ? flameGraph(area.stacks, area.names, 0, 'record', this.onFunction) : []),
      ...(this.cpus() > 1 ? [element('p', { class: 'quiet' }, `Records of a function are those of all ${this.cpus()} cpus while it ran.`)] : []),
      ...(area.shortest ? [element('p', { class: 'quiet' }, `Calls of fewer than ${grouped(area.shortest)} records count with their callers.`)] : [])];
    this.shown = true;
    this.body.replaceChildren(...this.shownArea);
  }
}
