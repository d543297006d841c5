// SPDX-License-Identifier: MIT
// loop.ts: the loop around a row as an object: its iterations counted, timed and compared.

import { ask, Loop } from './api';
import { colors } from './colors';
import { button, element, grouped } from './dom';
import { Pane, Place } from './panes';

const TALL = 46;

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : 0;
}
function range(values: number[]): string {
  const lowest = Math.min(...values), highest = Math.max(...values);
  return lowest === highest ? grouped(lowest) : `${grouped(median(values))} (${grouped(lowest)} to ${grouped(highest)})`;
}

export class LoopPane extends Pane {
  private shownLoop: Node[] = [];
  // Hides the iterations before and after one, as calls are folded.
  onFold: (ranges: { call: number; from: number; to: number; label: string }[]) => void = () => undefined;

  constructor(private readonly unit: () => string) {
    super('loop', 'Loop', button('\u00d7', 'Close', () => { this.shown = false; this.shownLoop = []; },
      { 'aria-label': 'Close', class: 'link' }));
    this.shown = false;
  }

  protected async make(): Promise<Node[]> { return this.shownLoop; }

  async ask(place: Place): Promise<void> {
    const loop = await ask<Loop>('loop', { trace: place.side, at: place.record, cpu: place.cpu });
    this.shown = true;
    this.draw(loop);
  }

  private draw(loop: Loop): void {
    const all = loop.iterations, at = loop.here - loop.first;
    const lengths = all.map((one) => one[1]);
    // the last iteration ends where nothing states a time
    const times = all.slice(0, -1).map((one, i) => Number(BigInt(all[i + 1][2]) - BigInt(one[2])));
    const timed = this.unit() !== '' && times.some((time) => time > 0);
    const usual = median(all.map((one) => one[3]).sort((a, b) => a - b)); // the path of most, if most have one
    const counts = new Map<number, number>();
    for (const one of all) counts.set(one[3], (counts.get(one[3]) ?? 0) + 1);
    const common = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? usual;
    const name = loop.header.function ?? loop.header.pc;
    const go = (words: string, number: number, title: string) => number >= 0 && number < all.length
      ? this.link(words, all[number][0], title) : element('span', { class: 'quiet' }, words);
    const part = all.length < loop.count ? `Of the ${grouped(all.length)} around this one: ` : '';
    const others = all.map((one, i) => ({ one, i })).filter(({ one }) => one[3] !== common);
    this.shownLoop = [
      element('p', {}, this.link(name, loop.from, 'the first iteration'),
        loop.header.source ? ` ${loop.header.source.replace(/.*\//, '')}` : '', ': ',
        element('strong', {}, `${loop.cut || loop.unended ? 'at least ' : ''}${grouped(loop.count)} iterations`),
        `, this is number ${grouped(loop.here + 1)}`),
      ...(loop.cut || loop.unended ? [element('p', { class: 'quiet' },
        `The loop ${loop.cut ? 'began before' : 'goes on after'} the records that were searched${loop.cut && loop.unended ? ', and goes on after them' : ''}.`)] : []),
      element('p', {}, `${part}${range(lengths)} instructions each`, timed ? `, ${range(times)} ${this.unit()}` : ''),
      element('p', {}, go('previous', at - 1, 'the previous iteration'), ' ', go('next', at + 1, 'the next iteration'), ' ',
        go(part ? 'last of these' : 'last', all.length - 1, 'the last iteration'), ' ',
        button('fold the others', 'hide the iterations before and after this one', () => this.fold(loop), { class: 'link' })),
      this.chart(loop, timed ? times : lengths, timed ? this.unit() : 'instructions'),
      element('p', {}, part, counts.size === 1 ? 'All take the same path: the same addresses in the same order.'
        : `${grouped(counts.size)} paths; ${grouped(all.length - others.length)} of ${grouped(all.length)} take the same one.`),
      ...(others.length && others.length < all.length ? [element('p', {}, 'Others: ', ...others.slice(0, 12).flatMap(({ one, i }) =>
        [this.link(String(loop.first + i + 1), one[0], `${grouped(one[1])} instructions`), ' ']),
      others.length > 12 ? `and ${grouped(others.length - 12)} more` : '')] : []),
    ];
    this.body.replaceChildren(...this.shownLoop);
  }

  private fold(loop: Loop): void {
    const all = loop.iterations, at = loop.here - loop.first, end = at + 1 < all.length ? all[at + 1][0] : loop.to;
    const hide = (from: number, to: number, count: number) => to > from && count > 0
      ? [{ call: from - 1, from, to, label: `${grouped(count)} iterations` }] : [];
    this.onFold([...hide(loop.from, all[at][0], loop.here), ...hide(end, loop.to, loop.count - loop.here - 1)]);
  }

  // A bar for each iteration, or for several of a pixel the highest.
  private chart(loop: Loop, values: number[], unit: string): HTMLElement {
    const canvas = element('canvas', { class: 'picture', role: 'img', 'aria-label': `${unit} of each iteration` });
    canvas.style.setProperty('height', `${TALL}px`);
    const at = (event: MouseEvent) => Math.min(values.length - 1,
      Math.floor(event.offsetX / Math.max(1, canvas.clientWidth) * values.length));
    canvas.addEventListener('pointermove', (event) => {
      canvas.title = `iteration ${grouped(loop.first + at(event) + 1)}: ${grouped(values[at(event)] ?? 0)} ${unit}`;
    });
    canvas.addEventListener('click', (event) => { if (values.length) this.go(loop.iterations[at(event)][0]); });
    requestAnimationFrame(() => {
      const ratio = devicePixelRatio || 1, width = canvas.clientWidth, highest = Math.max(1, ...values), paint = colors();
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(TALL * ratio);
      const context = canvas.getContext('2d');
      if (!context || !width) return;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      values.forEach((value, i) => {
        context.fillStyle = paint.series[i === loop.here - loop.first ? 1 : 0];
        const wide = width / values.length, tall = value / highest * TALL;
        context.fillRect(i * wide, TALL - tall, Math.max(1, wide - (wide > 3 ? 1 : 0)), tall);
      });
    });
    return canvas;
  }
}
