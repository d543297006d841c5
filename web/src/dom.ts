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

// A number with a thin space between thousands.
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}
