// SPDX-License-Identifier: MIT
// dom.ts: making elements.

type Child = Node | string | null | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string | boolean | undefined> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

export function button(words: string, title: string, act: () => void, attributes: Record<string, string> = {}):
    HTMLButtonElement {
  const made = element('button', { type: 'button', title, ...attributes }, words);
  made.addEventListener('click', act);
  return made;
}

// A number with commas between thousands, as the program prints it.
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// A handle that changes the size of what stands before it, by dragging and by arrow keys.  `vertical`:
// it is a line from top to bottom.  `move` is given pixels.
export function splitter(words: string, vertical: boolean, move: (pixels: number) => void): HTMLElement {
  const made = element('div', {
    class: vertical ? 'splitter vertical' : 'splitter', role: 'separator', tabindex: '0', title: words,
    'aria-label': words, 'aria-orientation': vertical ? 'vertical' : 'horizontal', 'aria-valuenow': '50',
  });
  let last = 0;
  const at = (event: PointerEvent) => vertical ? event.clientX : event.clientY;
  made.addEventListener('pointerdown', (event) => {
    made.setPointerCapture(event.pointerId);
    last = at(event);
    event.preventDefault();
  });
  made.addEventListener('pointermove', (event) => {
    if (!made.hasPointerCapture(event.pointerId)) return;
    move(at(event) - last);
    last = at(event);
  });
  made.addEventListener('keydown', (event) => {
    const step = event.key === (vertical ? 'ArrowRight' : 'ArrowDown') ? 20
      : event.key === (vertical ? 'ArrowLeft' : 'ArrowUp') ? -20 : 0;
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(step);
  });
  return made;
}

// Draws a picture once its width is known.
export function drawLater(canvas: HTMLCanvasElement, paint: (context: CanvasRenderingContext2D, width: number) => void): void {
  requestAnimationFrame(() => {
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const context = canvas.getContext('2d');
    if (!context || !width) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px system-ui, "DejaVu Sans", sans-serif';
    context.textBaseline = 'middle';
    paint(context, width);
  });
}
