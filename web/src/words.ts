// SPDX-License-Identifier: MIT
// words.ts: numbers in sentences.

import { grouped } from './dom';

export function share(part: number, all: number): string {
  const percent = all ? 100 * part / all : 0;
  return `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)}\u00a0%`;
}

// Several of a thing, in words.
export function several(count: number, thing: string): string {
  return `${count ? grouped(count) : 'no'} ${count === 1 ? thing : plural(thing)}`;
}
export function plural(thing: string): string { return /(s|ch)$/.test(thing) ? `${thing}es` : `${thing}s`; }
