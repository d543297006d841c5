// SPDX-License-Identifier: MIT
// flame.ts: stacks of functions as a flame graph, the outermost on top.

import { colorOf, colors } from './colors';
import { drawLater, element } from './dom';
import { plural, several, share } from './words';

const FLAME_ROW = 16, FLAME_ROWS = 22;

interface Frame { pc: string; handler: boolean; name: string; count: number; depth: number; from: number; children: Map<string, Frame> }

// `stacks`: addresses, the outermost first, separated by ";", and what the innermost ran itself;
// `names` of addresses; `total`: of all, also of stacks that are not here; `go`: where a click leads.
export function flameGraph(stacks: [string, number][], names: Record<string, string>, total: number, unit: string,
  go?: (pc: string, name: string) => void): HTMLElement[] {
  const root: Frame = { pc: '', handler: false, name: '', count: 0, depth: -1, from: 0, children: new Map() };
  const addresses = new Map(Object.entries(names).map(([pc, name]) => [name, pc]));
  for (const [stack, count] of stacks) {
    let at = root;
    root.count += count;
    for (const pc of stack.split(';')) {
      let next = at.children.get(pc);
      if (!next) {
        const [, base, rest] = /^(.*?)( \(exception\))?$/.exec(pc)!; // an address or, of a report with images, a name
        next = { pc: addresses.get(base) ?? base, handler: rest !== undefined, name: `${names[base] ?? base}${rest ?? ''}`, count: 0, depth: at.depth + 1, from: 0, children: new Map() };
        at.children.set(pc, next);
      }
      next.count += count;
      at = next;
    }
  }
  const frames: Frame[] = [];
  const lay = (frame: Frame, from: number) => {
    frame.from = from;
    if (frame.depth >= 0) frames.push(frame);
    for (const child of [...frame.children.values()].sort((a, b) => b.count - a.count)) {
      lay(child, from);
      from += child.count;
    }
  };
  root.count = Math.max(root.count, total); // of many stacks, those that ran most are here
  lay(root, 0);
  const rows = Math.min(FLAME_ROWS, 1 + Math.max(...frames.map((frame) => frame.depth)));
  const canvas = element('canvas', { class: 'picture', role: 'img',
    'aria-label': `Flame graph: ${several(frames.length, 'call path')}; the table of hot functions has the same shares` });
  const note = element('p', { class: 'note' }, `Width: share of the ${plural(unit)}, with calls.${go ? ' A click goes to the next call.' : ''}`);
  canvas.style.setProperty('height', `${rows * FLAME_ROW}px`);
  const under = (event: MouseEvent) => {
    const at = event.offsetX / Math.max(1, canvas.clientWidth) * root.count, depth = Math.floor(event.offsetY / FLAME_ROW);
    return frames.find((frame) => frame.depth === depth && frame.from <= at && at < frame.from + frame.count);
  };
  canvas.addEventListener('pointermove', (event) => {
    const frame = under(event);
    canvas.style.setProperty('cursor', frame && go ? 'pointer' : 'default');
    if (frame) note.textContent = `${frame.name}: ${share(frame.count, root.count)}, ${several(frame.count, unit)}`;
  });
  canvas.addEventListener('click', (event) => {
    const frame = under(event);
    if (frame?.pc.startsWith('0x')) go?.(frame.pc, frame.name);
  });
  drawLater(canvas, (context, width) => {
    for (const frame of frames) {
      const x = frame.from / root.count * width, wide = frame.count / root.count * width;
      if (frame.depth >= rows || wide < 0.5) continue;
      context.fillStyle = frame.handler ? colors().alarm : colorOf(frame.pc);
      context.fillRect(x, frame.depth * FLAME_ROW, Math.max(0.5, wide - 0.7), FLAME_ROW - 1);
      if (wide < 30) continue;
      context.save();
      context.beginPath();
      context.rect(x, frame.depth * FLAME_ROW, wide - 2, FLAME_ROW);
      context.clip();
      context.fillStyle = colors().background;
      context.fillText(frame.name, x + 4, frame.depth * FLAME_ROW + FLAME_ROW / 2);
      context.restore();
    }
  });
  return [canvas, note];
}
