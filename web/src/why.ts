// SPDX-License-Identifier: MIT
// why.ts: where a value came from, as a tree of links and as arcs on the timeline.  Values that were
// only copied are passed over.

import { ask, Flow, FlowNode, State } from './api';
import { button, element, grouped } from './dom';
import { Pane, Place } from './panes';
import { short } from './row';

const LINES = 150; // of the tree

export type Arc = [number, number]; // from the record of a write to that of its use

export class WhyPane extends Pane {
  private shownTree: Node[] = [];
  private asking = '';
  private all = false; // copies, too
  onArcs: (arcs: Arc[]) => void = () => undefined;

  constructor() {
    const close = button('\u00d7', 'Close', () => this.clear(), { 'aria-label': 'Close', class: 'link' });
    super('why', 'Why', close);
    this.shown = false;
  }

  protected async make(): Promise<Node[]> { return this.shownTree; }

  private clear(): void {
    this.shownTree = [];
    this.shown = false;
    this.onArcs([]);
  }

  private again(work: Promise<void>): void {
    work.catch((error: Error) => this.body.prepend(element('p', { class: 'wrong' }, error.message)));
  }

  // Shows where the value of a register or of memory after a row came from, or where it went.
  async ask(what: string, place: Place, forward: boolean, depth = 40): Promise<void> {
    const flow = await ask<Flow>('why',
      { trace: place.side, at: place.record, cpu: place.cpu, what, depth, forward: forward ? 1 : undefined });
    this.asking = `${what} after record ${grouped(place.record)}`;
    this.shown = true;
    this.draw(flow, what, place, forward, depth);
  }

  private draw(flow: Flow, what: string, place: Place, forward: boolean, depth: number): void {
    const nodes = flow.nodes, next = nodes.map((node) => node.from);
    if (forward) { // nodes state what they came from
      next.forEach((_, i) => { next[i] = []; });
      nodes.forEach((node, i) => node.from.forEach((from) => next[from]?.push(i)));
    }
    const arcs: Arc[] = [], drawn = new Set<number>();
    let lines = 0;
    // Passes over nodes with one source, which has the same value; `copies` counts them.
    const skip = (at: number): { at: number; copies: number } => {
      let copies = 0;
      while (!this.all && next[at].length === 1 && nodes[at].depth > 0 && nodes[next[at][0]].value !== undefined
        && short(nodes[next[at][0]].value!) === short(nodes[at].value ?? '') && !nodes[at].value!.includes('?') && copies < nodes.length) {
        at = next[at][0];
        copies++;
      }
      return { at, copies };
    };
    const branch = (start: number, user: FlowNode | undefined): HTMLElement | null => {
      const { at, copies } = skip(start), node = nodes[at];
      if (lines++ > LINES) return null;
      if (node.record !== undefined && user?.record !== undefined)
        arcs.push(forward ? [user.record, node.record] : [node.record, user.record]);
      const again = drawn.has(at) && next[at].length > 0;
      drawn.add(at);
      const words = `${node.what} = ${node.value === undefined ? '?' : `0x${short(node.value)}`}`;
      const item = element('li', {},
        node.record === undefined ? element('span', {}, words)
          : this.link(words, node.record, `record ${grouped(node.record)}: go there`),
        ' ', element('code', {}, node.text ?? ''),
        node.function ? element('span', { class: 'quiet' }, ` ${node.function}`) : null,
        copies ? element('span', { class: 'quiet' }, ` (${copies} of the same value passed over)`) : null,
        node.stop ? element('span', { class: 'stop' }, ` ${node.stop}`) : null,
        again ? element('span', { class: 'quiet' }, ' (as above)') : null);
      if (again) return item;
      const below = next[at].map((one) => branch(one, node)).filter((one): one is HTMLElement => one !== null);
      // a chain does not grow to the right
      if (below.length) item.append(element('ul', { class: below.length === 1 ? 'chain' : '' }, ...below));
      return item;
    };
    const roots = nodes.map((node, i) => ({ node, i })).filter(({ node }) => node.depth === 0)
      .map(({ i }) => branch(i, forward ? undefined : { what, depth: 0, from: [], record: place.record }));
    const turn = (words: string, title: string, ahead: boolean) =>
      button(words, title, () => this.again(this.ask(what, place, ahead)),
        { class: 'link', 'aria-pressed': String(forward === ahead) });
    this.shownTree = [
      element('p', {}, `${this.asking} `, turn('sources', 'where the value came from', false), ' ',
        turn('uses', 'where the value went', true), ' ',
        button(this.all ? 'without copies' : 'with copies', 'steps that leave the value as it is', () => {
          this.all = !this.all;
          this.draw(flow, what, place, forward, depth);
        }, { class: 'link' }), ' ',
        nodes.some((node) => node.stop === 'not followed further') && depth < 10000
          ? button('further', 'follow ten times as many instructions',
            () => this.again(this.ask(what, place, forward, Math.min(10000, 10 * depth))), { class: 'link' }) : null),
      element('ul', { class: 'flow' }, ...roots),
      ...(forward && nodes.length < 2 ? [element('p', { class: 'quiet' }, 'No use of it is known.')] : []),
      ...(lines > LINES || flow.count > nodes.length
        ? [element('p', { class: 'quiet' }, `${grouped(flow.count)} writes in all; the first ones are shown.`)] : []),
    ];
    this.body.replaceChildren(...this.shownTree);
    this.onArcs(arcs);
  }

  // What a state suggests to ask about: the first register that changed.
  static suggestion(state: State): string {
    const registers = state.cpus[0]?.registers ?? [];
    return (registers.find((register) => register.changed) ?? registers[0])?.name ?? '';
  }
}
