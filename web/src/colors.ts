// SPDX-License-Identifier: MIT
// colors.ts: the colours of the page, and which functions have one.

export interface Colors { series: string[]; stages: string[]; chosen: string; text: string; quiet: string; line: string; background: string; alarm: string }

const SERIES = 8;
let known: Colors | undefined;
const ranks = new Map<string, number>(); // by address

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { known = undefined; });

export function colors(): Colors {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const svg = document.querySelector('#palette')!;
  const stages = [...svg.children].map((rectangle) => getComputedStyle(rectangle).fill), series = stages.slice(0, SERIES);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return known = { series, stages, chosen: read('--chosen'), text: read('--fg'), quiet: read('--quiet'), line: read('--line'), background: read('--bg'),
    alarm: series[7] };
}

// Gives the seven hues to the functions that ran most, the hottest first; red is for exceptions.
export function rankFunctions(addresses: string[]): void {
  ranks.clear();
  addresses.slice(0, SERIES - 1).forEach((address, i) => ranks.set(address, i));
}

// A function has one colour wherever it is seen; those that are not among the hottest are grey.
export function colorOf(address: string): string {
  const rank = ranks.get(address);
  return rank === undefined ? colors().quiet : colors().series[rank];
}
